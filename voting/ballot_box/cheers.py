"""Presses of the warm-up: they are shown on the projectors, and count for nothing.

A press costs no call: each gateway sums those of its phones, and about once a second says how many they are
so far and hears what all gateways' come to.
"""

from dataclasses import dataclass, field

from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import event_key

CHEERS_TTL_MS = 60_000

TeamPresses = tuple[int, int]


@dataclass(slots=True, eq=False)
class Cheers:
    """An event's at this gateway, a number a team: `pressed` here, and `sent` of them to the others.

    `counted` is what all gateways' came to when they were last asked for.
    """

    pressed: list[int] = field(default_factory=lambda: [0, 0])
    sent: TeamPresses = (0, 0)
    counted: TeamPresses | None = None

    def press(self, team: int, presses: int) -> None:
        self.pressed[team - 1] += presses

    @property
    def has_unsent(self) -> bool:
        return tuple(self.pressed) != self.sent

    def observe(self, sent: TeamPresses, counted: TeamPresses) -> TeamPresses:
        """How many there are more than at the last time. A gateway that begins anew makes a sum smaller."""
        before = self.counted or counted
        self.sent, self.counted = sent, counted
        return max(0, counted[0] - before[0]), max(0, counted[1] - before[1])


class CheerCounter:
    """Of the gateway `name`. Raises redis.RedisError when the box is away."""

    def __init__(self, name: str, box: AsyncBallotBox) -> None:
        self._name = name
        self._cheer = box.script("cheer")

    async def exchange(self, event_id: int, cheers: Cheers) -> TeamPresses:
        """Say ours, and hear how many are new of all gateways."""
        sent = (cheers.pressed[0], cheers.pressed[1])
        keys = [event_key(event_id, "cheers")]
        one, two = await self._cheer(keys=keys, args=(self._name, *sent, CHEERS_TTL_MS))
        return cheers.observe(sent, (one, two))
