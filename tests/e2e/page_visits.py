"""The organizer's pages and the public pages of a running stack, by name, each in a relevant state."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect

from tests.e2e import page_states as do
from tests.e2e.page_states import CUP_TEAMS, NAMES, PLAYED, Action, Event, Prepare
from tests.run_folder import static_files
from tests.server import Server, running_server

CONSENT = "We take pictures of the hall for the school's newspaper.\nQuestions: Ada, at the desk by the door."
TABLET, DESKTOPS, TABLET_AND_PHONE = ("tablet",), ("tablet", "desk"), ("tablet", "320")
BIG_SCREENS, PHONE_FRAMES = ("16x9", "4x3"), ("430", "320")
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
def running_server_with_static(data: Path, **options: Any) -> Iterator[Server]:
    """Run a stack with collected static files and one scheduler. `options` are fields of Stack."""
    (data / "static").symlink_to(static_files())
    with running_server(data, schedulers=1, **options) as server:
        yield server


def visit(visited: Visit, page: Page, server: Server) -> Event:
    """Open the page of a new event; return the event."""
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


def sign_in(page: Page, server: Server, name: str, superuser: bool = False) -> None:
    key, _, value = server.ask("session", name=name, superuser=superuser).partition("=")
    page.context.add_cookies([{"name": key, "value": value, "url": server.http}])


TICKETS = {"lobby": "open", "admission": "tickets"}
ROSTER = {"lobby": "open", "admission": "roster"}
PREPARED, WITH_ROSTER = do.play_to(*PLAYED), do.ask("roster", text=NAMES)
MEMBERS = do.ask_all(
    *(do.ask("member", name=name, role=role) for name, role in (("carl", "cohost"), ("dora", "viewer")))
)
WITH_VIEWER = do.ask_all(PREPARED, do.ask("member", name="console-viewer-viewer", role="viewer"))
BY_HANDS = do.ask_all(do.ask("vote_by_hands", teams=[2]), PREPARED)
PAUSE, CLAIM_TEAM = do.click('[data-action="turn.pause"]'), do.click("[data-team='3'] .choose")
SLOW = {"lobby": "open", "window_s": 90}


def public(name: str, path: str, frames: tuple[str, ...] = TABLET_AND_PHONE, **given: Any) -> Visit:
    return Visit(name, path, by="nobody", frames=frames, **given)


def console(name: str, phase: str, **given: Any) -> Visit:
    return Visit(name, "/console/{code}/", phase=phase, **given)


PUBLIC = (
    public("login", "/console/login/"),
    public("login-wrong", "/console/login/", TABLET, action=partial(do.fail_to_log_in, tries=1)),
    public("login-locked", "/console/login/", TABLET, action=do.fail_to_log_in),
    public("privacy", "/privacy"),
    public("accessibility", "/accessibility"),
    public("transparency-log", "/log"),
    public("privacy-event", "/privacy/{code}", choices={"consent": CONSENT}),
    public("not-found", "/nothing/is/here", TABLET),
    public("display-unknown", "/display/ZZZZ", BIG_SCREENS),
    public("phone-code", "/", PHONE_FRAMES),
    public("report", "/report/{code}/1", prepare=do.play_to(*WON)),
    public("verify", "/verify"),
    public("verify-match", "/verify?match={code}/1", prepare=do.play_to(*WON), action=do.await_verdict),
    public("analysis-board", "/report/{code}/1/board", prepare=do.play_to(*WON)),
    public("puzzle", "/puzzles/1"),
    public("rules", "/rules"),
    public("about", "/about"),
    public("board-editor", "/board?turns=44-35"),
    public("play", "/play/", (*TABLET_AND_PHONE, "desk"), prepare=do.with_duel_lists),
    public("play-more", "/play/", action=do.expand_details),
    public("play-invited", "/play/{duel}", prepare=do.with_duels),
    public("play-game", "/play/{played}", prepare=do.with_chat),
    Visit("play-message", "/play/chat/lobby/{message}", "superuser", prepare=do.with_chat),
    Visit("play-reports", "/play/chat/reports", "superuser", prepare=do.with_chat),
    public("play-crowd", "/play/{crowd}", prepare=do.with_crowd),
    public("play-ratings", "/play/ratings", prepare=do.with_duels),
    public("play-login", "/play/login"),
    public("play-found", "/play/?q=nobody+of+that+name", prepare=do.with_duels),
    public("play-all", "/play/all/finished", prepare=do.with_duels),
)
ORGANIZERS = (
    Visit("events", "/console/", prepare=do.play_to(*PLAYED), frames=DESKTOPS),
    Visit("events-none", "/console/", by="viewer"),
    Visit("new", "/console/new/"),
    Visit("new-form", "/console/new/empty/", action=do.expand_details),
    Visit("new-form-hands", "/console/new/show-of-hands/"),
    Visit("new-refused", "/console/new/empty/", action=do.submit_duplicate_names),
    Visit("members", "/console/{code}/members/", prepare=MEMBERS),
    Visit("change", "/console/{code}/edit/"),
    Visit("branding", "/console/{code}/branding/"),
    Visit("again", "/console/{code}/again/", prepare=do.play_to(*WON)),
    Visit("delete", "/console/{code}/delete/"),
    Visit("tickets-none", "/console/{code}/tickets/", choices=TICKETS),
    Visit("tickets", "/console/{code}/tickets/", choices=TICKETS, prepare=do.ask("tickets", count=12)),
    Visit("roster", "/console/{code}/tickets/", choices=ROSTER, prepare=WITH_ROSTER),
    Visit("roster-preview", "/console/{code}/tickets/", choices=ROSTER, action=do.preview_roster),
)
CONSOLES = (
    console("console-closed", "lobby", choices={}),
    console("console-lobby", "lobby", frames=DESKTOPS),
    console("console-voting", "voting", choices=SLOW, prepare=PREPARED, frames=DESKTOPS),
    console("console-help", "voting", choices=SLOW, prepare=PREPARED, action=do.press_help),
    console(
        "console-people",
        "lobby",
        choices=ROSTER,
        prepare=WITH_ROSTER,
        action=do.restrict_two_voters,
        frames=DESKTOPS,
    ),
    console(
        "console-paused",
        "paused",
        choices=SLOW,
        prepare=PREPARED,
        action=PAUSE,
    ),
    console("console-peek", "voting", choices=SLOW | {"peek": True}, prepare=PREPARED),
    console(
        "console-hands",
        "voting",
        choices=SLOW,
        prepare=BY_HANDS,
    ),
    console("console-viewer", "voting", by="viewer", choices=SLOW, prepare=WITH_VIEWER),
    console("console-ended", "ended", prepare=do.play_to(*WON), frames=DESKTOPS),
    console("console-aborted", "lobby", choices=SLOW, prepare=do.abort_match),
)
ADMIN = (
    Visit("admin", "/admin/", by="superuser"),
    Visit("admin-events", "/admin/voting/event/", by="superuser"),
    Visit("admin-audit", "/admin/events/auditentry/", by="superuser"),
)
BRACKET, LEAGUE = (
    do.with_cup("knockout", CUP_TEAMS, [1, 2, 1]),
    do.with_cup("league", CUP_TEAMS[:5], [1, 2, 1, 1]),
)
CUPS = (
    Visit("cup-new", "/console/cups/new/"),
    Visit("cup-delete", "/console/cups/{cup}/delete/", prepare=BRACKET),
    Visit("cup-console", "/console/cups/{cup}/", prepare=BRACKET),
    Visit("cup-league", "/console/cups/{cup}/", prepare=LEAGUE),
    public("cup-board", "/cup/{cup}", (*BIG_SCREENS, *PHONE_FRAMES), prepare=BRACKET),
    public("cup-board-league", "/cup/{cup}", (*BIG_SCREENS, *PHONE_FRAMES), prepare=LEAGUE),
    public(
        "cup-board-ours",
        "/cup/{cup}",
        PHONE_FRAMES,
        prepare=BRACKET,
        action=CLAIM_TEAM,
    ),
)
# Axe reports Django's own admin form. The action on the other page needs it in English.
GALLERY_ONLY = (
    Visit("admin-event", "/admin/voting/event/{id}/change/", by="superuser"),
    console("console-rehearsal", "lobby", action=do.rehearse, frames=DESKTOPS),
)
PAGES = (*PUBLIC, *ORGANIZERS, *CONSOLES, *CUPS, *ADMIN)
