"""The lobby explains the game on the wall and on phones, and sound is turned on for all displays."""

from functools import partial

from playwright.sync_api import Page, expect

from tests.e2e.display_scenes import RULES
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import Scene, at_phase, show_scene, with_options
from tests.e2e.scripted_match import ScriptedMatch

BEFORE_FIRST_TURN_MS = 60_000
SPECIAL = with_options(ScriptedMatch(), **RULES)
CAPTIONS = (
    "Both teams drop at once",
    "Same column: the token's holder drops first",
    "Then the token changes sides",
    "Four in a row wins",
)


def test_wall_demonstrates_three_steps_with_reduced_motion(fake_gateway: FakeGateway, window: Page) -> None:
    window.emulate_media(reduced_motion="reduce")
    show_scene("display", Scene("lobby", ScriptedMatch().lobby, "lobby"), window, fake_gateway)
    for caption in CAPTIONS:
        expect(window.locator(".captions [data-shown=true]")).to_have_text(caption, timeout=2 * 15_000)
    expect(window.locator(".demonstration .light")).to_have_count(4)
    expect(window.locator(".qr")).to_be_visible()


def test_wall_announces_special_rules_before_first_turn(fake_gateway: FakeGateway, window: Page) -> None:
    voting = partial(SPECIAL.voting, left_ms=BEFORE_FIRST_TURN_MS)
    show_scene("display", Scene("rules", voting, "voting"), window, fake_gateway)
    expect(window.locator(".rules-over-board li")).to_have_count(len(RULES["special_rules"]))
    opened = fake_gateway.change("turn.moved", SPECIAL.voting(fake_gateway.now()))
    fake_gateway.say("display", opened)
    expect(window.locator(".rules-over-board")).to_have_count(0)


def test_lobby_of_wall_announces_special_rules(fake_gateway: FakeGateway, window: Page) -> None:
    other_game = with_options(ScriptedMatch(), game="trails", **RULES)
    show_scene("display", Scene("lobby-rules", other_game.lobby, "lobby"), window, fake_gateway)
    expect(window.locator(".special-rules li")).to_have_count(len(RULES["special_rules"]))
    expect(window.get_by_text("A team can vote to give up.")).to_be_visible()


def test_phone_announces_special_rules_until_first_turn_opens(
    fake_gateway: FakeGateway, window: Page
) -> None:
    show_scene("phone", Scene("lobby", SPECIAL.lobby, "lobby"), window, fake_gateway)
    rule = window.get_by_text("A team can vote to give up.")
    expect(rule).to_be_visible()
    before = SPECIAL.voting(fake_gateway.now(), left_ms=BEFORE_FIRST_TURN_MS)
    fake_gateway.say("phone", fake_gateway.change("match.started", before))
    at_phase(window, "waiting")
    expect(rule).to_be_visible()
    opened = SPECIAL.voting(fake_gateway.now())
    fake_gateway.say("phone", fake_gateway.change("turn.moved", opened))
    at_phase(window, "voting")
    expect(rule).to_have_count(0)


def test_lobby_of_phone_links_to_the_rules(fake_gateway: FakeGateway, window: Page) -> None:
    show_scene("phone", Scene("lobby", SPECIAL.lobby, "lobby"), window, fake_gateway)
    link = window.get_by_role("link", name="Rules")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("href", "/rules/simultaneous-captains-mistress")


def test_sound_turned_on_for_all_starts_with_a_key_at_the_latest(
    fake_gateway: FakeGateway, window: Page
) -> None:
    show_scene("display", Scene("lobby", ScriptedMatch().lobby, "lobby"), window, fake_gateway)
    expect(window.locator(".sound")).to_have_attribute("data-sound", "off")
    loud = with_options(ScriptedMatch(), sound_on=True)
    fake_gateway.say("display", fake_gateway.change("event.edited", loud.lobby(fake_gateway.now())))
    expect(window.locator(".sound")).not_to_have_attribute("data-sound", "off")
    window.keyboard.press("Shift")
    expect(window.locator(".sound")).to_have_attribute("data-sound", "on")
