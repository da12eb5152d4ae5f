"""Load what may be shown of the stored analyses, and announce it.

Nothing is shown of a turn whose position is that of the event's live turn. A match can repeat a position, and
the next match begins with the same one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import cast

import msgspec
from django.db.models import Q, QuerySet

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn, unpack_analysis
from crowdgame.results.analysis.deciding_turns import (
    find_decisive_mistake,
    find_missed_win,
    find_turning_turn,
)
from crowdgame.results.analysis.models import TurnAnalysis
from crowdgame.results.analysis.stored_judges import judges_version, load_judges
from crowdgame.results.analysis.verdicts import Shares, judge_choices, vote_shares
from games.engine.errors import GameError
from games.engine.game import SIDES, Side
from games.solver.judgment import Quality
from games.solver.positions import Position, read_position
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.counting.methods.voting_method import find_method
from voting.matches import judges_each_turn, locked_event
from voting.models import CLOSED_STATES, LIVE_STATES, Event, Match, TallyRecord, Turn, TurnState
from voting.positions import extend, load_position, replay
from voting.terms import AnalysisTime, MatchState

EventAnalyses = dict[int, dict[int, AnalyzedTurn]]  # by match and turn number


def are_shown(event: Event, match: Match) -> bool:
    """Return whether screens and pages show the match's analyses now."""
    if match.state == MatchState.PLAYING:
        return judges_each_turn(event, match)
    return event.analysis != AnalysisTime.OFF


def load_analyses(match: Match) -> dict[int, AnalyzedTurn]:
    """Return the match's analyses by turn number, as far as they may be shown. `match` has its event."""
    if not are_shown(match.event, match):
        return {}
    return {turn.number: analysis for turn, analysis in _visible(_rows(match).filter(turn__match=match))}


def load_event_analyses(match: Match) -> EventAnalyses:
    """Return the analyses of the event's matches up to this one, by match and turn number.

    Leaves out what may not be shown, and dry runs other than this match.
    """
    found: EventAnalyses = {}
    rows = _rows(match).filter(Q(turn__match=match) | Q(turn__match__rehearsed=False))
    for turn, analysis in _visible(rows):
        if are_shown(match.event, turn.match):
            found.setdefault(turn.match.number, {})[turn.number] = analysis
    return found


def analyses_version(match: Match) -> tuple[object, ...]:
    """Return a value that changes with what `load_event_analyses` returns."""
    rows = _rows(match).order_by()
    withheld = _same_as_live(match.event_id, rows.values_list("turn__match", flat=True))
    shown = match.event.analysis, match.event.hide_hints, rows.count(), *sorted(withheld)
    return *shown, *judges_version(match)


def _rows(match: Match) -> QuerySet[TurnAnalysis]:
    """Return the analyses of the event up to this match, in order."""
    found = TurnAnalysis.objects.filter(
        turn__match__event=match.event_id,
        turn__match__number__lte=match.number,
        turn__state=TurnState.RESOLVED,
    )
    return found.select_related("turn__match").order_by("turn__match__number", "turn__number")


def load_announced_analysis(event: Event, match: Match, turn: Turn) -> protocol.Analysis | None:
    """Return the analysis of the turn resolved last. None if the event does not show it now.

    Queries only if it does.
    """
    if not are_shown(event, match):
        return None
    rows = _rows(match).filter(turn__match=match)
    if match.state == MatchState.PLAYING:
        rows = rows.filter(turn__number__gte=turn.number - 1)
    found = list(_visible(rows))
    if not found or found[-1][0] != turn:
        return None
    described = _describe(turn, _with_other_half(found), _load_shares(turn, match, event))
    summary = load_match_analysis(match, {turn.number: analysis for turn, analysis in found}, event)
    return msgspec.structs.replace(described, match=summary)


def _with_other_half(found: Sequence[tuple[Turn, AnalyzedTurn]]) -> AnalyzedTurn:
    """Return the last analysis, with the choice of a half that was revealed together with it."""
    turn, last = found[-1]
    for before, half in found[-2:-1]:
        if before.number == turn.number - 1 and half.after is None and half.solution == last.solution:
            return msgspec.structs.replace(last, sides={**half.sides, **last.sides})
    return last


def load_match_analysis(
    match: Match, analyses: Mapping[int, AnalyzedTurn], event: Event | None = None
) -> protocol.MatchAnalysis | None:
    """Return what decided an ended match. None without the analyses of all its turns.

    With an event, leave out the counts that it hides.
    """
    if match.state != MatchState.ENDED or not analyses:
        return None
    turns = {turn.number: turn for turn in match.turns.filter(state=TurnState.RESOLVED)}
    if turns.keys() != analyses.keys():
        return None
    winner = match.result if match.result in SIDES else None
    mistake = find_decisive_mistake(analyses, winner)
    return protocol.MatchAnalysis(
        turning=find_turning_turn(analyses, winner) if winner else None,
        mistake=_describe_mistake(turns[mistake], analyses[mistake], match, event) if mistake else None,
        missed=find_missed_win(analyses, winner),
        judges=load_judges(match, event or match.event),
    )


def _describe_mistake(
    turn: Turn, analysis: AnalyzedTurn, match: Match, event: Event | None
) -> protocol.DecisiveMistake:
    position = load_position(match, before=turn)
    verdicts = judge_choices(analysis, _load_shares(turn, match, event))
    return protocol.DecisiveMistake(
        number=turn.number,
        verdict=next(verdict for verdict in verdicts if verdict.side != match.result),
        board=position.game.view(position.state, None),
        before=_rounded_chance(analysis.solution.value),
        after=None if analysis.after is None else _rounded_chance(analysis.after),
        margin=analysis.solution.margin,
    )


def _load_shares(turn: Turn, match: Match, event: Event | None) -> dict[Side, Shares]:
    """Return the shares of each side's votes in a turn and its other half. Empty if the event hides them."""
    if event and event.hide_tally:
        return {}
    tallies = TallyRecord.objects.filter(
        turn__match=match, turn__state=TurnState.RESOLVED, turn__number__in=(turn.number - 1, turn.number)
    ).order_by("turn__number")
    max_votes = find_method(match.tally_method).max_votes
    return {
        cast(Side, tally.side): vote_shares(tally.counts, tally.ballots, max_votes)
        for tally in tallies.only("side", "counts", "ballots")
    }


def _visible(rows: QuerySet[TurnAnalysis]) -> Iterator[tuple[Turn, AnalyzedTurn]]:
    """Yield the conclusive analyses of an event's turns, without those that solve its live turn."""
    found = list(rows)
    if not found:
        return
    withheld = _same_as_live(found[0].turn.match.event_id, {row.turn.match_id for row in found})
    for row in found:
        analysis = unpack_analysis(bytes(row.packed))
        if analysis.solution.is_conclusive and row.turn_id not in withheld:
            yield row.turn, analysis


def load_live_position(event_id: int) -> Position | None:
    """Return the position that people vote on; None without one that the solver knows."""
    live = Turn.objects.select_related("match").filter(match__event=event_id, state__in=LIVE_STATES).first()
    try:
        return read_position(load_position(live.match, before=live).state) if live else None
    except GameError:  # the game is not installed any more
        return None


def _same_as_live(event_id: int, matches: Iterable[int]) -> set[int]:
    """Return the ids of the matches' closed turns whose position is equivalent to that of the live turn."""
    position = load_live_position(event_id)
    if position is None:
        return set()
    equivalents = position.equivalents()
    turns = Turn.objects.select_related("match").filter(match__in=matches, state__in=CLOSED_STATES)
    return {
        turn.pk
        for match, closed in groupby(turns.order_by("match", "number"), lambda turn: turn.match)
        for turn, before in _positions(match, closed)
        if before in equivalents
    }


def _positions(match: Match, closed: Iterable[Turn]) -> Iterator[tuple[Turn, Position | None]]:
    """Yield each of the match's closed turns, given in order, with the position before it."""
    position = replay(match, ())
    for turn in closed:
        yield turn, read_position(position.state)
        position = extend(position, [turn])


def _describe(turn: Turn, analysis: AnalyzedTurn, shares: Mapping[Side, Shares]) -> protocol.Analysis:
    """Return what screens and phones show of an analysis."""
    red, yellow = (analysis.sides.get(side) for side in SIDES)
    return protocol.Analysis(
        turn=turn.pk,
        before=_rounded_chance(analysis.solution.value),
        after=None if analysis.after is None else _rounded_chance(analysis.after),
        margin=analysis.solution.margin,
        verdicts=judge_choices(analysis, shares),
        red_classes=_classes(analysis, "red"),
        yellow_classes=_classes(analysis, "yellow"),
        red_mix=_percent(analysis.mix("red") if red else ()),
        yellow_mix=_percent(analysis.mix("yellow") if yellow else ()),
    )


def _percent(shares: Iterable[float]) -> tuple[int, ...]:
    return tuple(round(100 * share) for share in shares)


def _classes(analysis: AnalyzedTurn, side: Side) -> tuple[Quality | None, ...]:
    judged = analysis.sides.get(side)
    return (
        tuple(judged.qualities.get(column) for column in range(1, len(analysis.mix(side)) + 1))
        if judged
        else ()
    )


def _rounded_chance(value: float) -> float:
    return round((1 + value) / 2, 3)


def announce_analysis(turn: Turn, now: int) -> None:
    """Announce the analysis of the turn resolved last, or that of the last turn of an ended match.

    Does nothing if the event does not show it now, or if later turns were played.
    """
    event_id = turn.match.event_id
    if not judges_each_turn(turn.match.event, turn.match) and _is_playing(turn.match_id):
        return
    with locked_event(event_id) as event:
        match = event.matches.order_by("-number").first()
        resolved = match.turns.filter(state=TurnState.RESOLVED).order_by("-number") if match else None
        last = resolved.first() if resolved else None
        if match is None or last is None or match.pk != turn.match_id:
            return
        analysis = load_announced_analysis(event, match, last)
        if analysis is None or (last != turn and analysis.match is None):
            return
        announce(event_id, protocol.TurnAnalyzed, now)
    relay(event_id)


def _is_playing(match_id: int) -> bool:
    return Match.objects.filter(pk=match_id, state=MatchState.PLAYING).exists()
