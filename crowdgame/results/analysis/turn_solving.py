"""Solve resolved turns and store their analyses. Loads the solver, which most processes don't need."""

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import cast

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn, analyze_turn, pack_analysis
from crowdgame.results.analysis.models import TurnAnalysis
from games.engine.game import Picks, Side
from games.solver.positions import read_position
from games.solver.solver import solve
from voting.models import TallyRecord, Turn, TurnState
from voting.positions import Position, load_position

Work = Callable[[], AnalyzedTurn]
# Matches begin alike: the first turns of a whole class reach few positions.
CACHED_POSITIONS = 1_024
solve_cached = lru_cache(CACHED_POSITIONS)(solve)


def store_analysis(turn: Turn, run: Callable[[Work], AnalyzedTurn] = operator.call) -> TurnAnalysis | None:
    """Analyze a resolved turn and store the result. Idempotent. `run` calls the long part, without queries.

    None if its game has no solver, or if it is no longer resolved.
    """
    work = _prepare(turn)
    if work is None:
        return None
    row = TurnAnalysis(turn=turn, packed=pack_analysis(run(work)))
    if not Turn.objects.filter(pk=turn.pk, state=TurnState.RESOLVED).exists():
        return None
    TurnAnalysis.objects.bulk_create([row], ignore_conflicts=True)
    return row


def _prepare(turn: Turn) -> Work | None:
    """Load what the analysis of the turn needs."""
    before = read_position(load_position(turn.match, before=turn).state)
    position = load_position(turn.match)
    if before is None or turn not in position.turns:
        return None
    index = position.turns.index(turn)
    tallies = TallyRecord.objects.filter(turn=turn).values_list("side", "counts")
    picks = _whole_picks(position, index)
    votes = {cast(Side, side): _by_column(counts) for side, counts in tallies}
    is_complete = position.votes[index] != "concealed"
    return lambda: analyze_turn(solve_cached(before), picks, votes, is_complete=is_complete)


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
