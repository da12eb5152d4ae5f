"""States of an event and actions on a page, for pictures and tests of pages."""

from collections.abc import Callable
from functools import cache
from typing import Any

from playwright.sync_api import Page, expect

from tests.server import Server

FAILED_LOGINS = 12
CUP_TEAMS = ["4a", "4b", "The Owls of Riverside", "Foxes", "5a", "5b", "Old Building", "6"]
CHAT_MESSAGES = (
    "Good evening!",
    "Anybody for a game of three days?",
    "I am new here. Does the token stay with whoever had it when both choose the same column?",
    "No, it changes hands.",
    "Buy cheap ballots at https://ballots.example/today",
)
NAMES = "Ada Lovelace, 1\nBea Potter, 2\nCarl Gauss, 1\nDora Maar, 2"
Event = dict[str, Any]
Prepare = Callable[[Server, Event], None]
Action = Callable[[Page], None]
PLAYED = [(4, 4), (3, 5), (4, 3), (5, 3)]


def click(selector: str) -> Action:
    return lambda page: page.locator(selector).first.click()


def submit_duplicate_names(page: Page) -> None:
    """Submit two teams with the same name."""
    for name in page.locator("[name=team_1], [name=team_2]").all():
        name.fill("Owls")
    page.locator("main form button, form.panel button").last.click()
    page.locator("[aria-invalid=true], .errorlist, .error").first.wait_for()


def expand_details(page: Page) -> None:
    """Open all collapsed parts of a form."""
    page.evaluate("() => document.querySelectorAll('details').forEach((part) => { part.open = true; })")


def fail_to_log_in(page: Page, tries: int = FAILED_LOGINS) -> None:
    """Fail to log in until the account is locked."""
    for _ in range(tries):
        if not page.locator("[name=password]").count():
            return
        page.locator("[name=login]").fill("nobody at all")
        page.locator("[name=password]").fill("wrong")
        with page.expect_navigation():
            page.keyboard.press("Enter")


def press_help(page: Page) -> None:
    page.locator("[data-action]").first.wait_for()
    page.keyboard.press("?")


def await_verdict(page: Page) -> None:
    """Wait until the page has verified a match."""
    page.locator(".verdict").wait_for()


def restrict_two_voters(page: Page) -> None:
    """Move one student to the other team and ban another, whose row stays open."""
    for name, action in (("Ada", "voter.move"), ("Dora", "voter.ban")):
        row = page.locator("#people li").filter(has_text=name)
        row.locator("summary").click()
        row.locator(f'[data-action="{action}"]').last.click()
        expect(row.locator("[data-restricted=true]")).to_be_visible()


def rehearse(page: Page) -> None:
    page.get_by_label("Simulated phones").fill("6")
    page.keyboard.press("Enter")
    expect(page.get_by_text("6 of 6")).to_be_visible()


def preview_roster(page: Page) -> None:
    page.locator("#id_names").fill(NAMES)
    page.locator("[value=roster]").click()
    expect(page.locator("[value=save]")).to_be_visible()


def ask(request: str, /, **arguments: Any) -> Prepare:
    return lambda server, event: server.ask(request, event_id=event["id"], **arguments)


def ask_all(*prepared: Prepare) -> Prepare:
    def prepare(server: Server, event: Event) -> None:
        for one in prepared:
            one(server, event)

    return prepare


@cache  # tests compare preparations
def play_to(*picks: tuple[int, int]) -> Prepare:
    """Play these picks, then open the next window."""
    return ask("play_to", picks=[list(pick) for pick in picks])


def abort_match(server: Server, event: Event) -> None:
    play_to(*PLAYED)(server, event)
    server.ask("abort_all_matches")


def with_cup(kind: str, teams: list[str], won: list[int]) -> Prepare:
    """Store the cup's code as `event["cup"]`."""

    def prepare(server: Server, event: Event) -> None:
        event["cup"] = server.ask("cup", event_id=event["id"], teams=teams, won=won, format=kind)

    return prepare


def with_duels(server: Server, event: Event) -> None:
    """Store the code of a waiting duel as `event["duel"]`."""
    event["duel"] = server.ask("duels")


def with_chat(server: Server, event: Event) -> None:
    """Store the id of a reported message as `event["message"]` and a duel with chat as `event["played"]`."""
    server.ask("clear_chat")
    for text in CHAT_MESSAGES:
        number = server.ask("post_chat_message", slug="lobby", text=text)
    server.ask("report_chat_message", line=number)
    event["message"] = number
    event["played"] = server.ask("duel")["code"]
    server.ask("post_chat_message", slug=f"{event['played']}-watchers", text="Red should take column 4")


def with_duel_lists(server: Server, event: Event) -> None:
    with_duels(server, event)
    with_chat(server, event)


def with_crowd(server: Server, event: Event) -> None:
    """Store the code of a duel against a crowd as `event["crowd"]`."""
    event["crowd"] = server.ask("against_crowd")["code"]
