"""The organizer's pages and the public pages of a running stack, by name, each in a relevant state."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect

from tests.e2e import page_states as do
from tests.e2e.page_states import CUP_TEAMS, PLAYED, Event, Prepare
from tests.e2e.screens import TIMEOUT_MS
from tests.run_folder import static_files
from tests.server import Server, running_server

CONSENT = "We take pictures of the hall for the school's newspaper.\nQuestions: Ada, at the desk by the door."
Action = Callable[[Page], None]
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
def running_server_with_static(data: Path) -> Iterator[Server]:
    """Run a stack with collected static files and one scheduler."""
    (data / "static").symlink_to(static_files())
    with running_server(data, schedulers=1) as server:
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
        expect(page.locator("body")).to_have_attribute("data-phase", visited.phase, timeout=TIMEOUT_MS)
    return event


def sign_in(page: Page, server: Server, name: str, superuser: bool = False) -> None:
    key, _, value = server.ask("session", name=name, superuser=superuser).partition("=")
    page.context.add_cookies([{"name": key, "value": value, "url": server.http}])


TICKETS = {"lobby": "open", "admission": "tickets"}
ROSTER = {"lobby": "open", "admission": "roster"}
SLOW = {"lobby": "open", "window_s": 90}

PUBLIC = (
    Visit("login", "/console/login/", by="nobody", frames=TABLET_AND_PHONE),
    Visit("login-wrong", "/console/login/", by="nobody", action=partial(do.fail_to_log_in, tries=1)),
    Visit("login-locked", "/console/login/", by="nobody", action=do.fail_to_log_in),
    Visit("privacy", "/privacy", by="nobody", frames=TABLET_AND_PHONE),
    Visit(
        "privacy-event", "/privacy/{code}", by="nobody", choices={"consent": CONSENT}, frames=TABLET_AND_PHONE
    ),
    Visit("not-found", "/nothing/is/here", by="nobody"),
    Visit("display-unknown", "/display/ZZZZ", by="nobody", frames=BIG_SCREENS),
    Visit("phone-code", "/", by="nobody", frames=PHONE_FRAMES),
    Visit("report", "/report/{code}/1", by="nobody", prepare=do.play_to(*WON), frames=TABLET_AND_PHONE),
    Visit("verify", "/verify", by="nobody", frames=TABLET_AND_PHONE),
    Visit(
        "verify-match",
        "/verify?match={code}/1",
        by="nobody",
        prepare=do.play_to(*WON),
        action=do.await_verdict,
        frames=TABLET_AND_PHONE,
    ),
    Visit("rules", "/rules", by="nobody", frames=TABLET_AND_PHONE),
    Visit("about", "/about", by="nobody", frames=TABLET_AND_PHONE),
    Visit("board-editor", "/board?turns=44-35", by="nobody", frames=TABLET_AND_PHONE),
    Visit("play", "/play/", by="nobody", prepare=do.with_duel_lists, frames=(*TABLET_AND_PHONE, "desk")),
    Visit("play-more", "/play/", by="nobody", action=do.expand_details, frames=TABLET_AND_PHONE),
    Visit("play-invited", "/play/{duel}", by="nobody", prepare=do.with_duels, frames=TABLET_AND_PHONE),
    Visit("play-game", "/play/{played}", by="nobody", prepare=do.with_chat, frames=TABLET_AND_PHONE),
    Visit(
        "play-message",
        "/play/chat/lobby/{message}",
        by="superuser",
        prepare=do.with_chat,
        frames=TABLET_AND_PHONE,
    ),
    Visit(
        "play-reports", "/play/chat/reports", by="superuser", prepare=do.with_chat, frames=TABLET_AND_PHONE
    ),
    Visit("play-crowd", "/play/{crowd}", by="nobody", prepare=do.with_crowd, frames=TABLET_AND_PHONE),
    Visit("play-ratings", "/play/ratings", by="nobody", prepare=do.with_duels, frames=TABLET_AND_PHONE),
    Visit("play-login", "/play/login", by="nobody", frames=TABLET_AND_PHONE),
    Visit(
        "play-found",
        "/play/?q=nobody+of+that+name",
        by="nobody",
        prepare=do.with_duels,
        frames=TABLET_AND_PHONE,
    ),
    Visit("play-all", "/play/all/finished", by="nobody", prepare=do.with_duels, frames=TABLET_AND_PHONE),
)
ORGANIZERS = (
    Visit("events", "/console/", prepare=do.play_to(*PLAYED), frames=DESKTOPS),
    Visit("events-none", "/console/", by="viewer"),
    Visit("new", "/console/new/"),
    Visit("new-form", "/console/new/empty/", action=do.expand_details),
    Visit("new-form-hands", "/console/new/show-of-hands/"),
    Visit("new-refused", "/console/new/empty/", action=do.submit_duplicate_names),
    Visit("members", "/console/{code}/members/", prepare=do.with_members),
    Visit("change", "/console/{code}/edit/"),
    Visit("again", "/console/{code}/again/", prepare=do.play_to(*WON)),
    Visit("delete", "/console/{code}/delete/"),
    Visit("tickets-none", "/console/{code}/tickets/", choices=TICKETS),
    Visit("tickets", "/console/{code}/tickets/", choices=TICKETS, prepare=do.with_tickets),
    Visit("roster", "/console/{code}/tickets/", choices=ROSTER, prepare=do.with_roster),
    Visit(
        "roster-preview",
        "/console/{code}/tickets/",
        choices=ROSTER,
        action=do.preview_roster,
        frames=TABLET_AND_PHONE,
    ),
)
CONSOLES = (
    Visit("console-closed", "/console/{code}/", choices={}, phase="lobby"),
    Visit("console-lobby", "/console/{code}/", phase="lobby", frames=DESKTOPS),
    Visit(
        "console-voting",
        "/console/{code}/",
        "owner",
        SLOW,
        do.play_to(*PLAYED),
        phase="voting",
        frames=DESKTOPS,
    ),
    Visit("console-help", "/console/{code}/", "owner", SLOW, do.play_to(*PLAYED), do.press_help, "voting"),
    Visit(
        "console-people",
        "/console/{code}/",
        "owner",
        ROSTER,
        do.with_roster,
        do.restrict_two_voters,
        "lobby",
        DESKTOPS,
    ),
    Visit(
        "console-paused",
        "/console/{code}/",
        choices=SLOW,
        prepare=do.play_to(*PLAYED),
        action=do.pause_turn,
        phase="paused",
    ),
    Visit(
        "console-peek",
        "/console/{code}/",
        choices=SLOW | {"peek": True},
        prepare=do.play_to(*PLAYED),
        phase="voting",
    ),
    Visit("console-hands", "/console/{code}/", choices=SLOW, prepare=do.by_hands, phase="voting"),
    Visit("console-viewer", "/console/{code}/", "viewer", SLOW, do.as_viewer, phase="voting"),
    Visit("console-ended", "/console/{code}/", prepare=do.play_to(*WON), phase="ended", frames=DESKTOPS),
    Visit("console-aborted", "/console/{code}/", choices=SLOW, prepare=do.abort_match, phase="lobby"),
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
    Visit("cup-board", "/cup/{cup}", by="nobody", prepare=BRACKET, frames=(*BIG_SCREENS, *PHONE_FRAMES)),
    Visit(
        "cup-board-league", "/cup/{cup}", by="nobody", prepare=LEAGUE, frames=(*BIG_SCREENS, *PHONE_FRAMES)
    ),
    Visit(
        "cup-board-ours", "/cup/{cup}", "nobody", prepare=BRACKET, action=do.claim_team, frames=PHONE_FRAMES
    ),
)
# Axe reports Django's own admin form. The action on the other page needs it in English.
GALLERY_ONLY = (
    Visit("admin-event", "/admin/voting/event/{id}/change/", by="superuser"),
    Visit("console-rehearsal", "/console/{code}/", action=do.rehearse, phase="lobby", frames=DESKTOPS),
)
PAGES = (*PUBLIC, *ORGANIZERS, *CONSOLES, *CUPS, *ADMIN)
