"""Secret sides at the close of a turn: for whom each ballot counts, who is left, and the story at the end."""

from collections.abc import Sequence
from typing import cast

import msgspec

from games.engine.game import Result, Side
from games.models import Match, Turn, TurnState
from voting.counting.ballots import Ballot, unpack_ballots
from voting.counting.sides import (
    Crossing,
    Votes,
    deserted_side,
    members_of,
    on_their_sides,
    sides_now,
    tell_sides,
)
from voting.models import SidesRecord, TallyRecord
from voting.records.match_record import SecretSides, TurnSides
from voting.turns.side_changes import crossings_of


def changes_before(turn: Turn) -> tuple[Crossing, ...]:
    """All changes of side that hold in this turn; none where there are none to be had."""
    return crossings_of(turn.match) if turn.match.defections else ()


def sort_by_side(ballots: Sequence[Ballot], changes: Sequence[Crossing]) -> Sequence[Ballot]:
    return on_their_sides(ballots, sides_now(changes)) if changes else ballots


def find_deserted(turn: Turn, ballots: Sequence[Ballot], changes: Sequence[Crossing]) -> Side | None:
    """Earlier turns are looked through only where a side that somebody left has no ballot in this one."""
    if not changes:
        return None
    now = sides_now(changes)
    homes = {ballot.voter: ballot.side for ballot in ballots}
    if deserted_side(homes, now) is None:
        return None
    for earlier in _votes(turn.match):
        homes = {**earlier, **homes}
    return deserted_side(homes, now)


def _votes(match: Match) -> list[Votes]:
    """Who voted for which side, a resolved turn each."""
    votes: dict[int, dict[str, Side]] = {}
    records = TallyRecord.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    for number, sealed in records.order_by("turn__number").values_list("turn__number", "sealed"):
        of_turn = votes.setdefault(number, {})
        of_turn |= {ballot.voter: ballot.side for ballot in unpack_ballots(bytes(sealed))}
    return list(votes.values())


def keep_story(match: Match) -> None:
    """Once the match has ended, in the same transaction: what the sides were, without a name."""
    if not match.defections:
        return
    changes = crossings_of(match)
    members = members_of(_votes(match), changes)
    told = tell_sides(members.values(), changes, cast(Result, match.result))
    turns = tuple(
        TurnSides(whole=whole, crossed=_crossed(changes, number))
        for number, whole in match.turns.filter(state=TurnState.RESOLVED)
        .order_by("number")
        .values_list("number", "whole")
    )
    record = msgspec.to_builtins(SecretSides(told=told, turns=turns))
    SidesRecord.objects.update_or_create(match=match, defaults={"told": record})


def _crossed(changes: Sequence[Crossing], turn: int) -> tuple[tuple[Side, str], ...]:
    """By their random numbers: the order in which they came would be another trace."""
    of_turn = [(one.side, one.blind) for one in changes if one.turn == turn]
    return tuple(sorted(of_turn, key=lambda one: one[1]))
