"""Analyze resolved turns and load what may be shown of them."""

from typing import cast

from django.db.models import QuerySet

from crowdgame.analysis.analyzed_turn import AnalyzedTurn, analyze_turn, pack_analysis, unpack_analysis
from crowdgame.analysis.models import TurnAnalysis
from games.engine.game import Picks, Side
from games.solver.positions import read_position
from voting.matches import Position, load_position
from voting.models import Event, Match, TallyRecord, Turn, TurnState
from voting.terms import AnalysisTime, MatchState


def are_shown(event: Event, match: Match) -> bool:
    """Return whether screens and pages show the match's analyses now."""
    if event.analysis == AnalysisTime.TURN and not match.is_secret:
        return True
    return event.analysis != AnalysisTime.OFF and match.state != MatchState.PLAYING


def load_analyses(match: Match) -> dict[int, AnalyzedTurn]:
    """Return the match's analyses by turn number, as far as they may be shown. `match` has its event."""
    if not are_shown(match.event, match):
        return {}
    return {row.turn.number: unpack_analysis(bytes(row.packed)) for row in _rows(match)}


def analyses_version(match: Match) -> tuple[object, ...]:
    """Return a value that changes with what `load_analyses` returns."""
    return match.event.analysis, *_rows(match).order_by("-pk").values_list("pk", flat=True)[:1]


def _rows(match: Match) -> QuerySet[TurnAnalysis]:
    found = TurnAnalysis.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    return found.select_related("turn")


def store_analysis(turn: Turn) -> TurnAnalysis | None:
    """Analyze a resolved turn and store the result. Idempotent.

    None if its game has no solver, if it is no longer resolved, or if it was analyzed meanwhile.
    """
    analysis = _analyze(turn)
    if analysis is None or not Turn.objects.filter(pk=turn.pk, state=TurnState.RESOLVED).exists():
        return None
    row = TurnAnalysis(turn=turn, packed=pack_analysis(analysis))
    TurnAnalysis.objects.bulk_create([row], ignore_conflicts=True)
    return row


def _analyze(turn: Turn) -> AnalyzedTurn | None:
    before = read_position(load_position(turn.match, before=turn).state)
    position = load_position(turn.match)
    if before is None or turn not in position.turns:
        return None
    index = position.turns.index(turn)
    tallies = TallyRecord.objects.filter(turn=turn).values_list("side", "counts")
    return analyze_turn(
        before,
        _whole_picks(position, index),
        {cast(Side, side): _by_column(counts) for side, counts in tallies},
        is_complete=position.votes[index] != "concealed",
    )


def _by_column(counts: list[int]) -> dict[int, int]:
    return {column: count for column, count in enumerate(counts, 1) if count}


def _whole_picks(position: Position, index: int) -> Picks:
    """Return the picks of the turn at this index, together with those of its other half."""
    halves = [position.turns[index]]
    if position.votes[index] == "concealed":
        halves += position.turns[index + 1 : index + 2]
    elif index and position.votes[index - 1] == "concealed":
        halves.append(position.turns[index - 1])
    red = [half.red_pick for half in halves if half.red_pick is not None]
    yellow = [half.yellow_pick for half in halves if half.yellow_pick is not None]
    return Picks(next(iter(red), None), next(iter(yellow), None))
