"""Organizer actions on the simulated crowd of a rehearsal (dry run)."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.registry import ActionResult, action, undone_by
from crowdgame.rehearsal.dry_run_lease import DryRunContext
from crowdgame.rehearsal.dry_runs import DryRuns, HostPort, check_lobby_open, stop_dry_run

dry_runs = cache(DryRuns)


@dataclass(frozen=True, slots=True)
class DryRunHost:
    """The gateway whose event loop runs a dry run.

    `server` is the address of the organizer's socket. `rehearsing`: whether simulated phones are playing.
    """

    loop: asyncio.AbstractEventLoop
    context: DryRunContext
    server: HostPort
    rehearsing: bool

    def wait_for(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine on the gateway's loop. Never call this on that loop."""
        asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()


@action(
    "rehearsal.start",
    permission="rehearse",
    target="event",
    label="Start rehearsal",
    done="The rehearsal has started.",
)
@undone_by("rehearsal.stop", lambda _, now: now.rehearsing)
def start_rehearsal(event_id: int, phones: int | None, host: DryRunHost) -> ActionResult:
    """Start a simulated crowd of `phones` phones. An event has one at a time."""
    check_lobby_open(event_id)
    host.wait_for(dry_runs().start(host.context, host.server, phones))
    message = gettext_noop("%(by)s started a rehearsal. Simulated phones: %(phones)s")
    return ActionResult(LogText(message, {"phones": phones or 1}))


@action(
    "rehearsal.stop",
    permission="rehearse",
    target="event",
    label="Stop rehearsal",
    done="The rehearsal has stopped.",
)
def stop_rehearsal(event_id: int, host: DryRunHost) -> ActionResult:
    """Stop the simulated crowd."""
    host.wait_for(stop_dry_run(event_id, host.context.dry_run_lease))
    return ActionResult(LogText(gettext_noop("%(by)s stopped the rehearsal")))
