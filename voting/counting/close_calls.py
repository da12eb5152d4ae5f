"""Close calls, which reveals replay: almost equal votes, or a conflict that decided the match."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from games.engine.game import SIDES, Resolution, Side
from voting.counting.methods import METHODS
from voting.counting.tally import SideTally
from voting.counting.types import Column, Count

FEW_VOTES, FEW_PER_BALLOT = 3, 0.01
# With fewer ballots, every margin is only a few votes.
MIN_BALLOTS = 10
COMPARED = {method.decided_by for method in METHODS.values() if method.counts_decide} | {"first", "lot"}


class CloseCall(msgspec.Struct, frozen=True, kw_only=True):
    """The closest decision of a turn.

    Attributes:
        kind: `count`: two choices of a side had almost equal votes. `conflict`: the order of the drops
            decided the match.
        side: The side whose votes were close, or the winner.
        first: The choice with the most votes. Null for a conflict, like the next one.
        second: The choice after it.
        margin: How many votes more the first one had.
    """

    kind: Literal["count", "conflict"]
    side: Side
    first: Column | None = None
    second: Column | None = None
    margin: Count = 0


def find_close_call(resolution: Resolution, tallies: Mapping[Side, SideTally]) -> CloseCall | None:
    """Return a deciding conflict, or else the smallest margin; None if the turn has neither."""
    winner = _decided_by_conflict(resolution)
    if winner:
        return CloseCall(kind="conflict", side=winner)
    calls = [_close_count(side, tallies[side]) for side in SIDES if side in tallies]
    return min((call for call in calls if call), key=lambda call: call.margin, default=None)


def _decided_by_conflict(resolution: Resolution) -> Side | None:
    """Return the winner whose line includes the ball that it dropped in a conflict."""
    if resolution.conflict is None or len(resolution.drops) < len(SIDES):
        return None
    for drop in resolution.drops:
        cell = (drop.column, drop.row)
        if drop.side == resolution.result and any(cell in line for line in resolution.lines):
            return drop.side
    return None


def _close_count(side: Side, tally: SideTally) -> CloseCall | None:
    if tally.pick is None or tally.rounds or tally.ballots < MIN_BALLOTS or tally.decided_by not in COMPARED:
        return None
    second, votes = _runner_up(tally.counts, tally.pick)
    margin = tally.counts[tally.pick - 1] - votes
    if not votes or not 0 <= margin <= max(FEW_VOTES, tally.ballots * FEW_PER_BALLOT):
        return None
    return CloseCall(kind="count", side=side, first=tally.pick, second=second, margin=margin)


def _runner_up(counts: Sequence[int], pick: int) -> tuple[int, int]:
    """Return the choice with the most votes except `pick`, and its votes."""
    others = [(column, votes) for column, votes in enumerate(counts, 1) if column != pick]
    return max(others, key=lambda other: other[1], default=(0, 0))
