"""A display with a home team: that team is on the left and addressed as "you"; the board is unchanged."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import MIDDLE, THE_END, Scene, at_step, ended, show_scene
from tests.e2e.screens import TIMEOUT_MS
from tests.e2e.scripted_match import NAMES

NUMBERS = ".plate text"


@pytest.mark.parametrize(
    ("query", "numbers"), [("?home=yellow", "1234567"), ("?home=yellow&side=back", "7654321")]
)
def test_home_display_mirrors_board_only_on_back_side(
    window: Page, fake_gateway: FakeGateway, query: str, numbers: str
) -> None:
    show_scene("display", Scene("", MIDDLE.voting, "voting", query=query), window, fake_gateway)
    expect(window.locator('.team[data-place="0"] h2')).to_have_text(NAMES[1])
    plates = [(plate.bounding_box() or {"x": 0.0})["x"] for plate in window.locator(NUMBERS).all()]
    shown = "".join(
        text for _, text in sorted(zip(plates, window.locator(NUMBERS).all_text_contents(), strict=True))
    )
    assert shown == numbers


def test_home_display_addresses_own_team_as_you(window: Page, fake_gateway: FakeGateway) -> None:
    show_scene(
        "display", Scene("", at_step("picks", MIDDLE), "reveal", query="?home=yellow"), window, fake_gateway
    )
    expect(window.locator(".choice .said")).to_have_text(
        ["You chose", "The others chose"], timeout=TIMEOUT_MS
    )
    show_scene("display", Scene("", ended(THE_END), "ended", query="?home=red"), window, fake_gateway)
    expect(window.locator(".end")).to_contain_text("You win in 12 turns")
    show_scene("display", Scene("", ended(THE_END), "ended", query="?home=yellow"), window, fake_gateway)
    expect(window.locator(".end")).to_contain_text("wins in 12 turns")
    expect(window.locator(".end")).not_to_contain_text("You win")


def test_keyboard_help_mentions_home_display(window: Page, fake_gateway: FakeGateway) -> None:
    show_scene("display", Scene("", MIDDLE.voting, "voting"), window, fake_gateway)
    window.keyboard.press("?")
    expect(window.get_by_role("dialog")).to_contain_text("?home=red")
