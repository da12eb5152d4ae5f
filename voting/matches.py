"""Create matches and update their turns, without anything about votes.

Writers of a turn compare its state and version (`claim_turn`, a compare-and-set): of several attempts, one
wins. Changes of a match or turn are made with a lock on the event's row, which is taken before all others.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, Q, QuerySet, Sum
from django.dispatch import Signal
from django.utils.translation import gettext as _

from games.bots import bots
from games.engine.errors import GameError
from games.engine.game import SIDES, Game
from games.engine.registry import find_game, read_options
from voting.counting.commitments import draw_options_lot
from voting.models import (
    CLOSED_STATES,
    LIVE_STATES,
    Event,
    Match,
    MatchTerms,
    Team,
    Turn,
)
from voting.models.event import new_seed
from voting.terms import BOT, HANDS, PHONES, AnalysisTime, MatchState, TieRule

IDLE_TURNS = 2
TERMS = [field.name for field in MatchTerms._meta.get_fields()]
BY_BOT = Q(tallies__side="red", match__red__source__startswith=f"{BOT}:") | Q(
    tallies__side="yellow", match__yellow__source__startswith=f"{BOT}:"
)
CLAIM_TURNS_SQL = """
    WITH claim (turn_id, claimed_version, {columns}) AS (VALUES {rows})
    UPDATE games_turn AS turn
    SET version = turn.version + 1, {values}
    FROM claim
    WHERE turn.id = claim.turn_id AND turn.version = claim.claimed_version AND turn.state = 'open'
    RETURNING id
"""

# Sent with `match` in the transaction that ends it, after its result is written.
match_ended = Signal()

# Sent with `turn` in the transaction that creates it, in a match that is played.
turn_created = Signal()

# Each returns whether no further match of the event counts. A feature registers its own when it is loaded.
series_ends: list[Callable[[Event], bool]] = []


class MatchError(Exception):
    """The event or match does not allow this now; the message can be shown to users."""


@contextmanager
def event_lock(event_id: int) -> Iterator[None]:
    """A transaction with a row lock on the event: nobody else changes it, its matches or its turns.

    This is the distributed lock of all use cases. Reads within it see the last change. To avoid deadlocks, no
    other lock may be held when it is taken.
    """
    with transaction.atomic():
        Event.objects.select_for_update(no_key=True).values_list("pk").get(pk=event_id)
        yield


def lock_events(event_ids: Collection[int]) -> QuerySet[Event]:
    """Return these events, to be loaded in a transaction: that takes `event_lock` for them.

    Waits for the lock on a single event. Of several events, it leaves out those that somebody has locked, so
    that it cannot deadlock. SQLite has one lock for all events, and waits for that.
    """
    free = Event.objects.select_for_update(no_key=True, skip_locked=len(event_ids) > 1)
    return free.filter(pk__in=event_ids)


@contextmanager
def locked_event(event_id: int) -> Iterator[Event]:
    """Take `event_lock` and yield the event, loaded within it."""
    with event_lock(event_id):
        yield Event.objects.get(pk=event_id)


def create_match(event: Event, now: int) -> Match:
    """Create the event's next match and draw its lots with the seed that the event has committed to.

    Raises MatchError if a match is being played or the event's settings do not fit together.
    """
    if event.matches.filter(state=MatchState.PLAYING).exists():
        raise MatchError(_("A match is already live."))
    try:
        game = find_game(event.game)
        seed = event.next_seed or new_seed()  # an event of an earlier version has none
        options = game.draw_lots(read_options(game, event.options), draw_options_lot(seed))
    except GameError as refusal:
        text = _("This game cannot be played: %(reason)s.") % {"reason": refusal}
        raise MatchError(text) from refusal
    number = (event.matches.aggregate(last=Max("number"))["last"] or 0) + 1
    swapped = event.fixed_players and number % 2 == 0  # in every second match
    red, yellow = event.teams.order_by("-number" if swapped else "number")
    if event.max_side_changes:
        _check_secret_sides(event, game, options)
    terms = {name: getattr(event, name) for name in TERMS} | {"bots": _bots(red, yellow)}
    with_phones = {red.source, yellow.source} == {PHONES}
    terms["shards"] = _shards(event, game, options)
    terms["draw_offers"] &= with_phones and not event.fixed_players and not event.max_side_changes
    proven = {"seed": seed, "chosen_options": event.options} if event.next_seed else {}
    Event.objects.filter(pk=event.pk).update(next_seed=new_seed())
    return Match.objects.create(
        **(terms | {"options": msgspec.to_builtins(options)} | proven),
        event=event,
        number=number,
        red=red,
        yellow=yellow,
        started_at=now,
    )


def _bots(red: Team, yellow: Team) -> dict[str, int] | None:
    strengths = {"red": red.bot_strength, "yellow": yellow.bot_strength}
    playing = {side: strength for side, strength in strengths.items() if strength}
    return playing | {"version": bots.VERSION} if playing else None


def _shards(event: Event, game: Game[Any], options: Any) -> int:
    """Return the number of shards for a match. Ballots that depend on clocks or stay secret have one."""
    shards = min(event.shards, settings.MAX_SHARDS)
    if shards == 1 or event.bank_s is not None or event.fixed_players or event.max_side_changes:
        return 1
    return 1 if game.view(game.start(options), None).vote == "concealed" else shards


def _check_secret_sides(event: Event, game: Game[Any], options: Any) -> None:
    """Raise MatchError if the board or a team without phones would reveal secret sides."""
    if event.bank_s is not None or event.teams.exclude(source=PHONES).exists():
        raise MatchError(_("Secret sides need teams that vote by phone, with the same time for every vote."))
    if event.tie_rule == TieRule.CAPTAIN:
        raise MatchError(_("Secret sides can't be combined with captains, whose votes are public."))
    state = game.start(options)
    red, yellow = (game.legal_actions(state, side) for side in SIDES)
    if red != yellow or game.view(state, None).drawing:
        text = _("Secret sides need a game in which both sides choose from the same columns at once.")
        raise MatchError(text)


def refuse_after_end(event: Event, now: int) -> None:
    """Raise MatchError if the planned end of the event has come."""
    if event.ends_at is not None and now >= event.ends_at:
        raise MatchError(_("The event is over. Change its schedule to go on."))


def live_turn(match: Match) -> Turn | None:
    """Return the open or paused turn, or None."""
    return match.turns.filter(state__in=LIVE_STATES).first()


def judges_each_turn(event: Event, match: Match) -> bool:
    """Whether analyses are shown before the match is over. They can name a column that still wins."""
    conceals = match.is_secret or match.in_study or event.hide_hints
    return event.analysis == AnalysisTime.TURN and not conceals


def is_idle(event: Event) -> bool:
    """Whether no person voted in the last two turns. Fixed players are never idle: their clocks decide.

    Queries unless the players are fixed.
    """
    if event.fixed_players:
        return False
    closed = Turn.objects.filter(match__event=event, state__in=CLOSED_STATES)
    newest = closed.order_by("-match__number", "-number")[:IDLE_TURNS]
    ballots = newest.annotate(ballots=Sum("tallies__ballots", default=0, filter=~BY_BOT)).values_list(
        "ballots", flat=True
    )
    return list(ballots) == [0] * IDLE_TURNS


def draft_turn(
    match: Match, teams: Iterable[Team], number: int, opens_at: int, closes_at: int, **fields: int
) -> Turn:
    """Return a new turn with these times and further `fields`, not saved yet.

    The current captains of the event's `teams` stay captains for the whole turn.
    """
    teams = list(teams)
    captains = {team.pk: team.captain for team in teams} if match.tie_rule == TieRule.CAPTAIN else {}
    return Turn(
        match=match,
        number=number,
        opens_at=opens_at,
        closes_at=closes_at,
        seed=new_seed(),
        red_captain=captains.get(match.red_id, ""),
        yellow_captain=captains.get(match.yellow_id, ""),
        awaits_sources=any(team.source not in (PHONES, HANDS) for team in teams),
        **fields,
    )


def claim_turn(turn: Turn, **changes: Any) -> bool:
    """Write `changes` unless the turn was written or sealed since it was loaded (compare-and-set).

    Returns whether it did.
    """
    untouched = Turn.objects.filter(
        pk=turn.pk, state=turn.state, version=turn.version, sealed_version=turn.sealed_version
    )
    changes |= {"version": turn.version + 1}
    if untouched.update(**changes) != 1:
        return False
    for name, value in changes.items():
        setattr(turn, name, value)
    return True


def claim_turns(changes: Mapping[Turn, Mapping[str, Any]]) -> set[Turn]:
    """`claim_turn` for open turns, in one statement. Returns those that it wrote.

    All turns have changes of the same fields.
    """
    if not changes:
        return set()
    names = next(iter(changes.values()))
    fields = [field for field in Turn._meta.concrete_fields if field.name in names]
    row = ", ".join(["%s"] * (len(fields) + 2))
    casts = [f"CAST(claim.{field.column} AS {field.cast_db_type(connection)})" for field in fields]
    sql = CLAIM_TURNS_SQL.format(
        columns=", ".join(str(field.column) for field in fields),
        rows=", ".join([f"({row})"] * len(changes)),
        values=", ".join(f"{field.column} = {cast}" for field, cast in zip(fields, casts, strict=True)),
    )
    values: list[Any] = []
    for turn, changed in changes.items():
        values += turn.pk, turn.version
        values += (field.get_db_prep_save(changed[field.name], connection) for field in fields)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        written = {turn_id for (turn_id,) in cursor.fetchall()}
    claimed = {turn for turn in changes if turn.pk in written}
    for turn in claimed:
        turn.version += 1
        for name, value in changes[turn].items():
            setattr(turn, name, value)
    return claimed


def end_match(match: Match, result: str, ended_by: str, now: int) -> None:
    """Save the match as ended with its result; `now` in Unix milliseconds."""
    match.state, match.result, match.ended_by, match.ended_at = MatchState.ENDED, result, ended_by, now
    match.save(update_fields=["state", "result", "ended_by", "ended_at"])


def abort_match(match: Match, now: int) -> None:
    match.state, match.ended_at = MatchState.ABORTED, now
    match.save(update_fields=["state", "ended_at"])


def reopen_match(match: Match) -> None:
    match.state, match.result, match.ended_by, match.ended_at = MatchState.PLAYING, None, None, None
    match.save(update_fields=["state", "result", "ended_by", "ended_at"])
