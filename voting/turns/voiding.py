"""Void turns: take back the last one, or stop a match before the board decides it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from redis import RedisError

from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window
from voting.matches import (
    MatchError,
    abort_match,
    claim_turn,
    end_match,
    event_lock,
    live_turn,
    match_ended,
    refuse_after_end,
    reopen_match,
)
from voting.models import CLOSED_STATES, Event, Match, MatchResult, Turn, TurnState
from voting.positions import load_position
from voting.terms import Ending, MatchState, VoidReason
from voting.transparency.log import append_entries
from voting.turns.log_entries import match_over, planned_turn, void_turns
from voting.turns.secret_sides import save_sides_record
from voting.turns.side_change_store import backdate_side_changes
from voting.turns.turns import log_match, place_and_relay, plan_turn, to_boxed_turn


class MatchEnd(NamedTuple):
    """The result of a match that the board did not decide."""

    result: MatchResult
    ended_by: Ending


def stop_match(event_id: int, box: BallotBox, decide: Callable[[Match], MatchEnd | None]) -> Match:
    """End the live match as `decide` says; None aborts it. Voids its live and concealed turns.

    `decide` is called within `event_lock` and may raise MatchError. Raises MatchError if no match is live.
    """
    now = box.now()
    with event_lock(event_id):
        match = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING).first()
        if match is None:
            raise MatchError(_("No match is live."))
        end = decide(match)
        void = _void_fields(now, VoidReason.STOPPED)
        live = _void_live_turn(match, void)
        concealed = list(match.turns.filter(state=TurnState.CONCEALED).values_list("pk", flat=True))
        match.turns.filter(pk__in=concealed).update(**void)
        if end:
            end_match(match, end.result, end.ended_by, now)
            match_ended.send(Match, match=match)
        else:
            abort_match(match, now)
            if match.max_side_changes:
                save_sides_record(match)
        announce(event_id, protocol.MatchStopped if end else protocol.MatchAborted, now)
        void_ids = [*concealed, *([live.pk] if live else [])]
        append_entries([*void_turns(void_ids, VoidReason.STOPPED, now), *match_over(match)])
    relay(event_id)
    _expire_box(live, box)
    log_match("stopped" if end else "aborted", match)
    return match


def take_back_turn(event_id: int, box: BallotBox, check: Callable[[Turn], None]) -> Turn:
    """Void the turn closed last, which is voted again, and return it.

    A concealed turn that was revealed together with it is voided too, because its votes are public now.
    `check` is called with the turn within `event_lock` and may raise MatchError. Raises MatchError if there
    is no such turn, or after the planned end of the event, at which its match would be aborted.
    """
    now = box.now()
    with event_lock(event_id):
        last = _last_closed(event_id)
        refuse_after_end(last.match.event, now)
        check(last)
        match = last.match
        if match.draw_offers and last.opens_at == last.closes_at:  # imported without its draw offers
            raise MatchError(_("A turn of an imported match cannot be taken back."))
        live = _void_live_turn(match, _void_fields(now, VoidReason.SUPERSEDED))
        first = load_position(match).revealed_with_last if last.state == TurnState.RESOLVED else None
        first = first or last
        for turn in {first.pk: first, last.pk: last}.values():
            if not claim_turn(turn, **_void_fields(now, VoidReason.TAKEN_BACK)):
                raise MatchError(_("The turn changed in the meantime. Check it and try again."))
        if match.state == MatchState.ENDED:
            reopen_match(match)
        Event.objects.filter(pk=event_id).update(next_match_at=None)
        backdate_side_changes(match, first.number)
        again = plan_turn(match, load_position(match), now, window.START_LEAD_MS, first.draw_offered_by)
        announce(event_id, protocol.TurnVoided, now)
        superseded = void_turns([live.pk] if live else [], VoidReason.SUPERSEDED, now)
        taken_back = void_turns(dict.fromkeys([first.pk, last.pk]), VoidReason.TAKEN_BACK, now)
        append_entries([*superseded, *taken_back, planned_turn(again)])
    place_and_relay(again, box, create=True)
    _expire_box(live, box)
    return last


def _last_closed(event_id: int) -> Turn:
    turns = Turn.objects.filter(match__event_id=event_id).select_related("match")
    last = turns.filter(state__in=CLOSED_STATES).order_by("-match__number", "-number").first()
    latest = Match.objects.filter(event_id=event_id).order_by("-number").first()
    if last is None or last.match != latest or latest.state == MatchState.ABORTED:
        raise MatchError(_("There is no turn to take back."))
    return last


def _void_fields(now: int, reason: VoidReason) -> dict[str, Any]:
    return {"state": TurnState.VOID, "voided_at": now, "void_reason": reason}


def _void_live_turn(match: Match, void: dict[str, Any]) -> Turn | None:
    turn = live_turn(match)
    if turn and not claim_turn(turn, left_ms=None, **void):
        raise MatchError(_("The turn changed in the meantime. Check it and try again."))
    return turn


def _expire_box(turn: Turn | None, box: BallotBox) -> None:
    if turn:
        with suppress(RedisError):
            box.expire(to_boxed_turn(turn).ref)
