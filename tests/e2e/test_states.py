"""What phones and displays show in a state, and when the state changes."""

import re
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Show
from tests.e2e.fake_gateway import TURNOUT, FakeGateway
from tests.e2e.scene_setup import (
    BOTH_WIN,
    CONFLICT,
    MIDDLE,
    THE_END,
    Scene,
    State,
    as_duel,
    at_phase,
    at_step,
    ended,
    in_language,
    reveals,
    show_scene,
    with_match,
    with_options,
    with_turn,
)
from tests.e2e.scenes import DISPLAY_DUELS, PHONE_DUELS, RULES
from tests.e2e.screens import PHONE, PROJECTOR
from tests.e2e.scripted_match import NAMES, ScriptedMatch, script_match
from tests.e2e.visible_text import visible_lines
from voting.protocol import BoxFigures, TurnoutCounted
from voting.terms import EndReason

BEFORE_FIRST_TURN_MS = 60_000
BOTH_IN_CONFLICT = script_match(*[(1, 5), (2, 6), (3, 7)] * 2, (4, 4))
SPECIAL = with_options(ScriptedMatch(), **RULES)
TALK_HELD = with_turn(MIDDLE.paused, talk_ms=9_000, left_ms=20_000)
CAPTIONS = (
    "Both teams drop at once",
    "Same column: the token's holder drops first",
    "Then the token changes sides",
    "Four in a row wins",
)
OTHER_PARTS = ".footer .address, .cabinet, .clock"
BOXES_JS = "parts => parts.map(part => JSON.stringify(part.getBoundingClientRect()))"


def won_by(reason: EndReason, result: str = "red") -> State:
    return with_match(THE_END.ended, result=result, end_reason=reason)


@pytest.mark.parametrize("screen", ["display", "phone"])
def test_screen_says_why_match_ended(show: Show, fake_gateway: FakeGateway, screen: str) -> None:
    page = show(screen, won_by(EndReason.LINE), "ended")
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
        fake_gateway.announce(screen, "event.edited", won_by(reason, result))
        expect(page.locator("main")).to_contain_text(text)


def test_card_of_phone_says_why_match_ended(show: Show) -> None:
    page = show("phone", won_by(EndReason.HOLDER), "ended")
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="My match").click()
    text = "Four in a row for both: North Hall held the token"
    expect(page.get_by_role("dialog")).to_contain_text(text)


@pytest.mark.parametrize(
    ("scripted", "step", "text", "flare"),
    [
        (BOTH_WIN, "both", "Four in a row for both", None),
        (BOTH_WIN, "lines", "Four in a row for both: North Hall held the token and wins", "1"),
        (BOTH_IN_CONFLICT, "replay", None, "0"),
    ],
    ids=["lines", "verdict", "replay"],
)
def test_wall_lights_both_lines_then_the_token_until_the_replay(
    show: Show, scripted: ScriptedMatch, step: str, text: str | None, flare: str | None
) -> None:
    page = show("display", at_step(step, scripted), "reveal")
    if text:
        expect(page.locator(".caption")).to_have_text(text)
        expect(page.locator(".cabinet .light")).to_have_count(8 if flare else 4)
    if flare:
        expect(page.locator(".token .flare")).to_have_css("opacity", flare)


@pytest.mark.parametrize(("left_ms", "lights"), [(12_000, 0), (4_900, 1)])
def test_clock_lights_up_in_the_last_five_seconds(show: Show, left_ms: int, lights: int) -> None:
    page = show("display", partial(MIDDLE.voting, left_ms=left_ms))
    assert page.locator(".clock .light").count() == lights


@pytest.mark.parametrize(
    ("admission", "text"),
    [("tickets", "You need your ticket"), ("roster", "You need your code from the class list")],
)
def test_lobby_shows_which_code_is_needed(show: Show, admission: str, text: str) -> None:
    page = show("display", with_options(ScriptedMatch(), admission=admission).lobby, "lobby")
    expect(page.locator(".needed")).to_have_text(text)


@pytest.mark.nightly
def test_arabic_text_begins_on_the_right_of_the_board(fake_gateway: FakeGateway, window: Page) -> None:
    show_scene("display", in_language(Scene("ended", THE_END.ended, "ended"), "ar"), window, fake_gateway)
    text, board = (window.locator(part).bounding_box() for part in (".end", ".dock"))
    assert text
    assert board
    assert text["x"] > board["x"] + board["width"]


@pytest.mark.parametrize(
    ("screen", "selector", "text"),
    [("display", ".caption", "The result is delayed"), ("phone", ".sentence", "How both teams voted")],
)
def test_late_reveal_begins_when_it_arrives(
    show: Show, fake_gateway: FakeGateway, screen: str, selector: str, text: str
) -> None:
    page = show(screen, MIDDLE.sealed, "sealed")
    late = MIDDLE.play(4, 5)
    fake_gateway.announce(screen, "turn.revealed", partial(late.reveal, step="lines", slower=2))
    expect(page.locator(selector)).to_have_text(text)
    at_phase(page, "reveal")


@pytest.mark.parametrize(("screen", "numbers"), [("display", ".footer"), ("phone", ".clock")])
def test_screens_show_talk_time_left_and_no_votes(show: Show, screen: str, numbers: str) -> None:
    page = show(screen, TALK_HELD, "paused")
    expect(page.locator(numbers)).to_contain_text(re.compile(r"\b9\b"))
    expect(page.locator("[data-turnout]")).to_have_count(0)


@pytest.mark.parametrize(
    ("query", "numbers"), [("?home=yellow", "1234567"), ("?home=yellow&side=back", "7654321")]
)
def test_home_display_mirrors_board_only_on_back_side(show: Show, query: str, numbers: str) -> None:
    page = show("display", MIDDLE.voting, query=query)
    expect(page.locator('.team[data-place="0"] h2')).to_have_text(NAMES[1])
    plates = page.locator(".plate text")
    places = [(plate.bounding_box() or {"x": 0.0})["x"] for plate in plates.all()]
    shown = sorted(zip(places, plates.all_text_contents(), strict=True))
    assert "".join(text for _, text in shown) == numbers


def test_home_display_addresses_own_team_as_you(show: Show) -> None:
    page = show("display", at_step("picks", MIDDLE), "reveal", query="?home=yellow")
    expect(page.locator(".choice .said")).to_have_text(["You chose", "The others chose"])
    page = show("display", ended(THE_END), "ended", query="?home=red")
    expect(page.locator(".end")).to_contain_text("You win in 12 turns")
    page = show("display", ended(THE_END), "ended", query="?home=yellow")
    expect(page.locator(".end")).to_contain_text("wins in 12 turns")
    expect(page.locator(".end")).not_to_contain_text("You win")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("?home=red")


def test_display_updates_votes_per_second_in_place(show: Show, fake_gateway: FakeGateway) -> None:
    page = show("display", MIDDLE.voting)
    rate = page.locator("[data-rate]")
    expect(rate).to_have_text(f"· {TURNOUT['votes_per_s']} votes/s")
    before = page.locator(OTHER_PARTS).evaluate_all(BOXES_JS)
    for number, text in ((1234, "· 1,234 votes/s"), (1, "· 1 vote/s")):
        figures = BoxFigures(changed=2345)
        counted = TurnoutCounted(turn=MIDDLE.turn_id, figures=figures, **TURNOUT | {"votes_per_s": number})
        fake_gateway.say("display", counted)
        expect(rate).to_have_text(text)
        expect(page.locator("[data-changed]")).to_have_text("· 2,345 changed")
        assert page.locator(OTHER_PARTS).evaluate_all(BOXES_JS) == before


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        pytest.param(with_options(MIDDLE, hidden=("turnout",)).voting, "voting", id="turnout"),
        pytest.param(with_options(MIDDLE, peek=True).voting, "voting", id="peek"),
        pytest.param(MIDDLE.paused, "paused", id="paused"),
    ],
)
def test_display_hides_votes_per_second(show: Show, state: State, phase: str) -> None:
    page = show("display", state, phase)
    expect(page.locator(".footer")).to_be_visible()
    expect(page.locator("[data-rate]")).to_have_count(0)


def test_wall_demonstrates_three_steps_with_reduced_motion(show: Show, window: Page) -> None:
    window.emulate_media(reduced_motion="reduce")
    page = show("display", ScriptedMatch().lobby, "lobby")
    for caption in CAPTIONS:
        expect(page.locator(".captions [data-shown=true]")).to_have_text(caption, timeout=30_000)
    expect(page.locator(".demonstration .light")).to_have_count(4)
    expect(page.locator(".qr")).to_be_visible()


def test_wall_announces_special_rules_until_first_turn_opens(show: Show, fake_gateway: FakeGateway) -> None:
    page = show("display", with_options(ScriptedMatch(), game="trails", **RULES).lobby, "lobby")
    expect(page.locator(".special-rules li")).to_have_count(len(RULES["special_rules"]))
    expect(page.get_by_text("A team can vote to give up.")).to_be_visible()
    page = show("display", partial(SPECIAL.voting, left_ms=BEFORE_FIRST_TURN_MS))
    expect(page.locator(".rules-over-board li")).to_have_count(len(RULES["special_rules"]))
    fake_gateway.announce("display", "turn.moved", SPECIAL.voting)
    expect(page.locator(".rules-over-board")).to_have_count(0)


def test_phone_announces_special_rules_until_first_turn_opens(show: Show, fake_gateway: FakeGateway) -> None:
    page = show("phone", SPECIAL.lobby, "lobby")
    link = page.get_by_role("link", name="Rules")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("href", "/rules/simultaneous-captains-mistress")
    rule = page.get_by_text("A team can vote to give up.")
    expect(rule).to_be_visible()
    before = partial(SPECIAL.voting, left_ms=BEFORE_FIRST_TURN_MS)
    fake_gateway.announce("phone", "match.started", before)
    at_phase(page, "waiting")
    expect(rule).to_be_visible()
    fake_gateway.announce("phone", "turn.moved", SPECIAL.voting)
    at_phase(page, "voting")
    expect(rule).to_have_count(0)


FIGURE_FAULTS_JS = """() => {
  const box = (element) => element.getBoundingClientRect();
  const bars = [...document.querySelectorAll(".bars .votes")]
    .filter((bar) => bar.querySelector("text").textContent);
  const figures = bars.map((bar) => box(bar.querySelector("text")));
  const covered = [...figures, ...bars.map((bar) => box(bar.querySelector("rect")))];
  const meet = (one, other, by) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > by
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > by;
  const faults = [];
  if (figures.length < 4) faults.push("a figure is missing");
  figures.forEach((figure, index) => {
    const bar = box(bars[index].querySelector("rect"));
    if (figure.left > bar.right || figure.right < bar.left) faults.push("beside its bar");
    if (Math.abs(figure.bottom - bar.top) > 20) faults.push("not on its bar");
    const others = figures.filter((other) => other !== figure);
    if (others.some((other) => meet(figure, other, 1))) faults.push("over another figure");
  });
  for (const ball of document.querySelectorAll(".falling"))
    if (covered.some((one) => meet(box(ball), one, 3))) faults.push("behind a ball");
  return faults;
}"""


@pytest.mark.parametrize("scripted", [CONFLICT, script_match((5, 4))], ids=["conflict", "adjacent"])
def test_figures_stand_on_their_own_bars(show: Show, window: Page, scripted: ScriptedMatch) -> None:
    window.set_viewport_size(PROJECTOR)
    page = show("display", at_step("picks", scripted), "reveal")
    expect(page.locator(".choice")).to_have_count(2)
    assert page.evaluate(FIGURE_FAULTS_JS) == []


CROWD_WORDS = re.compile(r"\b(votes?|voted|voting|teams?|crowd|alone)\b", re.IGNORECASE)
DUEL_REVEALS = reveals({"duel": as_duel(MIDDLE)}, "sealed", "votes", "picks")
# What a screen reader announces, and what is folded away.
UNSEEN_JS = """() => [
  ...[...document.querySelectorAll("[aria-label]")].map((part) => part.getAttribute("aria-label")),
  ...[...document.querySelectorAll("details")].map((part) => part.textContent.trim()),
]"""
DUEL_SCENES: list[Any] = [
    pytest.param(screen, scene, id=f"{screen}-{scene.name}")
    for screen, scenes in (
        ("phone", (*PHONE_DUELS, *DUEL_REVEALS)),
        ("display", (*DISPLAY_DUELS, DUEL_REVEALS[0])),
    )
    for scene in scenes
]


@pytest.mark.parametrize(("screen", "scene"), DUEL_SCENES)
def test_game_for_two_has_no_crowd_words(
    fake_gateway: FakeGateway, window: Page, screen: str, scene: Scene
) -> None:
    show_scene(screen, scene, window, fake_gateway)
    shown = [line.text for line in visible_lines(window)]
    assert shown
    assert [line for line in shown + window.evaluate(UNSEEN_JS) if CROWD_WORDS.search(line)] == []
