"""The organizer's pages and the public pages of a running stack, by name, each in a relevant state."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect

from deploy.laptop.stack import Stack
from deploy.laptop.startup import collect_static
from tests.e2e.screens import TIMEOUT_MS
from tests.server import Server, running_server

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
CONSENT = "We take pictures of the hall for the school's newspaper.\nQuestions: Ada, at the desk by the door."
Event = dict[str, Any]
Prepare = Callable[[Server, Event], None]
Action = Callable[[Page], None]
TABLET, DESKTOPS, TABLET_AND_PHONE = ("tablet",), ("tablet", "desk"), ("tablet", "320")
BIG_SCREENS, PHONE_FRAMES = ("16x9", "4x3"), ("430", "320")
PLAYED = [(4, 4), (3, 5), (4, 3), (5, 3)]
WON = [(1, 2), (1, 3), (1, 5), (1, 6)]


@dataclass(frozen=True, slots=True)
class Visit:
    """`by`: who is logged in. `phase`: the final `data-phase` of a console's body.

    `frames`: the sizes of its screenshots, by their marks in `tests.e2e.gallery`.
    """

    name: str
    path: str
    by: Literal["owner", "viewer", "superuser", "moderator", "nobody"] = "owner"
    choices: dict[str, Any] = field(default_factory=lambda: {"lobby": "open"})
    prepare: Prepare | None = None
    action: Action | None = None
    phase: str = ""
    frames: tuple[str, ...] = TABLET

    def in_language(self, language: str) -> "Visit":
        """The page in another language. Its event stays in English."""
        return replace(self, path=f"{self.path}{'&' if '?' in self.path else '?'}locale={language}")


@contextmanager
def running_server_with_static(data: Path) -> Iterator[Server]:
    """Run a stack with collected static files."""
    collect_static(Stack(data=data, secret_key="of the tests", port=0))
    with running_server(data) as server:
        yield server


def visit(visited: Visit, page: Page, server: Server, given: Event | None = None) -> Event:
    """Open the page; return its event, which is created if none is given."""
    event = given or prepare_event(visited, server)
    if visited.by != "nobody":
        sign_in(
            page,
            server,
            event.get("owner", f"{visited.name}-{visited.by}"),
            superuser=visited.by == "superuser",
        )
    page.goto(server.http + visited.path.format(**event))
    if visited.action:
        visited.action(page)
    if visited.phase:
        expect(page.locator("body")).to_have_attribute("data-phase", visited.phase, timeout=TIMEOUT_MS)
    return event


def prepare_event(visited: Visit, server: Server) -> Event:
    event: Event = server.ask("event", owner=f"{visited.name}-owner", **visited.choices)
    if visited.prepare:
        visited.prepare(server, event)
    return event


def sign_in(page: Page, server: Server, name: str, superuser: bool = False) -> None:
    key, _, value = server.ask("session", name=name, superuser=superuser).partition("=")
    page.context.add_cookies([{"name": key, "value": value, "url": server.http}])


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


def play_to(*picks: tuple[int, int]) -> Prepare:
    """Play these picks, then open the next window."""
    return lambda server, event: server.ask(
        "play_to", event_id=event["id"], picks=[list(pick) for pick in picks]
    )


def pause_turn(page: Page) -> None:
    page.locator('[data-action="turn.pause"]').first.click(timeout=TIMEOUT_MS)


def press_help(page: Page) -> None:
    page.locator("[data-action]").first.wait_for()
    page.keyboard.press("?")


def restrict_two_voters(page: Page) -> None:
    """Move one student to the other team and ban another, whose row stays open."""
    for name, action in (("Ada", "voter.move"), ("Dora", "voter.ban")):
        row = page.locator("#people li").filter(has_text=name)
        row.locator("summary").click(timeout=TIMEOUT_MS)
        row.locator(f'[data-action="{action}"]').last.click()
        expect(row.locator("[data-restricted=true]")).to_be_visible(timeout=TIMEOUT_MS)


def rehearse(page: Page) -> None:
    page.get_by_label("Simulated phones").fill("6")
    page.keyboard.press("Enter")
    expect(page.get_by_text("6 of 6")).to_be_visible(timeout=TIMEOUT_MS)


def claim_team(page: Page) -> None:
    """Claim the team that plays next on this phone."""
    page.locator("[data-team='3'] .choose").click()


def abort_match(server: Server, event: Event) -> None:
    play_to(*PLAYED)(server, event)
    server.ask("abort_all_matches")


def with_tickets(server: Server, event: Event) -> None:
    server.ask("tickets", event_id=event["id"], count=12)


def with_roster(server: Server, event: Event) -> None:
    server.ask("roster", event_id=event["id"], text=NAMES)


def with_members(server: Server, event: Event) -> None:
    for name, role in (("carl", "cohost"), ("dora", "viewer")):
        server.ask("member", event_id=event["id"], name=name, role=role)


def as_viewer(server: Server, event: Event) -> None:
    play_to(*PLAYED)(server, event)
    server.ask("member", event_id=event["id"], name="console-viewer-viewer", role="viewer")


def by_hands(server: Server, event: Event) -> None:
    server.ask("vote_by_hands", event_id=event["id"], teams=[2])
    play_to(*PLAYED)(server, event)


def with_cup(kind: str, teams: int, won: list[int]) -> Prepare:
    """Store the cup's code as `event["cup"]`."""

    def prepare(server: Server, event: Event) -> None:
        event["cup"] = server.ask("cup", event_id=event["id"], teams=CUP_TEAMS[:teams], won=won, format=kind)

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


TICKETS = {"lobby": "open", "admission": "tickets"}
ROSTER = {"lobby": "open", "admission": "roster"}
SLOW = {"lobby": "open", "window_s": 90}

PUBLIC = (
    Visit("login", "/console/login/", by="nobody", frames=TABLET_AND_PHONE),
    Visit("login-wrong", "/console/login/", by="nobody", action=partial(fail_to_log_in, tries=1)),
    Visit("login-locked", "/console/login/", by="nobody", action=fail_to_log_in),
    Visit("privacy", "/privacy", by="nobody", frames=TABLET_AND_PHONE),
    Visit(
        "privacy-event",
        "/privacy/{code}",
        by="nobody",
        choices={"consent": CONSENT},
        frames=TABLET_AND_PHONE,
    ),
    Visit("not-found", "/nothing/is/here", by="nobody"),
    Visit("display-unknown", "/display/ZZZZ", by="nobody", frames=BIG_SCREENS),
    Visit("phone-code", "/", by="nobody", frames=PHONE_FRAMES),
    Visit("report", "/report/{code}/1", by="nobody", prepare=play_to(*WON), frames=TABLET_AND_PHONE),
    Visit("rules", "/rules", by="nobody", frames=TABLET_AND_PHONE),
    Visit("about", "/about", by="nobody", frames=TABLET_AND_PHONE),
    Visit("board-editor", "/board?turns=44-35", by="nobody", frames=TABLET_AND_PHONE),
    Visit("play", "/play/", by="nobody", prepare=with_duel_lists, frames=(*TABLET_AND_PHONE, "desk")),
    Visit("play-more", "/play/", by="nobody", action=expand_details, frames=TABLET_AND_PHONE),
    Visit("play-invited", "/play/{duel}", by="nobody", prepare=with_duels, frames=TABLET_AND_PHONE),
    Visit("play-game", "/play/{played}", by="nobody", prepare=with_chat, frames=TABLET_AND_PHONE),
    Visit(
        "play-message",
        "/play/chat/lobby/{message}",
        by="superuser",
        prepare=with_chat,
        frames=TABLET_AND_PHONE,
    ),
    Visit("play-reports", "/play/chat/reports", by="superuser", prepare=with_chat, frames=TABLET_AND_PHONE),
    Visit("play-crowd", "/play/{crowd}", by="nobody", prepare=with_crowd, frames=TABLET_AND_PHONE),
    Visit("play-ratings", "/play/ratings", by="nobody", prepare=with_duels, frames=TABLET_AND_PHONE),
    Visit("play-login", "/play/login", by="nobody", frames=TABLET_AND_PHONE),
    Visit(
        "play-found",
        "/play/?q=nobody+of+that+name",
        by="nobody",
        prepare=with_duels,
        frames=TABLET_AND_PHONE,
    ),
    Visit("play-all", "/play/all/finished", by="nobody", prepare=with_duels, frames=TABLET_AND_PHONE),
)
ORGANIZERS = (
    Visit("events", "/console/", prepare=play_to(*PLAYED), frames=DESKTOPS),
    Visit("events-none", "/console/", by="viewer"),
    Visit("new", "/console/new/"),
    Visit("new-form", "/console/new/empty/", action=expand_details),
    Visit("new-form-hands", "/console/new/show-of-hands/"),
    Visit("new-refused", "/console/new/empty/", action=submit_duplicate_names),
    Visit("members", "/console/{code}/members/", prepare=with_members),
    Visit("change", "/console/{code}/edit/"),
    Visit("again", "/console/{code}/again/", prepare=play_to(*WON)),
    Visit("delete", "/console/{code}/delete/"),
    Visit("tickets-none", "/console/{code}/tickets/", choices=TICKETS),
    Visit("tickets", "/console/{code}/tickets/", choices=TICKETS, prepare=with_tickets),
    Visit("tickets-print", "/console/{code}/tickets/print/", choices=TICKETS, prepare=with_tickets),
    Visit("roster", "/console/{code}/tickets/", choices=ROSTER, prepare=with_roster),
    Visit("roster-print", "/console/{code}/tickets/print/", choices=ROSTER, prepare=with_roster),
)
CONSOLES = (
    Visit("console-closed", "/console/{code}/", choices={}, phase="lobby"),
    Visit("console-lobby", "/console/{code}/", phase="lobby", frames=DESKTOPS),
    Visit(
        "console-voting",
        "/console/{code}/",
        "owner",
        SLOW,
        play_to(*PLAYED),
        phase="voting",
        frames=DESKTOPS,
    ),
    Visit("console-help", "/console/{code}/", "owner", SLOW, play_to(*PLAYED), press_help, "voting"),
    Visit(
        "console-people",
        "/console/{code}/",
        "owner",
        ROSTER,
        with_roster,
        restrict_two_voters,
        "lobby",
        DESKTOPS,
    ),
    Visit(
        "console-paused",
        "/console/{code}/",
        choices=SLOW,
        prepare=play_to(*PLAYED),
        action=pause_turn,
        phase="paused",
    ),
    Visit(
        "console-peek",
        "/console/{code}/",
        choices=SLOW | {"peek": True},
        prepare=play_to(*PLAYED),
        phase="voting",
    ),
    Visit("console-hands", "/console/{code}/", choices=SLOW, prepare=by_hands, phase="voting"),
    Visit("console-viewer", "/console/{code}/", "viewer", SLOW, as_viewer, phase="voting"),
    Visit("console-ended", "/console/{code}/", prepare=play_to(*WON), phase="ended", frames=DESKTOPS),
    Visit("console-aborted", "/console/{code}/", choices=SLOW, prepare=abort_match, phase="lobby"),
)
ADMIN = (
    Visit("admin", "/admin/", by="superuser"),
    Visit("admin-events", "/admin/voting/event/", by="superuser"),
    Visit("admin-audit", "/admin/events/auditentry/", by="superuser"),
)
BRACKET, LEAGUE = with_cup("knockout", 8, [1, 2, 1]), with_cup("league", 5, [1, 2, 1, 1])
CUPS = (
    Visit("cup-new", "/console/cups/new/"),
    Visit("cup-console", "/console/cups/{cup}/", prepare=BRACKET),
    Visit("cup-league", "/console/cups/{cup}/", prepare=LEAGUE),
    Visit("cup-board", "/cup/{cup}", by="nobody", prepare=BRACKET, frames=(*BIG_SCREENS, *PHONE_FRAMES)),
    Visit(
        "cup-board-league", "/cup/{cup}", by="nobody", prepare=LEAGUE, frames=(*BIG_SCREENS, *PHONE_FRAMES)
    ),
    Visit("cup-board-ours", "/cup/{cup}", "nobody", prepare=BRACKET, action=claim_team, frames=PHONE_FRAMES),
)
# Not checked with axe, which reports Django's own admin form.
GALLERY_ONLY = (Visit("admin-event", "/admin/voting/event/{id}/change/", by="superuser"),)
PAGES = (*PUBLIC, *ORGANIZERS, *CONSOLES, *CUPS, *ADMIN)
