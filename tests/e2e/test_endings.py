"""Every screen says why a match ended."""

from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import (
    BOTH_WIN,
    CODE,
    MIDDLE,
    THE_END,
    Scene,
    at_phase,
    in_language,
    show_scene,
)
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS
from tests.e2e.scripted_match import ScriptedMatch, script_match
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


@pytest.mark.nightly
def test_arabic_text_begins_on_the_right_of_the_board(fake_gateway: FakeGateway, window: Page) -> None:
    show_scene("display", in_language(Scene("ended", THE_END.ended, "ended"), "ar"), window, fake_gateway)
    text, board = (window.locator(part).bounding_box() for part in (".end", ".dock"))
    assert text
    assert board
    assert text["x"] > board["x"] + board["width"]


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
