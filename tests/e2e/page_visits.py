"""The organizer's pages and the public pages of a running stack, by name, each in a relevant state."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect

from tests.e2e.screens import sign_in
from tests.run_folder import static_files
from tests.server import Server, running_server

CONSENT = "We take pictures of the hall for the school's newspaper.\nQuestions: Ada, at the desk by the door."
TABLET, DESKTOPS, TABLET_AND_PHONE = ("tablet",), ("tablet", "desk"), ("tablet", "320")
BIG_SCREENS, PHONE_FRAMES = ("16x9", "4x3"), ("430", "320")
WON = [(1, 2), (1, 3), (1, 5), (1, 6)]
CUP_TEAMS = ["4a", "4b", "The Owls of Riverside", "Foxes", "5a", "5b", "Old Building", "6"]
CHAT_MESSAGES = (
    "Good evening!",
    "Anybody for a game of three days?",
    "I am new here. Does the token stay with whoever had it when both choose the same column?",
    "No, it changes hands.",
    "Buy cheap ballots at https://ballots.example/today",
)
OWN_TEXTS = (*CUP_TEAMS, *CHAT_MESSAGES, *CONSENT.splitlines())
NAMES = "Ada Lovelace, 1\nBea Potter, 2\nCarl Gauss, 1\nDora Maar, 2"
Event = dict[str, Any]
Prepare = Callable[[Server, Event], object]
Action = Callable[[Page], None]
PLAYED = [(4, 4), (3, 5), (4, 3), (5, 3)]


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
def running_server_with_static(data: Path, **options: Any) -> Iterator[Server]:
    """Run a stack with collected static files and one scheduler. `options` are fields of Stack."""
    (data / "static").symlink_to(static_files())
    with running_server(data, schedulers=1, **options) as server:
        yield server


def visit(visited: Visit, page: Page, server: Server) -> Event:
    event: Event = server.ask("event", owner=f"{visited.name}-owner", **visited.choices)
    if visited.prepare:
        visited.prepare(server, event)
    if visited.by != "nobody":
        sign_in(page, server, f"{visited.name}-{visited.by}", superuser=visited.by == "superuser")
    page.goto(server.http + visited.path.format(**event))
    if visited.action:
        visited.action(page)
    if visited.phase:
        expect(page.locator("body")).to_have_attribute("data-phase", visited.phase)
    return event


def click(selector: str) -> Action:
    return lambda page: page.locator(selector).first.click()


def wait_for(selector: str) -> Action:
    return lambda page: page.locator(selector).wait_for()


def submit_duplicate_names(page: Page) -> None:
    for name in page.locator("[name=team_1], [name=team_2]").all():
        name.fill("Owls")
    page.locator("main form button, form.panel button").last.click()
    page.locator("[aria-invalid=true], .errorlist, .error").first.wait_for()


def expand_details(page: Page) -> None:
    page.evaluate("() => document.querySelectorAll('details').forEach((part) => { part.open = true; })")


def fail_to_log_in(page: Page, tries: int = 12) -> None:
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
    return lambda server, event: [one(server, event) for one in prepared]


@cache  # tests compare preparations
def play_to(*picks: tuple[int, int]) -> Prepare:
    return ask("play_to", picks=[list(pick) for pick in picks])


def with_cup(kind: str, teams: list[str], won: list[int]) -> Prepare:
    """Store the cup's code as `event["cup"]`."""
    cup = {"teams": teams, "won": won, "format": kind}
    return lambda server, event: event.update(cup=server.ask("cup", event_id=event["id"], **cup))


def with_duels(server: Server, event: Event) -> None:
    """Store the codes of a waiting duel as `event["duel"]`, of one against a crowd as `event["crowd"]`."""
    event.update(duel=server.ask("duels"), crowd=server.ask("against_crowd")["code"])


def with_chat(server: Server, event: Event) -> None:
    """Store the id of a reported message as `event["message"]` and a duel with chat as `event["played"]`."""
    server.ask("clear_chat")
    for text in CHAT_MESSAGES:
        number = server.ask("post_chat_message", slug="lobby", text=text)
    server.ask("report_chat_message", line=number)
    event["message"] = number
    event["played"] = server.ask("duel")["code"]
    server.ask("post_chat_message", slug=f"{event['played']}-watchers", text="Red should take column 4")


with_duel_lists = ask_all(with_duels, with_chat)


TICKETS = {"lobby": "open", "admission": "tickets"}
ROSTER = {"lobby": "open", "admission": "roster"}
PREPARED, WITH_ROSTER = play_to(*PLAYED), ask("roster", text=NAMES)
MEMBERS = ask_all(ask("member", name="carl", role="cohost"), ask("member", name="dora", role="viewer"))
WITH_VIEWER = ask_all(PREPARED, ask("member", name="console-viewer-viewer", role="viewer"))
ABORTED = ask_all(PREPARED, lambda server, event: server.ask("abort_all_matches"))
BY_HANDS = ask_all(ask("vote_by_hands", teams=[2]), PREPARED)
PAUSE, CLAIM_TEAM = click('[data-action="turn.pause"]'), click("[data-team='3'] .choose")
SLOW = {"lobby": "open", "window_s": 90}


def public(name: str, path: str, frames: tuple[str, ...] = TABLET_AND_PHONE, **given: Any) -> Visit:
    return Visit(name, path, by="nobody", frames=frames, **given)


def console(name: str, phase: str, **given: Any) -> Visit:
    return Visit(name, "/console/{code}/", phase=phase, **given)


PUBLIC = (
    public("login", "/console/login/"),
    public("login-wrong", "/console/login/", TABLET, action=partial(fail_to_log_in, tries=1)),
    public("login-locked", "/console/login/", TABLET, action=fail_to_log_in),
    public("privacy", "/privacy"),
    public("accessibility", "/accessibility"),
    public("transparency-log", "/log"),
    public("privacy-event", "/privacy/{code}", choices={"consent": CONSENT}),
    public("not-found", "/nothing/is/here", TABLET),
    public("display-unknown", "/display/ZZZZ", BIG_SCREENS),
    public("phone-code", "/", PHONE_FRAMES),
    public("report", "/report/{code}/1", prepare=play_to(*WON)),
    public("verify", "/verify"),
    public("verify-match", "/verify?match={code}/1", prepare=play_to(*WON), action=wait_for(".verdict")),
    public("analysis-board", "/report/{code}/1/board", prepare=play_to(*WON)),
    public("puzzle", "/puzzles/1"),
    public("rules", "/rules"),
    public("about", "/about"),
    public("board-editor", "/board?turns=44-35"),
    public("play", "/play/", (*TABLET_AND_PHONE, "desk"), prepare=with_duel_lists),
    public("play-more", "/play/", action=expand_details),
    public("play-invited", "/play/{duel}", prepare=with_duels),
    public("play-game", "/play/{played}", prepare=with_chat),
    Visit("play-message", "/play/chat/lobby/{message}", "superuser", prepare=with_chat),
    Visit("play-reports", "/play/chat/reports", "superuser", prepare=with_chat),
    public("play-crowd", "/play/{crowd}", prepare=with_duels),
    public("play-ratings", "/play/ratings", prepare=with_duels),
    public("play-login", "/play/login"),
    public("play-found", "/play/?q=nobody+of+that+name", prepare=with_duels),
    public("play-all", "/play/all/finished", prepare=with_duels),
)
ORGANIZERS = (
    Visit("events", "/console/", prepare=play_to(*PLAYED), frames=DESKTOPS),
    Visit("events-none", "/console/", by="viewer"),
    Visit("new", "/console/new/"),
    Visit("new-form", "/console/new/empty/", action=expand_details),
    Visit("new-form-hands", "/console/new/show-of-hands/"),
    Visit("new-refused", "/console/new/empty/", action=submit_duplicate_names),
    Visit("members", "/console/{code}/members/", prepare=MEMBERS),
    Visit("change", "/console/{code}/edit/"),
    Visit("branding", "/console/{code}/branding/"),
    Visit("again", "/console/{code}/again/", prepare=play_to(*WON)),
    Visit("delete", "/console/{code}/delete/"),
    Visit("tickets-none", "/console/{code}/tickets/", choices=TICKETS),
    Visit("tickets", "/console/{code}/tickets/", choices=TICKETS, prepare=ask("tickets", count=12)),
    Visit("roster", "/console/{code}/tickets/", choices=ROSTER, prepare=WITH_ROSTER),
    Visit("roster-preview", "/console/{code}/tickets/", choices=ROSTER, action=preview_roster),
)
CONSOLES = (
    console("console-closed", "lobby", choices={}),
    console("console-lobby", "lobby", frames=DESKTOPS),
    console("console-voting", "voting", choices=SLOW, prepare=PREPARED, frames=DESKTOPS),
    console("console-help", "voting", choices=SLOW, prepare=PREPARED, action=press_help),
    console("console-people", "lobby", choices=ROSTER, prepare=WITH_ROSTER, action=restrict_two_voters),
    console("console-paused", "paused", choices=SLOW, prepare=PREPARED, action=PAUSE),
    console("console-peek", "voting", choices=SLOW | {"peek": True}, prepare=PREPARED),
    console("console-hands", "voting", choices=SLOW, prepare=BY_HANDS),
    console("console-viewer", "voting", by="viewer", choices=SLOW, prepare=WITH_VIEWER),
    console("console-ended", "ended", prepare=play_to(*WON), frames=DESKTOPS),
    console("console-aborted", "lobby", choices=SLOW, prepare=ABORTED),
)
ADMIN = (
    Visit("admin", "/admin/", by="superuser"),
    Visit("admin-events", "/admin/voting/event/", by="superuser"),
    Visit("admin-audit", "/admin/events/auditentry/", by="superuser"),
)
BRACKET = with_cup("knockout", CUP_TEAMS, [1, 2, 1])
LEAGUE = with_cup("league", CUP_TEAMS[:5], [1, 2, 1, 1])
CUPS = (
    Visit("cup-new", "/console/cups/new/"),
    Visit("cup-delete", "/console/cups/{cup}/delete/", prepare=BRACKET),
    Visit("cup-console", "/console/cups/{cup}/", prepare=BRACKET),
    Visit("cup-league", "/console/cups/{cup}/", prepare=LEAGUE),
    public("cup-board", "/cup/{cup}", (*BIG_SCREENS, *PHONE_FRAMES), prepare=BRACKET),
    public("cup-board-league", "/cup/{cup}", (*BIG_SCREENS, *PHONE_FRAMES), prepare=LEAGUE),
    public("cup-board-ours", "/cup/{cup}", PHONE_FRAMES, prepare=BRACKET, action=CLAIM_TEAM),
)
# Axe reports Django's own admin form. The action on the other page needs it in English.
GALLERY_ONLY = (
    Visit("admin-event", "/admin/voting/event/{id}/change/", by="superuser"),
    console("console-rehearsal", "lobby", action=rehearse, frames=DESKTOPS),
)
PAGES = (*PUBLIC, *ORGANIZERS, *CONSOLES, *CUPS, *ADMIN)
