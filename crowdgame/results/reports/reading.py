"""Reads a match report from the database: resolved turns only, and counts instead of ballots."""

from collections.abc import Mapping
from typing import cast

import msgspec
from msgspec.structs import replace

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn, Crowd
from crowdgame.results.reports.analysis_view import match_crowds
from crowdgame.results.reports.match_report import MatchEnd, MatchReport, SideVote, TurnReport
from games.engine.game import SIDES, Picks, Side, other_side
from games.engine.registry import read_options
from voting.announcements.snapshots import load_sides_summary
from voting.counting.methods.voting_method import find_method
from voting.models import Match, TallyRecord
from voting.positions import Position, end_reason, load_position
from voting.terms import MatchState


def read_report(match: Match) -> MatchReport:
    """Build the report. Load `match` with its event and teams (`select_related`) to avoid extra queries."""
    position = load_position(match)
    game = position.game
    return MatchReport(
        event=match.event.name,
        code=match.event.code,
        match=match.number,
        teams={"red": match.red.name, "yellow": match.yellow.name},
        game=game.title,
        end=_end(match),
        reason=end_reason(match, position),
        sides=load_sides_summary(match),
        start=game.view(game.start(read_options(game, match.options)), None),
        turns=_turns(match, position),
    )


def _end(match: Match) -> MatchEnd:
    if match.state == MatchState.PLAYING:
        return "playing"
    return cast(MatchEnd, match.result) if match.state == MatchState.ENDED else "aborted"


def _turns(match: Match, position: Position) -> tuple[TurnReport, ...]:
    game = position.game
    state = game.start(read_options(game, match.options))
    votes = _votes(match)
    reports = []
    for turn in position.turns:
        state, resolution = game.resolve(state, Picks(turn.red_pick, turn.yellow_pick))
        reports.append(
            TurnReport(
                number=turn.number,
                votes=votes.get(turn.pk, {}),
                board=game.view(state, None),
                resolution=resolution,
                seed="" if match.is_secret else turn.seed,
                # Imported records lack it.
                opened_at=turn.opens_at if turn.opens_at < turn.closes_at else None,
                sealed_at=turn.sealed_at,
                resolved_at=turn.resolved_at,
            )
        )
    return tuple(reports)


def _votes(match: Match) -> dict[int, dict[Side, SideVote]]:
    """Return the votes by turn id and side, red first. Empty while sides are secret.

    Defers the sealed ballots, which are large.
    """
    found: dict[int, dict[Side, SideVote]] = {}
    if match.is_secret:
        return found
    max_votes = find_method(match.tally_method).max_votes
    for record in TallyRecord.objects.filter(turn__match=match).defer("sealed").order_by("side"):
        vote = msgspec.convert(record, SideVote, from_attributes=True)
        found.setdefault(record.turn_id, {})[cast(Side, record.side)] = replace(vote, max_votes=max_votes)
    return found


def read_event_crowds(
    match: Match, analyses: Mapping[int, Mapping[int, AnalyzedTurn]]
) -> dict[Side, list[Crowd]]:
    """Return the judged crowds of the event so far, of the team that plays each side in this match.

    `analyses` are by match and turn number. Empty if no earlier match is analyzed.
    """
    if analyses.keys() <= {match.number}:
        return {}
    crowds: dict[Side, list[Crowd]] = {side: [] for side in SIDES}
    played = match.event.matches.filter(number__in=list(analyses)).values_list("number", "red")
    for number, red in played:
        for side, judged in match_crowds(analyses[number]).items():
            crowds[side if red == match.red_id else other_side(side)] += judged
    return crowds
