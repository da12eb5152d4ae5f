"""The votes so far, in an event that tells everybody who sees them: control rooms, or each team its own."""

from voting import protocol
from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import turn_keys


class LiveCountReader:
    """Raises redis.RedisError when the box is away."""

    def __init__(self, box: AsyncBallotBox) -> None:
        self._peek = box.script("peek")

    async def counts(self, event_id: int, turn_id: int, columns: int) -> protocol.CountsUpdated:
        red, yellow = await self._peek(keys=turn_keys(event_id, turn_id)[1:], args=(columns,))
        return protocol.CountsUpdated(turn=turn_id, red=tuple(red), yellow=tuple(yellow))
