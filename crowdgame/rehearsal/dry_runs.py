"""Dry runs: small rehearsals inside a gateway, started from the console. At most one per event.

The phones connect to the gateway's own address and pass its admission queue like all others. The progress is
stored with the event's lease in Redis, where every gateway reads it for its consoles.
"""

import asyncio

from django.utils.translation import gettext as _

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.dry_run_lease import DryRunContext, DryRunLease
from crowdgame.rehearsal.wire import phone_address
from voting.matches import MatchError
from voting.models import Event
from voting.terms import Admission, Lobby

HostPort = tuple[str, int | None] | None


class DryRuns:
    def __init__(self) -> None:
        self.playing: set[asyncio.Task[None]] = set()

    async def start(self, stage: DryRunContext, server: HostPort, phones: int | None) -> None:
        """Start a dry run. `server` is the address at which the requester's socket arrived.

        Raises MatchError if the gateway is draining or has no address, or if a dry run has the event. Raises
        redis.RedisError without Redis.
        """
        if stage.draining():
            raise MatchError(_("This server is about to restart. Try again in a moment."))
        from crowdgame.rehearsal.dry_run import DryRun  # noqa: PLC0415  loads a WebSocket client

        run = DryRun(stage, _gateway_address(server), phones or 1)
        await run.take_lease()
        task = asyncio.create_task(run.play())
        self.playing.add(task)
        task.add_done_callback(self.playing.discard)


async def stop_dry_run(event_id: int, dry_run_lease: DryRunLease) -> None:
    """Stop the event's dry run, at whichever gateway it runs.

    Raises MatchError if there is none, redis.RedisError without Redis.
    """
    if not await dry_run_lease.stop(event_id):
        raise MatchError(_("No rehearsal is running."))


def check_lobby_open(event_id: int) -> None:
    """Raises MatchError unless a crowd without tickets can join.

    Queries the database: this gateway's copy of the event may be out of date.
    """
    if not Event.objects.filter(pk=event_id, lobby=Lobby.OPEN).exists():
        raise MatchError(_("Open the lobby first. The simulated crowd joins like voters do."))
    if Event.objects.filter(pk=event_id, admission__in=[Admission.TICKETS, Admission.ROSTER]).exists():
        raise MatchError(_("The simulated crowd has no tickets. Use manage.py rehearse --tickets instead."))


def _gateway_address(server: HostPort) -> ServerAddress:
    if server is None or server[1] is None:
        raise MatchError(_("This gateway can't connect to itself. Use manage.py rehearse instead."))
    host = f"[{server[0]}]" if ":" in server[0] else server[0]
    return ServerAddress(phone_address(f"http://{host}:{server[1]}"))
