"""What is on at an event beside the people: one dry run at most, over all gateways.

Kept in the ballot box for as long as its gateway says every few seconds that it goes on. All of it raises
redis.RedisError when the box is away.
"""

from enum import IntEnum
from functools import cache

import msgspec

from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import event_key
from voting.gateway import hooks
from voting.gateway.broadcast import send_rehearsal
from voting.gateway.event_room import EventRoom
from voting.protocol import RehearsalUpdated

KEPT_MS = 5_000
UNWATCHED_MS = 60_000

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(RehearsalUpdated).decode


class LeaseAnswer(IntEnum):
    """What a dry run shall do; TAKEN: the event is another's."""

    TAKEN = 0
    CONTINUE = 1
    END = 2


class DryRunLease:
    def __init__(self, box: AsyncBallotBox) -> None:
        self._play = box.script("renew_lease")
        self._watch = box.script("touch_lease")

    async def renew(self, event_id: int, run: str, update: RehearsalUpdated) -> LeaseAnswer:
        """How the dry run `run` fares; the first note takes the event, one that is over leaves it."""
        args = (run, _encode(update), KEPT_MS, UNWATCHED_MS, int(not update.running))
        return LeaseAnswer(await self._play(keys=[_key(event_id)], args=args))

    async def watch(self, event_id: int) -> RehearsalUpdated | None:
        """What was noted last, for control rooms that are open: without any it ends after a minute."""
        held = await self._watch(keys=[_key(event_id)], args=("watched_at",))
        try:
            return _decode(held[1]) if held else None
        except msgspec.ValidationError:  # it plays at a gateway of another version
            return None

    async def stop(self, event_id: int) -> bool:
        """Have the dry run end, at whichever gateway it plays. False: there is none."""
        held = await self._watch(keys=[_key(event_id)], args=("stopped_at",))
        return bool(held and held[0])


def _key(event_id: int) -> str:
    return event_key(event_id, "rehearsal")


dry_run_lease = cache(DryRunLease)


async def _send_to_consoles(box: AsyncBallotBox, room: EventRoom) -> None:
    if room.consoles:
        send_rehearsal(room, await dry_run_lease(box).watch(room.event_id))


hooks.heartbeats.append(_send_to_consoles)
