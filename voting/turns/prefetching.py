"""Read and hash a large turn's ballots shortly before its deadline, so that its reveal waits for less.

After the seal, only ballots of the last moment are read and hashed. Nothing is counted, written or published
before the deadline, and the result is the same as without.
"""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import Prefetched
from voting.counting.ballots import Ballot
from voting.counting.commitments import NO_LEAVES, hash_ballots
from voting.models import Turn
from voting.turns.turns import to_boxed_turn

# A task enqueued slightly early reaches its worker by the deadline, and waits for it there.
ENQUEUE_EARLY_MS = 100
# A worker reads and hashes this many ballots in a millisecond, beside busy gateways.
BALLOTS_PER_MS = 100.0
LARGE_TURN = 2_000
MAX_EARLY_MS = 10_000
CHECK_CHANGES_MS = 100


class PreparedBallots(NamedTuple):
    """Ballots read before the deadline, and their leaf hashes (`hash_ballots`).

    `replaced` keeps ballots that have been replaced since, so that no other gets the `id` of one.
    """

    prefetched: Prefetched = Prefetched()
    leaves: Mapping[int, bytes] = NO_LEAVES
    replaced: Sequence[Ballot] = ()


def is_large(ballots: int) -> bool:
    """Return whether a turn with so many ballots is prepared."""
    return ballots >= LARGE_TURN


def is_plain(turn: Turn) -> bool:
    """Return whether the turn closes at its deadline and its ballots can be prepared."""
    return turn.match.bank_s is None and not turn.match.max_side_changes and turn.box_lost_at is None


def enqueue_early_ms(ballots: int) -> int:
    """Return how long before its deadline to enqueue the close of a turn that has so many ballots."""
    preparing = int(ballots / BALLOTS_PER_MS) if is_large(ballots) else 0
    return min(ENQUEUE_EARLY_MS + preparing, MAX_EARLY_MS)


def prepare_ballots(turn: Turn, box: BallotBox) -> PreparedBallots:
    """Prepare the ballots of a large turn until ENQUEUE_EARLY_MS before its deadline.

    Call it with the closing lease. Prepares nothing for turns that are smaller or not plain, and at other
    times.
    """
    left_ms = turn.closes_at - box.now()
    if not is_plain(turn) or not ENQUEUE_EARLY_MS < left_ms <= MAX_EARLY_MS:
        return PreparedBallots()
    boxed = to_boxed_turn(turn)
    if not is_large(sum(box.ballot_counts(boxed).values())):
        return PreparedBallots()
    before = box.prefetch(boxed)
    box.closing_lease.renew(turn.pk, ballots=len(before.ballots))
    leaves = hash_ballots(turn.pk, before.ballots)
    _wait_for_deadline(turn, box)
    prefetched = box.catch_up(boxed, before)
    leaves |= hash_ballots(turn.pk, (one for one in prefetched.ballots if id(one) not in leaves))
    box.closing_lease.renew(turn.pk, ballots=len(prefetched.ballots))
    return PreparedBallots(prefetched, leaves, before.ballots)


def _wait_for_deadline(turn: Turn, box: BallotBox) -> None:
    """Wait until ENQUEUE_EARLY_MS before the deadline, or until the turn is changed."""
    as_prepared = Turn.objects.filter(pk=turn.pk, version=turn.version)
    while (left_ms := turn.closes_at - ENQUEUE_EARLY_MS - box.now()) > 0 and as_prepared.exists():
        box.closing_lease.renew(turn.pk)
        time.sleep(min(left_ms, CHECK_CHANGES_MS) / 1000)
