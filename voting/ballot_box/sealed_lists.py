"""Read the lists of sealed shards, large ones in pieces, because Valkey serves no other event meanwhile."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from voting.ballot_box.box_types import (
    BoxedTurn,
    BoxLost,
    Prefetched,
    Sealed,
    TooEarly,
    decode_stored_ballots,
    in_order,
)
from voting.counting.ballots import Ballot

PIECE = 5_000  # ballots that are read at once, in about 10 ms
LOST, EARLY, SEALED, SEALED_AFTER_PREFETCH, SEALED_TO_READ = range(5)  # replies of `seal.lua`


def read_pieces(store: Any, turn: BoxedTurn) -> list[bytes]:
    """Return voters and ballots in turn, of a box that is sealed or records whose ballots arrive."""
    cursor, held = store.hscan(turn.keys[1], 0, count=PIECE)
    while cursor:
        cursor, piece = store.hscan(turn.keys[1], cursor, count=PIECE)
        held |= piece
    return [*chain.from_iterable(held.items())]


def read_sealed(store: Any, turn: BoxedTurn, answer: Any) -> Any:
    """Read the ballots of a large shard. It is lost if they are not those that were sealed."""
    if not isinstance(answer, list) or answer[0] != SEALED_TO_READ:
        return answer
    _, sealed_at, count = answer
    held = read_pieces(store, turn)
    return [SEALED, sealed_at, held] if len(held) == 2 * count else [LOST]


def read_seal(answers: Sequence[list[Any]], prefetched: Prefetched) -> TooEarly | BoxLost | Sealed:
    """Read the replies of a turn's shards. The turn is sealed once all of them are."""
    statuses = [answer[0] for answer in answers]
    if LOST in statuses:
        return BoxLost()
    if EARLY in statuses:
        return TooEarly(max(answer[1] for answer in answers if answer[0] == EARLY))
    ballots = decode_all(answer[2] for answer in answers)
    if SEALED_AFTER_PREFETCH in statuses:
        whole = {number for number, status in enumerate(statuses) if status == SEALED}
        ballots = prefetched.merge(ballots, whole)
        ballots = in_order(ballots) if len(answers) > 1 else ballots
    return Sealed(ballots, max(answer[1] for answer in answers))


def decode_all(parts: Iterable[list[bytes]]) -> tuple[Ballot, ...]:
    """Decode lists of voters and their ballots in turn. Returns the ballots of all, in order of arrival."""
    decoded = [decode_stored_ballots(part[::2], part[1::2]) for part in parts]
    return decoded[0] if len(decoded) == 1 else in_order(chain.from_iterable(decoded))
