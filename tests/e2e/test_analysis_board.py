import json
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.page_checks import axe_violations
from tests.e2e.page_visits import WON
from tests.e2e.screens import SMALL_PHONE, OpenScreen
from tests.server import Server

COUNT_POLLS_JS = """window.polls = 0;
const fetchNow = fetch;
window.fetch = (url, ...rest) => {
  polls += url.endsWith("live.json");
  return fetchNow(url, ...rest);
};"""


def test_reader_tries_other_columns_and_returns_to_the_match(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", options={"token": "red"})
    server.ask("play_to", event_id=event["id"], picks=WON)
    page = open_at(SMALL_PHONE, f"/report/{event['code']}/1").page
    page.get_by_role("button", name="Last turn").click()
    page.locator("#turn-4").get_by_role("link", name="Try other columns").click()
    expect(page.get_by_role("status")).to_have_text("After turn 3")
    value = page.locator(".value")
    expect(value).to_contain_text("Winning chance of Rooks: ")
    expect(value).to_have_attribute("aria-busy", "false")
    assert not axe_violations(page, "analysis board")
    _pick(page, "Rooks", 4)
    _pick(page, "Doves", 1)
    expect(page.get_by_role("status")).to_have_text("After turn 4, not as played")
    assert page.evaluate("document.activeElement.textContent") == "After turn 4, not as played"
    expect(page.locator('.cabinet [data-cell="1,4"]')).to_have_attribute("data-owner", "yellow")
    page.get_by_role("button", name="Back to the match").click()
    expect(page.get_by_role("status")).to_have_text("After turn 3")
    assert page.evaluate("document.activeElement.textContent") == "After turn 3"
    page.keyboard.press("Shift+ArrowRight")
    expect(page.get_by_role("status")).to_have_text("After turn 3")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".explorer .end")).to_have_text("Rooks wins")
    server.ask("play_to", event_id=event["id"], picks=WON[:1])
    expect(page.get_by_role("button", name="First turn")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".note")).to_contain_text("People are voting on this position", timeout=15_000)
    expect(value).to_have_count(0)
    page.keyboard.press("Home")
    expect(value).to_contain_text("≈")


def _pick(page: Page, team: str, column: int) -> None:
    page.get_by_role("group", name=team).get_by_role("button").nth(column - 1).click()


@pytest.mark.nightly
def test_page_is_small_without_the_weights(won: str, open_at: OpenScreen) -> None:
    page = open_at(SMALL_PHONE).page
    sizes: dict[str, int] = {}
    page.on("requestfinished", lambda done: sizes.update({done.url: done.sizes()["responseBodySize"]}))
    with page.expect_event("requestfinished", lambda done: ".wasm" in done.url):
        page.goto(f"/report/{won}/1/board")
    expect(page.locator(".value")).to_contain_text("Winning chance")
    assert sum(size for url, size in sizes.items() if not url.endswith(".gz")) <= 60_000, sizes


@pytest.mark.nightly
def test_page_polls_less_often_until_it_is_used_again(won: str, open_at: OpenScreen) -> None:
    page = open_at(SMALL_PHONE).page
    page.add_init_script(COUNT_POLLS_JS)
    page.clock.install()
    page.goto(f"/report/{won}/1/board")
    expect(page.get_by_role("status")).to_be_visible()
    page.clock.run_for(5 * 60_000)
    assert page.evaluate("polls") >= 100
    page.evaluate("polls = 0")
    page.clock.run_for(5 * 60_000)
    assert page.evaluate("polls") == 5
    with page.expect_request("**/live.json"):
        page.keyboard.press("Home")


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
    assert not axe_violations(page, "puzzle")
    cells = page.locator(".cabinet [data-owner]")
    puzzle_cells = cells.evaluate_all("found => found.map((cell) => cell.outerHTML)")
    page.keyboard.press("Home")
    assert cells.evaluate_all("found => found.map((cell) => cell.outerHTML)") == puzzle_cells


@pytest.mark.nightly
@pytest.mark.parametrize("is_right", [True, False])
def test_column_chosen_by_keyboard_is_explained(server: Server, open_at: OpenScreen, is_right: bool) -> None:
    puzzle = find(server, "win")
    page = open_at(SMALL_PHONE, f"/puzzles/{puzzle['number']}").page
    group = page.get_by_role("group", name="Your column")
    expect(group).to_be_visible()
    assert not axe_violations(page, "puzzle")
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


@pytest.mark.nightly
def test_mix_is_explained_by_what_it_guarantees(server: Server, open_at: OpenScreen) -> None:
    puzzle = find(server, "mix")
    page = open_at(SMALL_PHONE, f"/puzzles/{puzzle['number']}").page
    page.locator(".mixes button").nth(puzzle["answer"] % 4).click()
    expect_explained(page, "Not quite.", "The best mix has")


@pytest.mark.nightly
def test_phone_in_the_lobby_leads_to_the_puzzle_of_the_day(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    page = open_at(SMALL_PHONE, f"/{event['code']}").page
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Warm up with a puzzle").click()
    expect(opened.value.get_by_role("heading", name="Puzzle of the day")).to_be_visible()
