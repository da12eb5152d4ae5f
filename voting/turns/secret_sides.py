"""Secret sides at the close of a turn: find a deserted side, save the record."""

from collections.abc import Iterable, Sequence
from typing import cast

import msgspec

from games.engine.game import Result, Side
from voting.counting.ballots import Ballot, unpack_ballots
from voting.counting.side_changes import (
    SideChange,
    Votes,
    current_sides,
    deserted_side,
    summarize_sides,
    voter_histories,
)
from voting.models import Match, SidesRecord, TallyRecord, TurnState
from voting.records.match_record import RecordedSides, SecretSides
from voting.turns.side_change_store import load_side_changes


def find_deserted_side(
    match: Match, ballots: Iterable[Ballot], side_changes: Sequence[SideChange]
) -> Side | None:
    """Return the side that everyone has left, or None.

    Reads the votes of earlier turns only if a side that somebody left has no ballot in this one.
    """
    now = current_sides(side_changes)
    home_sides = {ballot.voter: ballot.side for ballot in ballots}
    if deserted_side(home_sides, now) is None:
        return None
    for earlier in _load_votes(match):
        home_sides = {**earlier, **home_sides}
    return deserted_side(home_sides, now)


def _load_votes(match: Match) -> list[Votes]:
    """Return the side of each voter, one mapping per resolved turn."""
    votes: dict[int, dict[str, Side]] = {}
    records = TallyRecord.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    for number, sealed in records.order_by("turn__number").values_list("turn__number", "sealed"):
        of_turn = votes.setdefault(number, {})
        of_turn |= {ballot.voter: ballot.side for ballot in unpack_ballots(bytes(sealed))}
    return list(votes.values())


def save_sides_record(match: Match) -> None:
    """Save the anonymous record of the sides. Call it in the transaction that ends or aborts the match."""
    side_changes, votes = load_side_changes(match), _load_votes(match)
    histories = voter_histories(votes, side_changes).values()
    summary = summarize_sides(histories, side_changes, cast(Result, match.result or "open"), len(votes))
    turns = tuple(
        RecordedSides(turn_commitment=turn_commitment, side_changes=_turn_side_changes(side_changes, number))
        for number, turn_commitment in match.turns.filter(state=TurnState.RESOLVED)
        .order_by("number")
        .values_list("number", "turn_commitment")
    )
    record = msgspec.to_builtins(SecretSides(summary=summary, turns=turns))
    SidesRecord.objects.update_or_create(match=match, defaults={"summary": record})


def _turn_side_changes(side_changes: Sequence[SideChange], turn: int) -> tuple[tuple[Side, str], ...]:
    """Sort by blinding factor: the order of arrival could identify voters."""
    of_turn = [(change.side, change.blind) for change in side_changes if change.turn == turn]
    return tuple(sorted(of_turn, key=lambda change: change[1]))
