"""The dry-run lease (distributed lock) in Redis: at most one dry run per event, over all gateways.

The gateway of the dry run renews it every second; it expires after KEPT_MS. All methods raise
redis.RedisError if Redis is away.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import msgspec

from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key
from voting.gateway import hooks
from voting.gateway.event_room import EventRoom
from voting.gateway.supplements import send_rehearsal
from voting.protocol import RehearsalUpdated

KEPT_MS = 5_000
UNWATCHED_MS = 60_000

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(RehearsalUpdated).decode


class LeaseAnswer(IntEnum):
    """The answer to a renewal. TAKEN: another dry run has the event. END: the dry run must stop."""

    TAKEN = 0
    CONTINUE = 1
    END = 2


class DryRunLease:
    """Take, renew, watch and stop an event's dry run. Each is an atomic Lua script."""

    def __init__(self, box: AsyncBallotBox) -> None:
        self._play = box.script("renew_lease")
        self._watch = box.script("touch_lease")

    async def renew(self, event_id: int, run: str, update: RehearsalUpdated) -> LeaseAnswer:
        """Take or renew the lease for `run`, and store its progress.

        A finished run (not `running`) releases it.
        """
        args = (run, _encode(update), KEPT_MS, UNWATCHED_MS, int(not update.running))
        return LeaseAnswer(await self._play(keys=[_key(event_id)], args=args))

    async def watch(self, event_id: int) -> RehearsalUpdated | None:
        """Return the stored progress, or None. Call it while a console is open.

        A dry run that nobody has watched for UNWATCHED_MS ends.
        """
        lease = await self._watch(keys=[_key(event_id)], args=("watched_at",))
        try:
            return _decode(lease[1]) if lease else None
        except msgspec.ValidationError:  # the dry run belongs to a gateway of another version
            return None

    async def stop(self, event_id: int) -> bool:
        """Ask the dry run to end, at whichever gateway it runs. Returns False if there is none."""
        lease = await self._watch(keys=[_key(event_id)], args=("stopped_at",))
        return bool(lease and lease[0])


@dataclass(frozen=True, slots=True)
class DryRunContext:
    """The event of a dry run. `draining`: this gateway is shutting down.

    `now` is the ballot box's time in ms, on which rotating codes depend.
    """

    event_id: int
    code: str
    dry_run_lease: DryRunLease
    draining: Callable[[], bool]
    now: Callable[[], int]


def is_dry_run_running(event_id: int, box: BallotBox) -> bool:
    """Whether the event has a dry run. Raises redis.RedisError."""
    return box.read_hash(_key(event_id), ["run"]) != [None]


def _key(event_id: int) -> str:
    return event_key(event_id, "rehearsal")


dry_run_lease = cache(DryRunLease)


async def _send_to_consoles(box: AsyncBallotBox, room: EventRoom) -> None:
    if room.sockets.consoles:
        send_rehearsal(room, await dry_run_lease(box).watch(room.event_id))


hooks.heartbeats.append(_send_to_consoles)
