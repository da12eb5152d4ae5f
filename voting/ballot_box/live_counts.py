"""Live counts of an open turn, for events that announce who sees them.

Those are the consoles, or each team for its own counts.
"""

from voting import protocol
from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import turn_keys


class LiveCountReader:
    """Reads live counts. Raises redis.RedisError while Redis is away."""

    def __init__(self, box: AsyncBallotBox) -> None:
        self._peek = box.script("peek")

    async def counts(self, event_id: int, turn_id: int, columns: int) -> protocol.CountsUpdated:
        """Return the ballots for each of the `columns` columns, per side."""
        red, yellow = await self._peek(keys=turn_keys(event_id, turn_id)[1:], args=(columns,))
        return protocol.CountsUpdated(turn=turn_id, red=tuple(red), yellow=tuple(yellow))
