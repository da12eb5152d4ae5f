"""Snapshot: the public state of an event, read from the database.

Ballot secrecy: it tells nothing of the votes in an open window or of a concealed turn.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import msgspec
from django.conf import settings
from django.db.models import Count, Q
from django.utils.translation import gettext, override

from games.engine.game import SIDES, Side
from games.engine.texts import translate_board
from voting import protocol
from voting.announcements.reveals import ShownMatch, show_concealed, show_reveal
from voting.counting.commitments import commit_lot
from voting.counting.series import series_starts, winning_team
from voting.counting.side_changes import SidesSummary
from voting.matches import is_idle
from voting.models import (
    CLOSED_STATES,
    LIVE_STATES,
    Event,
    Match,
    MatchTerms,
    SidesRecord,
    TallyRecord,
    Team,
    Turn,
    TurnState,
)
from voting.models.settings import list_hidden_parts
from voting.nicknames import offered_nicknames
from voting.positions import Position, end_reason, load_end_reasons, replay
from voting.terms import EndReason, MatchState, TieRule

MAX_FINISHED, MAX_CACHED_REASONS = 20, 10_000
AnalysisLoader = Callable[[Event, Match, Turn], protocol.Analysis | None]
_analysis_loaders: list[AnalysisLoader] = []
PlayersLoader = Callable[[Event, Match | None], "PlayersState"]
_players_loaders: list[PlayersLoader] = []
PARTS = [(field, part.name) for field, part in list_hidden_parts(Event).items()]


class EndedMatch(NamedTuple):
    """A finished match with the number of its `resolved` turns. `red` and `yellow` are its teams' numbers."""

    event_id: int
    match_id: int
    ended_at: int
    number: int
    resolved: int
    result: str
    red: int
    yellow: int


class PlayersState(NamedTuple):
    """What EventState says of an event with fixed players."""

    is_casual: bool = False
    rematch_wanted_by: int | None = None


def provide_analyses(loader: AnalysisLoader) -> None:
    """Register what loads the analysis of the turn resolved last, None if it may not be shown now."""
    _analysis_loaders.append(loader)


def provide_players(loader: PlayersLoader) -> None:
    """Register what loads the state of an event with fixed players and its latest match."""
    _players_loaders.append(loader)


def load_snapshot(event: Event) -> protocol.EventState:
    """Build an event's snapshot. Call it inside the transaction whose result it must show."""
    teams = list(event.teams.order_by("number"))
    match = event.matches.order_by("-number").first()
    has_ended = match is not None and (match.number > 1 or match.state == MatchState.ENDED)
    ended = load_ended_matches([event.pk])[event.pk] if has_ended else ()
    return build_snapshot(event, teams, _load_shown(match) if match else None, ended)


def _load_shown(match: Match) -> ShownMatch:
    turns = list(match.turns.exclude(state=TurnState.VOID).order_by("number"))
    position = replay(match, [turn for turn in turns if turn.state in CLOSED_STATES])
    live = next((turn for turn in turns if turn.state in LIVE_STATES), None)
    revealed = [turn for turn in (*position.turns[-1:], position.revealed_with_last) if turn]
    tallies = list(TallyRecord.objects.filter(turn__in=revealed)) if revealed else []
    return ShownMatch(match, position, live, tallies)


def load_ended_matches(event_ids: Iterable[int]) -> dict[int, list[EndedMatch]]:
    """Return the finished matches of each of these events, oldest first, without rehearsed ones.

    Makes one query.
    """
    resolved = Count("turns", filter=Q(turns__state=TurnState.RESOLVED))
    played = Match.objects.filter(event__in=event_ids, state=MatchState.ENDED, rehearsed=False)
    ended = played.annotate(resolved=resolved)
    names = ("event_id", "pk", "ended_at", "number", "resolved", "result", "red__number", "yellow__number")
    by_event = defaultdict[int, list[EndedMatch]](list)
    for row in ended.order_by("number").values_list(*names):
        by_event[row[0]].append(EndedMatch(*row))
    return by_event


def build_snapshot(
    event: Event, teams: Sequence[Team], latest: ShownMatch | None, ended: Sequence[EndedMatch]
) -> protocol.EventState:
    """Build the event's snapshot from rows: its teams by number, its latest match and the finished ones.

    Makes no queries, except for concealed or paused turns, secret sides, fixed players, analyses after each
    turn, and matches that have ended. The title and the sentences of the game are in the event's language.
    """
    with override(event.language):
        return _build_snapshot(event, teams, latest, ended)


def _build_snapshot(
    event: Event, rows: Sequence[Team], latest: ShownMatch | None, ended: Sequence[EndedMatch]
) -> protocol.EventState:
    teams = msgspec.convert(tuple(rows), tuple[protocol.Team, protocol.Team], from_attributes=True)
    match = latest.match if latest else None
    secret = match is not None and match.is_secret
    terms = match if match and match.state == MatchState.PLAYING else event
    computed = {
        "teams": teams,
        "match": _match(event, latest, {team.pk: team for team in rows}) if latest else None,
        "finished": _finished(event, ended),
        "peek": event.peek and not secret,
        "own_counts": event.own_counts and not secret,
        "team_discussion": event.team_discussion and not secret,
        "hidden": _hidden(event, terms, secret=secret),
        "captains": event.tie_rule == TieRule.CAPTAIN,
        "is_duel": event.fixed_players,
        "special_rules": terms.special_rules,
        "consent": terms.consent,
        "nicknames": offered_nicknames(event),
        "vote_mail": (settings.EMAIL_ENABLED or settings.PUSH_ENABLED) and terms.has_long_windows,
        "lobby_music": event.lobby_music if settings.LOBBY_MUSIC else None,
        "brand_line": event.shown_brand_line,
        "logo": event.shown_logo,
        "next_lot": commit_lot(event.next_seed) if terms is event and event.next_seed else None,
    }
    for load in _players_loaders if event.fixed_players else ():
        computed |= load(event, match)._asdict()
    return msgspec.convert(vars(event) | computed, protocol.EventState)


def _hidden(event: Event, terms: MatchTerms, *, secret: bool) -> tuple[protocol.Part, ...]:
    """The parts that the organizer hides. Secret sides also hide counts, and a study hides hints."""
    always = {"tally": secret, "hints": terms.in_study}
    hidden = [part for field, part in PARTS if getattr(event, field) or always.get(part)]
    return cast(tuple[protocol.Part, ...], tuple(hidden))


def _match(event: Event, shown: ShownMatch, teams: dict[int, Team]) -> protocol.Match:
    """Build the match's state. `teams` are the event's, by primary key."""
    match, position, turn = shown.match, shown.position, shown.live
    match.red, match.yellow = teams[match.red_id], teams[match.yellow_id]
    computed = {
        "title": gettext(position.game.title),
        "red": match.red.number,
        "yellow": match.yellow.number,
        "result": match.result or "open",
        "board": translate_board(position.game.view(position.state, None), gettext),
        "turn": _turn(event, turn, position) if turn else None,
        "reveal": show_reveal(shown) if position.turns else None,
        "clocks": _clocks(match, turn or position.last),
        "concealed": show_concealed(position.concealed) if position.concealed else None,
        "rated": _rated(match),
        "sides": load_sides_summary(match),
        "offers": _offers(turn) if turn and event.fixed_players else (),
        "end_reason": end_reason(match, position),
        "analysis": _analysis(event, match, position.turns[-1]) if position.turns else None,
    }
    return msgspec.convert(vars(match) | computed, protocol.Match)


def _analysis(event: Event, match: Match, turn: Turn) -> protocol.Analysis | None:
    return next(filter(None, (load(event, match, turn) for load in _analysis_loaders)), None)


def _offers(turn: Turn) -> tuple[protocol.Offer, ...]:
    return msgspec.convert(
        tuple(turn.offers.order_by("pk")), tuple[protocol.Offer, ...], from_attributes=True
    )


def _rated(match: Match) -> protocol.Rated | None:
    if match.state != MatchState.ENDED or not hasattr(match, "rated"):
        return None
    return protocol.Rated(
        **{name: round(getattr(match.rated, name)) for name in protocol.Rated.__struct_fields__}
    )


def load_sides_summary(match: Match) -> SidesSummary | None:
    """Return the published summary of a match with side changes, once it is made."""
    kept = SidesRecord.objects.filter(match=match).first() if match.max_side_changes else None
    return msgspec.convert(kept.summary["summary"], SidesSummary) if kept else None


def _clocks(match: Match, turn: Turn | None) -> protocol.Clocks | None:
    """The time banks as they stood when the turn opened, or after the last turn."""
    if match.bank_s is None:
        return None
    computed = {f"{side}_ms": _left_ms(match, turn, side) for side in SIDES} | {"crowd": match.crowd_clocks}
    return msgspec.convert(vars(match) | computed, protocol.Clocks)


def _left_ms(match: Match, turn: Turn | None, side: Side) -> int:
    if turn is None:
        return (match.bank_s or 0) * 1000
    return int(getattr(turn, f"{side}_bank_ms") or 0) - int(getattr(turn, f"{side}_used_ms") or 0)


def _turn(event: Event, turn: Turn, position: Position) -> protocol.Turn:
    game, state = position.game, position.state
    paused = turn.state == TurnState.PAUSED
    computed = {
        "paused": paused,
        "idle": paused and is_idle(event),
        "left_ms": turn.left_ms or 0,
        "talk_ms": turn.talk_left_ms,
        "to_move": position.to_move,
        "legal": protocol.Legal(**{side: game.legal_actions(state, side) for side in SIDES}),
        "lot": turn.lot,
        "draw_offered_by": turn.draw_offered_by or None,
    }
    return msgspec.convert(vars(turn) | computed, protocol.Turn)


def _finished(event: Event, ended: Sequence[EndedMatch]) -> tuple[protocol.Finished, ...]:
    """The latest of these matches (about MAX_FINISHED), with whole series."""
    winners = [winning_team(match.result, match.red, match.yellow) for match in ended]
    first = max(0, len(ended) - MAX_FINISHED)
    if event.best_of is not None:
        first = max(place for place in series_starts(winners, event.best_of) if place <= first)
    return tuple(
        protocol.Finished(
            number=match.number,
            winner=winner,
            turns=match.resolved,
            end_reason=_finished_reason(match.match_id, match.ended_at),
        )
        for match, winner in zip(ended[first:], winners[first:], strict=True)
    )


@lru_cache(MAX_CACHED_REASONS)
def _finished_reason(match_id: int, ended_at: int) -> EndReason | None:
    """Cached, because it needs a replay. A match that is reopened ends again at another time."""
    return load_end_reasons([Match.objects.get(pk=match_id)])[match_id]
