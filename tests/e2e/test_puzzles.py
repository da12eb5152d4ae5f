"""`/puzzles` in a browser: an answer by keyboard, its explanation, the next puzzle, and the way there."""

import json
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import axe
from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import SMALL_PHONE
from tests.server import Server

pytestmark = pytest.mark.nightly


def find(server: Server, kind: str) -> dict[str, Any]:
    for number in range(1, 100):
        with urlopen(f"{server.http}/puzzles/{number}.json") as answer:  # noqa: S310
            puzzle: dict[str, Any] = json.loads(answer.read())
        if puzzle["kind"] == kind:
            return puzzle
    raise AssertionError(kind)


def expect_explained(page: Page, verdict: str, explanation: str) -> None:
    expect(page.locator(".page .verdict")).to_have_text(verdict)
    assert page.evaluate("document.activeElement.textContent") == verdict
    expect(page.locator(".explained")).to_contain_text(explanation)
    expect(page.locator(".value")).to_contain_text("exact")
    assert not axe.check(page, "puzzle")
    cells = page.locator(".cabinet [data-owner]")
    puzzle_cells = cells.evaluate_all("found => found.map((cell) => cell.outerHTML)")
    page.keyboard.press("Home")
    assert cells.evaluate_all("found => found.map((cell) => cell.outerHTML)") == puzzle_cells


@pytest.mark.parametrize("is_right", [True, False])
def test_column_is_chosen_by_keyboard_and_explained(
    server: Server, open_at: OpenScreen, is_right: bool
) -> None:
    puzzle = find(server, "win")
    page = open_at(SMALL_PHONE, f"/puzzles/{puzzle['number']}").page
    group = page.get_by_role("group", name="Your column")
    expect(group).to_be_visible()
    assert not axe.check(page, "puzzle")
    answer = group.get_by_role("button", name=f"Column {puzzle['answer']}")
    if not is_right:
        answer = group.locator("button:not([disabled])").filter(has_not_text=str(puzzle["answer"])).first
    with page.expect_response(f"**/puzzles/{puzzle['number']}/answer") as counted:
        answer.press("Enter")
    assert counted.value.status == 204
    if is_right:
        expect_explained(page, "Right!", "It wins for certain")
    else:
        expect_explained(page, "Not quite.", f"The answer is column {puzzle['answer']}.")
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.locator(".eyebrow")).to_contain_text(f"Puzzle {puzzle['number'] + 1}")


def test_mix_is_explained_by_what_it_guarantees(server: Server, open_at: OpenScreen) -> None:
    puzzle = find(server, "mix")
    page = open_at(SMALL_PHONE, f"/puzzles/{puzzle['number']}").page
    page.locator(".mixes button").nth(puzzle["answer"] % 4).click()
    expect_explained(page, "Not quite.", "The best mix has")


def test_phone_in_the_lobby_leads_to_the_puzzle_of_the_day(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    page = open_at(SMALL_PHONE, f"/{event['code']}").page
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Warm up with a puzzle").click()
    expect(opened.value.get_by_role("heading", name="Puzzle of the day")).to_be_visible()
