"""Cheers of the warm-up: taps that are shown on the big screen and count for nothing.

A tap costs no call. Each gateway sums the taps of its clients, and about once a second exchanges its total
for that of all gateways.
"""

from dataclasses import dataclass, field

from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import event_key

CHEERS_TTL_MS = 60_000

TeamPresses = tuple[int, int]


@dataclass(slots=True, eq=False)
class Cheers:
    """An event's taps at this gateway, for teams 1 and 2.

    `pressed` is its total, `sent` the total it sent last, and `counted` the total of all gateways in the last
    reply.
    """

    pressed: list[int] = field(default_factory=lambda: [0, 0])
    sent: TeamPresses = (0, 0)
    counted: TeamPresses | None = None

    def press(self, team: int, presses: int) -> None:
        """Add `presses` taps of `team` (1 or 2)."""
        self.pressed[team - 1] += presses

    @property
    def has_unsent(self) -> bool:
        """Whether there are taps since the last exchange."""
        return tuple(self.pressed) != self.sent

    def observe(self, sent: TeamPresses, counted: TeamPresses) -> TeamPresses:
        """Record an exchange and return the new taps. At least 0: a restarted gateway lowers the total.

        In the first exchange, only this gateway's taps are known to be new.
        """
        before = self.counted or (counted[0] - sent[0], counted[1] - sent[1])
        self.sent, self.counted = sent, counted
        return max(0, counted[0] - before[0]), max(0, counted[1] - before[1])


class CheerCounter:
    """Exchanges totals for the gateway `name`. Raises redis.RedisError while Redis is away."""

    def __init__(self, name: str, box: AsyncBallotBox) -> None:
        self._name = name
        self._cheer = box.script("cheer")

    async def exchange(self, event_id: int, cheers: Cheers) -> TeamPresses:
        """Send this gateway's total and return the new taps of all gateways."""
        sent = (cheers.pressed[0], cheers.pressed[1])
        keys = [event_key(event_id, "cheers")]
        one, two = await self._cheer(keys=keys, args=(self._name, *sent, CHEERS_TTL_MS))
        return cheers.observe(sent, (one, two))
