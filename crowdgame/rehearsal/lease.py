"""What is on at an event beside the people: one dry run at most, over all gateways.

Kept in the ballot box for as long as its gateway says every few seconds that it goes on. All of it raises
redis.RedisError when the box is away.
"""

from enum import IntEnum
from functools import cache

import msgspec

from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.ballot_box.types import event_key
from voting.gateway import hooks
from voting.gateway.broadcast import tell_rehearsal
from voting.gateway.event_room import Room
from voting.protocol import RehearsalTold

KEPT_MS = 5_000
UNWATCHED_MS = 60_000

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(RehearsalTold).decode


class Cue(IntEnum):
    """What a dry run shall do; TAKEN: the event is another's."""

    TAKEN = 0
    GO_ON = 1
    END = 2


class Playbill:
    def __init__(self, box: AsyncBallotBox) -> None:
        self._play = box.script("play")
        self._watch = box.script("watch")

    async def note(self, event_id: int, run: str, told: RehearsalTold) -> Cue:
        """How the dry run `run` fares; the first note takes the event, one that is over leaves it."""
        args = (run, _encode(told), KEPT_MS, UNWATCHED_MS, int(not told.running))
        return Cue(await self._play(keys=[_key(event_id)], args=args))

    async def watch(self, event_id: int) -> RehearsalTold | None:
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


playbill = cache(Playbill)


async def _tell_consoles(box: AsyncBallotBox, room: Room) -> None:
    if room.consoles:
        tell_rehearsal(room, await playbill(box).watch(room.event_id))


hooks.heartbeats.append(_tell_consoles)
