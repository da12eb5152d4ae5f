"""Requests of voters to mark their own drop, the particle of their ballot, in the reveal of a turn."""

import asyncio
from dataclasses import dataclass, field

MAX_REQUESTS = 12


@dataclass(slots=True, eq=False)
class DropRequests:
    """The requests for a turn at one gateway, at most MAX_REQUESTS, one for each voter.

    Attributes:
        voters: The voter ids of those who have asked.
        closed: Set when the turn is no longer open: it is revealed, concealed or void.
    """

    voters: set[str] = field(default_factory=set)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, voter: str) -> bool:
        """Add a request. Returns whether there was a place for it, and none of this voter."""
        if voter in self.voters or len(self.voters) >= MAX_REQUESTS:
            return False
        self.voters.add(voter)
        return True
