"""Every screen says why a match ended."""

from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.page_visits import sign_in
from tests.e2e.scene_setup import BOTH_WIN, CODE, MIDDLE, THE_END, at_phase
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, vote
from tests.e2e.scripted_match import ScriptedMatch, script_match
from tests.server import Server
from voting.protocol import EventState
from voting.terms import EndReason

BOTH_IN_CONFLICT = script_match(*[(1, 5), (2, 6), (3, 7)] * 2, (4, 4))


@dataclass(frozen=True)
class Ending:
    """An ended match, and the reason as shown by the big screen and phones."""

    reason: EndReason
    text: str
    result: str = "red"


ENDINGS = (
    Ending(EndReason.LINE, "Four in a row"),
    Ending(EndReason.HOLDER, "Four in a row for both: North Hall held the token"),
    Ending(EndReason.OTHER, "Four in a row for both: South Hall held the token and loses"),
    Ending(EndReason.FORFEIT, "No votes from South Hall"),
    Ending(EndReason.TIME, "South Hall ran out of time"),
    Ending(EndReason.RESIGN, "South Hall gave up"),
    Ending(EndReason.DESERTED, "Everyone left South Hall"),
    Ending(EndReason.FORFEIT, "Nobody voted", "draw"),
    Ending(EndReason.TIME, "Both ran out of time", "draw"),
    Ending(EndReason.RESIGN, "Both gave up", "draw"),
    Ending(EndReason.FULL, "The board is full", "draw"),
)


def ended(now: int, ending: Ending) -> EventState:
    state = THE_END.ended(now)
    assert state.match
    given: dict[str, Any] = {"result": ending.result, "end_reason": ending.reason}
    return replace(state, match=replace(state.match, **given))


@pytest.mark.parametrize("path", ["/display/", "/"], ids=["display", "phone"])
def test_screen_says_why_match_ended(browser: Browser, fake_gateway: FakeGateway, path: str) -> None:
    page = browser.new_context(viewport=PHONE if path == "/" else PROJECTOR).new_page()  # type: ignore[arg-type]
    fake_gateway.show(ended(fake_gateway.now(), ENDINGS[0]))
    page.goto(f"{fake_gateway.http}{path}{CODE}")
    for ending in ENDINGS:
        fake_gateway.say(
            "phone" if path == "/" else "display",
            fake_gateway.change("event.edited", ended(fake_gateway.now(), ending)),
        )
        expect(page.locator("main")).to_contain_text(ending.text, timeout=TIMEOUT_MS)
    page.context.close()


def test_card_of_phone_says_why_match_ended(window: Page, fake_gateway: FakeGateway) -> None:
    window.set_viewport_size(PHONE)  # type: ignore[arg-type]
    fake_gateway.show(ended(fake_gateway.now(), ENDINGS[1]))
    window.goto(f"{fake_gateway.http}/{CODE}")
    window.get_by_role("button", name="My match").click(timeout=TIMEOUT_MS)
    expect(window.get_by_role("dialog")).to_contain_text(ENDINGS[1].text)


@pytest.mark.parametrize(
    ("step", "text", "lit"),
    [
        ("both", "Four in a row for both", 4),
        ("lines", "Four in a row for both: North Hall held the token and wins", 8),
    ],
)
def test_wall_lights_both_lines_before_it_names_the_winner(
    window: Page, fake_gateway: FakeGateway, step: str, text: str, lit: int
) -> None:
    fake_gateway.show(BOTH_WIN.reveal(fake_gateway.now(), step, slower=15))
    window.goto(f"{fake_gateway.http}/display/{CODE}")
    expect(window.locator(".caption")).to_have_text(text)
    expect(window.locator(".cabinet .light")).to_have_count(lit)


@pytest.mark.parametrize(("left_ms", "lights"), [(12_000, 0), (4_900, 1)])
def test_clock_lights_up_in_the_last_five_seconds(
    window: Page, fake_gateway: FakeGateway, left_ms: int, lights: int
) -> None:
    fake_gateway.show(MIDDLE.voting(fake_gateway.now(), left_ms))
    window.goto(f"{fake_gateway.http}/display/{CODE}")
    at_phase(window, "voting")
    assert window.locator(".clock .light").count() == lights


@pytest.mark.parametrize(
    ("scripted", "step", "opacity"),
    [(BOTH_WIN, "lines", "1"), (BOTH_IN_CONFLICT, "replay", "0")],
    ids=["verdict", "replay"],
)
def test_token_flares_until_the_replay(
    window: Page, fake_gateway: FakeGateway, scripted: ScriptedMatch, step: str, opacity: str
) -> None:
    fake_gateway.show(scripted.reveal(fake_gateway.now(), step, slower=15))
    window.goto(f"{fake_gateway.http}/display/{CODE}")
    expect(window.locator(".token .flare")).to_have_css("opacity", opacity)


def test_forfeit_is_named_on_every_screen(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner="olga", lobby="open", window_s=90, no_ballot_rule="forfeit")
    display, phone, console, report = (
        open_at(server, f"forfeit-{name}", size)
        for name, size in (("wall", PROJECTOR), ("phone", PHONE), ("console", TABLET), ("report", TABLET))
    )
    display.page.goto(f"/display/{event['code']}")
    phone.page.goto(f"/{event['code']}")
    phone.wait_for(phase="lobby", team="1")
    sign_in(console.page, server, "olga")
    console.page.goto(f"/console/{event['code']}/")
    server.ask("open_turn_now", event_id=event["id"])
    vote(phone, 4)
    expect(phone.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)
    server.ask("close_after", event_id=event["id"], ms=200)
    reason = "No votes from Doves"
    expect(display.page.locator(".end .reason")).to_have_text(reason, timeout=TIMEOUT_MS)
    expect(phone.page.locator(".sentence")).to_contain_text(f"{reason}.", timeout=TIMEOUT_MS)
    expect(console.page.get_by_role("heading", name=f"Rooks won match 1: {reason}")).to_be_visible()
    expect(console.page.locator(".matches li")).to_contain_text(f"Rooks won, 1 turn: {reason}")
    report.page.goto(f"/report/{event['code']}/1")
    expect(report.page.get_by_text("Nobody from Doves voted in turn 1.").first).to_be_visible()
    for screen in (display, phone, console, report):
        screen.shoot("ended")
