"""Every screen says why a match ended."""

from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

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
from tests.e2e.screens import PHONE, TIMEOUT_MS
from tests.e2e.scripted_match import ScriptedMatch, script_match
from voting.protocol import EventState
from voting.terms import EndReason

BOTH_IN_CONFLICT = script_match(*[(1, 5), (2, 6), (3, 7)] * 2, (4, 4))


def ended(now: int, reason: EndReason, result: Any = "red") -> EventState:
    state = THE_END.ended(now)
    assert state.match
    return replace(state, match=replace(state.match, result=result, end_reason=reason))


@pytest.mark.nightly
def test_arabic_text_begins_on_the_right_of_the_board(fake_gateway: FakeGateway, window: Page) -> None:
    show_scene("display", in_language(Scene("ended", THE_END.ended, "ended"), "ar"), window, fake_gateway)
    text, board = (window.locator(part).bounding_box() for part in (".end", ".dock"))
    assert text
    assert board
    assert text["x"] > board["x"] + board["width"]


@pytest.mark.parametrize(("kind", "path"), [("display", "/display/"), ("phone", "/")])
def test_screen_says_why_match_ended(window: Page, fake_gateway: FakeGateway, kind: str, path: str) -> None:
    fake_gateway.show(ended(fake_gateway.now(), EndReason.LINE))
    window.goto(f"{fake_gateway.http}{path}{CODE}")
    for reason, result, text in [
        (EndReason.LINE, "red", "Four in a row"),
        (EndReason.HOLDER, "red", "Four in a row for both: North Hall held the token"),
        (EndReason.OTHER, "red", "Four in a row for both: South Hall held the token and loses"),
        (EndReason.FORFEIT, "red", "No votes from South Hall"),
        (EndReason.TIME, "red", "South Hall ran out of time"),
        (EndReason.RESIGN, "red", "South Hall gave up"),
        (EndReason.DESERTED, "red", "Everyone left South Hall"),
        (EndReason.FORFEIT, "draw", "Nobody voted"),
        (EndReason.TIME, "draw", "Both ran out of time"),
        (EndReason.RESIGN, "draw", "Both gave up"),
        (EndReason.FULL, "draw", "The board is full"),
    ]:
        state = ended(fake_gateway.now(), reason, result)
        fake_gateway.say(kind, fake_gateway.change("event.edited", state))
        expect(window.locator("main")).to_contain_text(text, timeout=TIMEOUT_MS)


def test_card_of_phone_says_why_match_ended(window: Page, fake_gateway: FakeGateway) -> None:
    window.set_viewport_size(PHONE)
    fake_gateway.show(ended(fake_gateway.now(), EndReason.HOLDER))
    window.goto(f"{fake_gateway.http}/{CODE}")
    window.get_by_role("button", name="My match").click(timeout=TIMEOUT_MS)
    text = "Four in a row for both: North Hall held the token"
    expect(window.get_by_role("dialog")).to_contain_text(text)


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
