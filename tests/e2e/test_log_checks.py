"""A phone compares the log with the checkpoint that it kept: honest, restored and dishonest servers."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import WON
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, wait_until
from tests.e2e.visible_text import NEXT_FRAME_JS, faults, visible_lines
from tests.server import Server

pytestmark = pytest.mark.nightly


def test_phone_warns_only_of_another_history(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", pace="brisk")
    phone = open_at(PHONE, f"/{event['code']}")
    phone.wait_for(phase="lobby")
    warning, restored = phone.page.get_by_role("alert"), phone.page.get_by_text("restored from a backup")

    def checkpoint() -> str:
        return str(phone.page.evaluate("localStorage.getItem('crowdgame:log') ?? ''"))

    def play_match() -> None:
        server.ask("play_to", event_id=event["id"], picks=[list(pick) for pick in WON])
        phone.wait_for(2 * TIMEOUT_MS, phase="ended")

    def expect_readable() -> None:
        for width, height in ((320, 568), (844, 390), (PHONE["width"], PHONE["height"])):
            phone.page.set_viewport_size({"width": width, "height": height})
            phone.page.evaluate(NEXT_FRAME_JS)
            assert faults(visible_lines(phone.page), width, height) == []

    play_match()
    wait_until(phone, lambda: checkpoint() != "")
    first = checkpoint()
    expect(restored.or_(warning)).to_have_count(0)

    server.ask("restore_log")
    play_match()
    expect(restored).to_be_visible()
    expect_readable()
    expect(warning).to_have_count(0)
    second = checkpoint()
    assert first.split("\n")[0] != second.split("\n")[0]

    play_match()
    wait_until(phone, lambda: checkpoint() != second)
    third = checkpoint()
    assert third.split("\n")[0] == second.split("\n")[0]
    expect(restored.or_(warning)).to_have_count(0)

    replaced = phone.page.get_by_text("has begun a new log")
    phone.page.evaluate(f"localStorage.setItem('crowdgame:log', 'another/{third[:3]}' + {third[3:]!r})")
    play_match()
    expect(replaced).to_be_visible()
    expect(warning).to_have_count(0)
    expect(replaced.get_by_role("link", name="Evidence for the witnesses")).to_be_visible()
    third = checkpoint()

    server.ask("rewrite_log")
    play_match()
    text = "The server's log contradicts what this phone saw."
    expect(warning).to_contain_text(text, timeout=3 * TIMEOUT_MS)
    assert checkpoint() == third
    with phone.page.expect_download() as download:
        warning.get_by_role("link", name="Evidence for the witnesses").click()
    evidence = download.value.path().read_text()
    assert evidence.startswith(f"{third}\n")
    assert evidence.removeprefix(f"{third}\n").split("\n")[:2] != third.split("\n")[:2]
    expect_readable()


def test_display_names_witnesses_that_cosigned(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", pace="brisk")
    display = open_at(PROJECTOR, f"/display/{event['code']}")
    names = ["<b>school</b>", "\u202e" + "w" * 200, "third.example", "fourth.example"]
    for cosigning in ([], names):
        with display.page.expect_response("**/log/0.json", timeout=4 * TIMEOUT_MS) as answer:
            server.ask("play_to", event_id=event["id"], picks=[list(pick) for pick in WON])
            server.ask("cosign", names=cosigning)
        assert len(answer.value.json()["witnesses"]) == min(3, len(cosigning))
        expect(display.page.get_by_text("Log confirmed by")).to_have_count(1 if cosigning else 0)
    expect(display.page.get_by_text("Log confirmed by \u2068<b>school</b>\u2069")).to_be_visible()
    width, height = PROJECTOR["width"], PROJECTOR["height"]
    assert faults(visible_lines(display.page), width, height) == []
