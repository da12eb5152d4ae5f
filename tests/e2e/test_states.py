import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import scene_setup as setup
from tests.e2e.fake_gateway import TURNOUT, FakeGateway
from tests.e2e.page_checks import visible_lines
from tests.e2e.scenes import DISPLAY_DUELS, PHONE_DUELS, RULES
from tests.e2e.screens import PHONE, PROJECTOR
from tests.e2e.scripted_match import NAMES, ScriptedMatch, script_match
from tests.e2e.scripts import page_script
from voting.protocol import BoxFigures, TurnoutCounted
from voting.terms import EndReason

BOTH_IN_CONFLICT = script_match(*[(1, 5), (2, 6), (3, 7)] * 2, (4, 4))
SPECIAL = setup.with_options(ScriptedMatch(), **RULES)
BOXES_JS = "parts => parts.map(part => JSON.stringify(part.getBoundingClientRect()))"
CROWD_WORDS = re.compile(r"\b(votes?|voted|voting|teams?|crowd|alone)\b", re.IGNORECASE)
DUEL_REVEALS = setup.reveals({"duel": setup.as_duel(setup.MIDDLE)}, "sealed", "votes", "picks")


@pytest.mark.parametrize("screen", ["display", "phone"])
def test_screen_says_why_match_ended(show: setup.Show, fake_gateway: FakeGateway, screen: str) -> None:
    page = show(screen, setup.THE_END.ended, "ended")
    for reason, result, text in [
        (EndReason.LINE, "red", "Four in a row"),
        (EndReason.OTHER, "red", "Four in a row for both: South Hall held the token and loses"),
        (EndReason.FORFEIT, "red", "No votes from South Hall"),
        (EndReason.TIME, "red", "South Hall ran out of time"),
        (EndReason.RESIGN, "red", "South Hall gave up"),
        (EndReason.DESERTED, "red", "Everyone left South Hall"),
        (EndReason.FORFEIT, "draw", "Nobody voted"),
        (EndReason.TIME, "draw", "Both ran out of time"),
        (EndReason.RESIGN, "draw", "Both gave up"),
        (EndReason.FULL, "draw", "The board is full"),
        (EndReason.HOLDER, "red", "Four in a row for both: North Hall held the token"),
    ]:
        state = setup.with_match(setup.THE_END.ended, result=result, end_reason=reason)
        fake_gateway.announce(screen, "event.edited", state)
        expect(page.locator("main")).to_contain_text(text)
    if screen == "phone":
        page.set_viewport_size(PHONE)
        page.get_by_role("button", name="My match").click()
        expect(page.get_by_role("dialog")).to_contain_text(text)


@pytest.mark.parametrize(
    ("scripted", "step", "text", "flare"),
    [
        (setup.BOTH_WIN, "both", "Four in a row for both", None),
        (setup.BOTH_WIN, "lines", "Four in a row for both: North Hall held the token and wins", "1"),
        (BOTH_IN_CONFLICT, "replay", None, "0"),
    ],
    ids=["lines", "verdict", "replay"],
)
def test_wall_lights_both_lines_then_the_token_until_the_replay(
    show: setup.Show, scripted: ScriptedMatch, step: str, text: str | None, flare: str | None
) -> None:
    page = show("display", setup.at_step(step, scripted), "reveal")
    if text:
        expect(page.locator(".caption")).to_have_text(text)
        expect(page.locator(".cabinet .light")).to_have_count(8 if flare else 4)
    if flare:
        expect(page.locator(".token .flare")).to_have_css("opacity", flare)


def test_clock_lights_up_in_the_last_five_seconds(show: setup.Show) -> None:
    for left_ms, lights in ((12_000, 0), (4_900, 1)):
        page = show("display", partial(setup.MIDDLE.voting, left_ms=left_ms))
        assert page.locator(".clock .light").count() == lights


def test_lobby_shows_which_code_is_needed(show: setup.Show) -> None:
    for admission, text in (("tickets", "ticket"), ("roster", "code from the class list")):
        page = show("display", setup.with_options(ScriptedMatch(), admission=admission).lobby, "lobby")
        expect(page.locator(".needed")).to_have_text(f"You need your {text}")


@pytest.mark.nightly
def test_arabic_text_begins_on_the_right_of_the_board(fake_gateway: FakeGateway, window: Page) -> None:
    ended = setup.in_language(setup.Scene("ended", setup.THE_END.ended, "ended"), "ar")
    setup.show_scene("display", ended, window, fake_gateway)
    text, board = (window.locator(part).bounding_box() for part in (".end", ".dock"))
    assert text
    assert board
    assert text["x"] > board["x"] + board["width"]


@pytest.mark.parametrize(
    ("screen", "selector", "text"),
    [("display", ".caption", "The result is delayed"), ("phone", ".sentence", "How both teams voted")],
)
def test_late_reveal_begins_when_it_arrives(
    show: setup.Show, fake_gateway: FakeGateway, screen: str, selector: str, text: str
) -> None:
    page = show(screen, setup.MIDDLE.sealed, "sealed")
    late = setup.MIDDLE.play(4, 5)
    fake_gateway.announce(screen, "turn.revealed", partial(late.reveal, step="lines", slower=2))
    expect(page.locator(selector)).to_have_text(text)
    setup.at_phase(page, "reveal")


def test_home_display_addresses_own_team_as_you_and_mirrors_board_only_on_back_side(show: setup.Show) -> None:
    for query, numbers in (("?home=yellow", "1234567"), ("?home=yellow&side=back", "7654321")):
        page = show("display", setup.MIDDLE.voting, query=query)
        expect(page.locator('.team[data-place="0"] h2')).to_have_text(NAMES[1])
        plates = page.locator(".plate text")
        places = [(plate.bounding_box() or {"x": 0.0})["x"] for plate in plates.all()]
        shown = sorted(zip(places, plates.all_text_contents(), strict=True))
        assert "".join(text for _, text in shown) == numbers
    page = show("display", setup.at_step("picks", setup.MIDDLE), "reveal", query="?home=yellow")
    expect(page.locator(".choice .said")).to_have_text(["You chose", "The others chose"])
    page = show("display", setup.ended(setup.THE_END), "ended", query="?home=red")
    expect(page.locator(".end")).to_contain_text("You win in 12 turns")
    page = show("display", setup.ended(setup.THE_END), "ended", query="?home=yellow")
    expect(page.locator(".end")).to_contain_text("wins in 12 turns")
    expect(page.locator(".end")).not_to_contain_text("You win")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("?home=red")


def test_votes_per_second_change_in_place_unless_hidden(show: setup.Show, fake_gateway: FakeGateway) -> None:
    page = show("display", setup.MIDDLE.voting)
    rate, others = page.locator("[data-rate]"), page.locator(".footer .address, .cabinet, .clock")
    expect(rate).to_have_text(f"· {TURNOUT['votes_per_s']} votes/s")
    page.evaluate("() => document.fonts.ready")
    before = others.evaluate_all(BOXES_JS)
    for number, text in ((1234, "· 1,234 votes/s"), (1, "· 1 vote/s")):
        figures = BoxFigures(changed=2345)
        turnout = TURNOUT | {"votes_per_s": number}
        counted = TurnoutCounted(turn=setup.MIDDLE.turn_id, figures=figures, **turnout)
        fake_gateway.say("display", counted)
        expect(rate).to_have_text(text)
        expect(page.locator("[data-changed]")).to_have_text("· 2,345 changed")
        assert others.evaluate_all(BOXES_JS) == before
    for options in ({"hidden": ("turnout",)}, {"peek": True}):
        show("display", setup.with_options(setup.MIDDLE, **options).voting)
        expect(page.locator(".footer")).to_be_visible()
        expect(rate).to_have_count(0)
    show("display", setup.MIDDLE.paused, "paused")
    expect(page.locator(".footer")).to_be_visible()
    expect(rate).to_have_count(0)


@pytest.mark.parametrize("screen", ["display", "phone"])
def test_screen_announces_special_rules_until_the_first_turn(
    show: setup.Show, fake_gateway: FakeGateway, screen: str
) -> None:
    # The example in the display's lobby, which only the usual game has, shows the rules later.
    lobby = setup.with_options(SPECIAL, game="trails", **RULES) if screen == "display" else SPECIAL
    page = show(screen, lobby.lobby, "lobby")
    rule = page.get_by_text("A team can vote to give up.")
    expect(rule).to_be_visible()
    if screen == "phone":
        link = page.get_by_role("link", name="Rules")
        expect(link).to_have_attribute("target", "_blank")
        expect(link).to_have_attribute("href", "/rules/simultaneous-captains-mistress")
    fake_gateway.announce(screen, "match.started", partial(SPECIAL.voting, left_ms=60_000))
    expect(rule).to_be_visible()
    fake_gateway.announce(screen, "turn.moved", SPECIAL.voting)
    setup.at_phase(page, "voting")
    expect(rule).to_have_count(0)


@pytest.mark.parametrize("scripted", [setup.CONFLICT, script_match((5, 4))], ids=["conflict", "adjacent"])
def test_figures_stand_on_their_own_bars(show: setup.Show, window: Page, scripted: ScriptedMatch) -> None:
    window.set_viewport_size(PROJECTOR)
    page = show("display", setup.at_step("picks", scripted), "reveal")
    expect(page.locator(".choice")).to_have_count(2)
    assert page.evaluate(page_script("figure_faults")) == []


@pytest.mark.parametrize(
    ("screen", "scene"),
    [
        *[("phone", scene) for scene in (*PHONE_DUELS, *DUEL_REVEALS)],
        *[("display", scene) for scene in (*DISPLAY_DUELS, DUEL_REVEALS[0])],
    ],
    ids=lambda part: part if isinstance(part, str) else part.name,
)
def test_game_for_two_has_no_crowd_words(
    fake_gateway: FakeGateway, window: Page, screen: str, scene: setup.Scene
) -> None:
    setup.show_scene(screen, scene, window, fake_gateway)
    shown = [line.text for line in visible_lines(window)]
    assert shown
    assert [line for line in shown + window.evaluate(page_script("unseen")) if CROWD_WORDS.search(line)] == []
