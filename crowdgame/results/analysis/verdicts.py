"""What an analysis says about each team's choice: its class, and which column would have held. Pure."""

from collections.abc import Mapping, Sequence

from crowdgame.results.analysis.analyzed_turn import MIN_CROWD, AnalyzedSide, AnalyzedTurn
from games.engine.game import Side
from games.solver.judgment import NEVER
from games.solver.solution import Mix
from voting import protocol

Shares = Mapping[int, float]
"""The share of a team's voters for each column, from 0 to 1."""


def vote_shares(counts: Sequence[int], ballots: int, max_votes: int) -> Shares:
    """Return the shares of the voters. Empty for a single voter, or if ballots give points."""
    if ballots < MIN_CROWD or max_votes > 1:
        return {}
    return {column: count / ballots for column, count in enumerate(counts, 1)}


def judge_choices(analysis: AnalyzedTurn, shares: Mapping[Side, Shares]) -> tuple[protocol.Verdict, ...]:
    """Return a verdict on each pick, the costliest first. `shares` has the votes that may be shown."""
    judged = sorted(analysis.sides.items(), key=lambda item: item[1].loss or 0, reverse=True)
    return tuple(
        _judge(side, choice.pick, choice, analysis.mix(side), shares.get(side, {}))
        for side, choice in judged
        if choice.pick is not None
    )


def best_columns(choice: AnalyzedSide, mix: Mix) -> list[int]:
    """Return the columns of the best class; by an estimate that names none, those of the perfect mix."""
    best = [column for column, quality in choice.qualities.items() if quality == "best"]
    return best or [column for column in choice.losses if mix[column - 1] > NEVER]


def _judge(side: Side, pick: int, choice: AnalyzedSide, mix: Mix, shares: Shares) -> protocol.Verdict:
    held = None
    if choice.is_costly:
        held = max(best_columns(choice, mix), key=lambda column: (shares.get(column, 0), mix[column - 1]))
    return protocol.Verdict(
        side=side,
        column=pick,
        quality=choice.quality,
        loss=round(choice.losses[pick], 3),
        held=held,
        share=shares.get(held) if held else None,
    )
