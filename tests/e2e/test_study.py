"""What is to be read of a study stands before the first vote, once."""

from playwright.sync_api import expect

from tests.e2e.conftest import OpenFace
from tests.e2e.faces import PHONE, SOON_MS, vote
from tests.stack import House

TOLD = "Your votes, without your name, go into a study."


def test_a_voter_reads_it_once_and_then_votes(one_gateway: House, open_at: OpenFace) -> None:
    event = one_gateway.ask("event", lobby="open", window_s=90, consent=TOLD)
    one_gateway.ask("begin", event_id=event["id"])
    phone = open_at(one_gateway, "study", PHONE)
    dialog = phone.page.get_by_role("dialog")
    phone.page.goto(f"/{event['code']}")
    expect(dialog).to_contain_text(TOLD, timeout=SOON_MS)
    phone.page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    phone.wait_for(phase="voting")
    vote(phone, 3)
    phone.page.reload()
    own = phone.page.locator('[data-column="3"][aria-pressed="true"]')
    expect(own).to_be_visible(timeout=SOON_MS)
    expect(phone.page.locator(".corner .name").first).to_be_visible(timeout=SOON_MS)
    expect(dialog).not_to_be_visible()
    assert phone.troubles == []
