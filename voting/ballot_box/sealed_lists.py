"""Read the lists of shards, large ones in batches, because Valkey serves no other event meanwhile."""

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from voting.ballot_box.box_types import (
    BoxedTurn,
    BoxLost,
    Prefetched,
    Sealed,
    TooEarly,
    decode_stored_ballots,
    decode_unordered,
    in_order,
)
from voting.ballot_box.closing_lease import ClosingLease
from voting.counting.ballots import Ballot, merge_ballots

BATCH_BALLOTS = 5_000  # ballots that are read at once, in about 10 ms
# Replies of `seal.lua`.
LOST, EARLY, SEALED, SEALED_AFTER_PREFETCH, SEALED_TO_READ, SEALED_TO_CATCH_UP = range(6)


def read_batches(store: Any, turn: BoxedTurn) -> tuple[Ballot, ...]:
    """Return the ballots of a shard that is sealed or records whose ballots arrive, in order of arrival.

    Renews the closing lease meanwhile.
    """
    by_voter, cursor = dict[str, Ballot](), None
    while cursor != 0:
        cursor, batch = store.hscan(turn.keys[1], cursor or 0, count=BATCH_BALLOTS)
        # A batch is decoded at once: the text of all ballots needs more memory than the ballots.
        ballots = decode_unordered(batch.keys(), batch.values())
        by_voter.update(zip(map(attrgetter("voter"), ballots), ballots, strict=True))
        ClosingLease(store).renew(turn.turn_id)
    return in_order(by_voter.values())


def read_arrivals(store: Any, turn: BoxedTurn, first: int) -> tuple[tuple[Ballot, ...], int]:
    """Return the ballots of voters whose ballots arrived after a prefetch, in order of arrival.

    Skips the `first` arrivals. The second result is how many there are now; more may follow.
    """
    texts, count = dict[bytes, bytes](), BATCH_BALLOTS
    while count == BATCH_BALLOTS:
        voters = store.lrange(turn.keys[2], first, first + BATCH_BALLOTS - 1)
        count = len(voters)
        first += count
        distinct = list(set(voters))
        found = store.hmget(turn.keys[1], distinct) if distinct else ()
        texts.update((voter, text) for voter, text in zip(distinct, found, strict=True) if text is not None)
    return decode_stored_ballots(texts.keys(), texts.values()), first


def read_sealed(store: Any, turn: BoxedTurn, answer: Any, arrivals_read: int) -> Any:
    """Decode the ballots of a shard, and read those of a large one. It is lost if some are missing."""
    if not isinstance(answer, list) or answer[0] in {LOST, EARLY}:
        return answer
    status, sealed_at, rows, *total = answer
    if status == SEALED_TO_CATCH_UP:
        ballots, _ = read_arrivals(store, turn, arrivals_read)
        return [SEALED_AFTER_PREFETCH, sealed_at, ballots, rows]
    if status != SEALED_TO_READ:
        ballots = decode_stored_ballots(rows[::2], rows[1::2])
        return [status, sealed_at, ballots, *(total or [len(ballots)])]
    # The cursor means nothing to another node that takes over: the next read asks only that one.
    lists = (read_batches(store, turn) for _ in range(2))
    ballots = next((ballots for ballots in lists if len(ballots) == rows), ())
    return [SEALED, sealed_at, ballots, rows] if ballots else [LOST]


def read_seal(answers: Sequence[list[Any]], prefetched: Prefetched) -> TooEarly | BoxLost | Sealed | None:
    """Read the replies of a turn's shards. The turn is sealed once all of them are.

    Returns None if the prefetch missed ballots: the shards must reply without it.
    """
    statuses = [answer[0] for answer in answers]
    if LOST in statuses:
        return BoxLost()
    if EARLY in statuses:
        return TooEarly(max(answer[1] for answer in answers if answer[0] == EARLY))
    ballots = merge_shards([answer[2] for answer in answers])
    if SEALED_AFTER_PREFETCH in statuses:
        whole = {number for number, status in enumerate(statuses) if status == SEALED}
        ballots = prefetched.merge(ballots, whole)
        if len(ballots) != sum(answer[3] for answer in answers):
            return None
        ballots = in_order(ballots) if len(answers) > 1 else ballots
    return Sealed(ballots, max(answer[1] for answer in answers))


def merge_shards(parts: Sequence[tuple[Ballot, ...]]) -> tuple[Ballot, ...]:
    """Return the ballots of all shards in order of arrival.

    A gateway of an earlier version casts into the first shard, so that a voter may have two ballots.
    """
    return parts[0] if len(parts) == 1 else merge_ballots(chain.from_iterable(parts), ())
