"""Start a match and change a turn. Idempotent (crash recovery).

`closing` ends a turn, and `restoring` recovers a lost one.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _
from redis import RedisError

from games.engine.errors import GameError
from games.engine.game import SIDES, Side
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, PlaceResult, Storing
from voting.ballot_box.shards import Shard
from voting.counting import window
from voting.counting.methods.voting_method import UnknownMethod, find_method
from voting.counting.window import Window
from voting.matches import (
    MatchError,
    claim_turn,
    create_match,
    draft_turn,
    event_lock,
    locked_event,
    refuse_after_end,
    turn_created,
)
from voting.models import LIVE_STATES, Event, Match, Team, Turn, TurnState
from voting.positions import Position, replay
from voting.terms import Lobby
from voting.transparency.log import append_entries
from voting.turns import clocks
from voting.turns.log_entries import planned_turn, void_seal
from voting.turns.seals import void_by_added_time

log = logging.getLogger(__name__)

# The turn fields that the ballot box holds.
BOX_FIELDS = ("version", "epoch", "opens_at", "closes_at", "red_bank_ms", "yellow_bank_ms", "stored")


def to_boxed_turn(turn: Turn) -> BoxedTurn:
    """Return the turn in the form that the ballot box stores."""
    times = (turn.opens_at, turn.closes_at)
    ends = {} if turn.match.bank_s is None else clocks.side_ends_at(turn)
    return BoxedTurn(
        *(turn.match.event_id, turn.pk, turn.version, turn.epoch, *times),
        **ends,
        stored=_storing(turn),
        shard=Shard(0, turn.match.shards),
    )


def _storing(turn: Turn) -> Storing:
    """Return whether gateways store the turn's ballots, which they also do only for the times of picks."""
    match = turn.match
    if not turn.stored or match.bank_s is None or match.crowd_clocks:
        return Storing(turn.stored)
    left = {side: clocks.bank_ms(turn, side) for side in SIDES}
    must_survive = match.store_ballots or window.is_stored(clocks.longest_ms(match, left))
    return Storing.FIRST if must_survive else Storing.SOON


def load_turn(turn_id: int) -> Turn:
    """Load the turn with its match. Raises Turn.DoesNotExist."""
    return Turn.objects.select_related("match__red", "match__yellow").get(pk=turn_id)


def start_match(event_id: int, box: BallotBox) -> Match:
    """Start the event's next match and open its lobby if that was closed. Raises MatchError."""
    now = box.now()
    with locked_event(event_id) as event:
        turn = _plan_match(event, now)
    return _open_match(turn, box)


def _plan_match(event: Event, now: int) -> Turn:
    refuse_after_end(event, now)
    match = create_match(event, now)
    position = replay(match, ())
    _check_start(match, position)
    lead_ms = window.start_lead_ms(0 if event.fixed_players else len(match.special_rules))
    turn = plan_turn(match, position, now, lead_ms)
    lobby = Lobby.OPEN if event.lobby == Lobby.CLOSED else event.lobby
    Event.objects.filter(pk=event.pk).update(next_match_at=None, lobby=lobby)
    announce(event.pk, protocol.MatchStarted, now)
    append_entries([planned_turn(turn)])
    return turn


def _open_match(turn: Turn, box: BallotBox) -> Match:
    place_and_relay(turn, box, create=True)
    log_match("started", turn.match)
    return turn.match


def _check_start(match: Match, position: Position) -> None:
    """Raise MatchError if nobody is to move in the first position, or its choices don't fit the ballots."""
    if not position.to_move:
        raise MatchError(_("With these options, the match is over before the first turn. Choose others."))
    try:
        method = find_method(match.tally_method)
    except UnknownMethod as refusal:
        raise MatchError(str(refusal)) from refusal
    choices = position.game.view(position.state, None).columns
    if choices > method.max_columns:
        text = _("The voting method “%(method)s” allows up to %(most)s choices. This game has %(choices)s.")
        values = {"method": _(method.label), "most": method.max_columns, "choices": choices}
        raise MatchError(text % values)


def start_due_match(event_id: int, box: BallotBox) -> None:
    """Start the event's next match if its time has come. Idempotent across schedulers.

    A match that cannot start is no longer due, even if announcing that fails.
    """
    now = box.now()
    due = Event.objects.filter(pk=event_id, next_match_at__lte=now)
    if not due.exists():
        return
    try:
        with locked_event(event_id) as event:
            if not due.exists():  # canceled or postponed in the meantime
                return
            turn = _plan_match(event, now)
        _open_match(turn, box)
    except (MatchError, GameError):
        if due.update(next_match_at=None):
            with event_lock(event_id):
                announce(event_id, protocol.EventEdited, now)
            relay(event_id)


def change_turn(turn: Turn, kind: type[protocol.Change], box: BallotBox, **changes: Any) -> None:
    """Write `changes` to a live turn and announce them as `kind`.

    A window that becomes long is `stored` from now on. Raises MatchError if the turn was changed meanwhile,
    is not live, or is sealed and doesn't get more time.
    """
    now = box.now()
    changes |= void_by_added_time(turn, changes.get("closes_at", turn.closes_at), now)
    if turn.match.bank_s is None:
        times = {"opens_at": turn.opens_at, "closes_at": turn.closes_at} | changes
        changes["stored"] = turn.stored or _stores(turn.match, times["closes_at"] - times["opens_at"])
    with event_lock(turn.match.event_id):
        if turn.state not in LIVE_STATES or not claim_turn(turn, **changes):
            raise MatchError(_("The turn changed in the meantime. Check it and try again."))
        announce(turn.match.event_id, kind, now)
        append_entries([*void_seal(turn, changes)])
    place_and_relay(turn, box, create=False)


def log_match(what: str, match: Match) -> None:
    extra = {"event": match.event_id, "match": match.pk}
    log.info("match %s of event %s %s", match.number, match.event_id, what, extra=extra)


def place_and_relay(turn: Turn, box: BallotBox, *, create: bool) -> None:
    """Bring the ballot box and the clients up to what is committed."""
    place_turn(turn, box, create=create)
    relay(turn.match.event_id)


def place_turn(turn: Turn, box: BallotBox, *, create: bool) -> None:
    """Bring the turn's box up to date. If Redis is away, log it; the scheduler repeats it soon."""
    try:
        update_box(turn, box, create=create)
    except RedisError as error:
        log.warning("could not update the ballot box of turn %s: %s", turn.pk, error, extra={"turn": turn.pk})


def place_new_turns(turns: Sequence[Turn], box: BallotBox) -> None:
    """Create the boxes of turns, loaded again: they are announced by now, and may have been changed.

    If Redis is away, log it; the scheduler repeats it soon.
    """
    by_id = {turn.pk: turn for turn in turns}
    for row in Turn.objects.filter(pk__in=by_id).values("pk", *BOX_FIELDS):
        for name in BOX_FIELDS:
            setattr(by_id[row["pk"]], name, row[name])
    try:
        placed = box.place_all([to_boxed_turn(turn) for turn in turns])
    except RedisError as error:
        log.warning("could not create the ballot boxes of %s turns: %s", len(turns), error)
        return
    for turn in turns:
        if turn.pk not in placed:
            place_turn(turn, box, create=True)


def update_box(turn: Turn, box: BallotBox, *, create: bool) -> bool:
    """Bring the turn's box up to date. Returns False if there is no box and `create` is false.

    If the turn's ballots are `stored` from now on, store those that are in the box already. Raises RedisError
    and DATABASE_ERRORS; the scheduler repeats it then.
    """
    boxed = to_boxed_turn(turn)
    placed = box.place(boxed, create=create)
    if placed == PlaceResult.UNSTORED:
        store_ballots(turn.pk, box.load_ballots(boxed), box.now())
        box.confirm_stored(boxed)
    return placed != PlaceResult.LOST


def plan_turn(match: Match, position: Position, now: int, lead_ms: int, draw_offered_by: str = "") -> Turn:
    """Create the turn in `position`, see `draft_next_turn`. Call it within `event_lock`."""
    match.event = Event.objects.get(pk=match.event_id)
    teams = Team.objects.filter(event=match.event)
    turn = draft_next_turn(match, teams, position.last, position.to_move, now + lead_ms)
    turn.draw_offered_by = draw_offered_by
    turn.save(force_insert=True)
    turn_created.send(Turn, turn=turn)
    return turn


def draft_next_turn(
    match: Match,
    teams: Iterable[Team],
    last: Turn | None,
    to_move: Sequence[Side],
    begins_at: int,
) -> Turn:
    """Return the turn after `last`, not saved yet, to open after the match's talk time.

    That begins at `begins_at`. The `teams` and `match.event` are loaded within `event_lock`.
    """
    if match.bank_s is not None:
        return _draft_timed_turn(match, teams, last, begins_at, to_move)
    window_s = match.window_s + match.event.extra_s
    times = window.open_window(begins_at, window_s, match.talk_s)
    fields = {"talk_left_ms": match.talk_s * 1000, "stored": _stores(match, window_s * 1000)}
    return draft_turn(match, teams, _next_number(last), times.opens_at, times.closes_at, **fields)


def _draft_timed_turn(
    match: Match, teams: Iterable[Team], last: Turn | None, begins_at: int, to_move: Sequence[Side]
) -> Turn:
    opens_at = window.open_window(begins_at, match.window_s, match.talk_s).opens_at
    left = clocks.banks_before(match, last)
    closes_at = opens_at + clocks.ends_after_ms(match, left, to_move)
    fields = {f"{side}_bank_ms": ms for side, ms in left.items()}
    fields |= {"talk_left_ms": match.talk_s * 1000}
    fields |= {"stored": _stores(match, clocks.longest_ms(match, left))}
    return draft_turn(match, teams, _next_number(last), opens_at, closes_at, **fields)


def _stores(match: Match, window_ms: int) -> bool:
    """Return whether ballots are stored: always if their times decide how much of a time bank was used."""
    has_pick_times = match.bank_s is not None and not match.crowd_clocks
    return match.store_ballots or has_pick_times or window.is_stored(window_ms)


def _next_number(last: Turn | None) -> int:
    return last.number + 1 if last else 1


def pause_fields(turn: Turn, now: int) -> dict[str, Any]:
    """Return the fields of an open turn that is paused: it keeps the remaining time to vote and to talk."""
    times = Window(turn.opens_at, turn.closes_at)
    return {
        "state": TurnState.PAUSED,
        "left_ms": times.left_ms(now),
        "talk_left_ms": window.talk_left_ms(times, now, turn.talk_left_ms),
        "opens_at": now,
        "closes_at": now,
    }


def pause_draft(turn: Turn, now: int) -> None:
    """Pause a turn that is not saved yet."""
    for name, value in pause_fields(turn, now).items():
        setattr(turn, name, value)


def set_window(
    turn: Turn, kind: type[protocol.Change], times: Window, box: BallotBox, **changes: Any
) -> None:
    """Open the turn with this window and further changes, even if it was paused.

    Raises MatchError if it was changed meanwhile.
    """
    running: dict[str, Any] = {"state": TurnState.OPEN, "left_ms": None}
    if turn.state == TurnState.PAUSED:
        running |= shift_restoration(turn, times.opens_at - turn.closes_at)
    change_turn(turn, kind, box, opens_at=times.opens_at, closes_at=times.closes_at, **running | changes)


def shift_restoration(turn: Turn, ms: int) -> dict[str, int]:
    """Return the times of a turn's restoration moved by `ms`, after a pause or a clock step."""
    times = {"box_lost_at": turn.box_lost_at, "reached_at": turn.reached_at}
    return {name: at + ms for name, at in times.items() if at is not None}
