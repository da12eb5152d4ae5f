"""Close turns that share a deadline together: a few calls to Valkey and one transaction for all of them.

Rows, roots and messages are those of `closing.close_turn`, and a turn is closed exactly once for the same
reasons. Only plain turns are closed together. `close_turn` closes those with clocks, secret sides, concealed
picks or stored ballots, those that end their match or wait for the host, those whose box is lost, and those
sealed before a crash.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db import IntegrityError
from django.db.models import F

from games.engine.game import Side
from voting import protocol
from voting.announcements.outbox import announce_all, publish_seals, relay
from voting.announcements.snapshots import (
    EndedMatch,
    ShownMatch,
    build_snapshot,
    load_ended_matches,
    plan_reveal,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import SortedBallots
from voting.matches import Position, claim_resolved, extend, is_idle, lock_free_events, replay
from voting.models import CLOSED_STATES, Event, StoredBallot, TallyRecord, Team, Turn, TurnState
from voting.turns.analysis_pause import analysis_pause_ms
from voting.turns.closing import (
    MAX_EARLY_WAIT_MS,
    SealCommitment,
    build_tallies,
    commit_openly,
    record_metrics,
    sort_sides,
    wait_if_near,
)
from voting.turns.outcomes import TurnOutcome, ballots_by_side, decide_outcome
from voting.turns.retry_book import PERMANENT_ERRORS
from voting.turns.seals import record_seals
from voting.turns.turns import draft_next_turn, pause_draft, place_turn, to_boxed_turn

log = logging.getLogger(__name__)


class SealedTurn(NamedTuple):
    """A turn after its seal, with the ballots of each side."""

    turn: Turn
    position: Position
    ballots: dict[Side, SortedBallots]
    seal: SealCommitment


class DecidedTurn(NamedTuple):
    """A turn after its decision, not written yet."""

    turn: Turn
    outcome: TurnOutcome
    seal: SealCommitment

    @property
    def event_id(self) -> int:
        return self.turn.match.event_id


class WrittenTurn(NamedTuple):
    """A turn as it is written, with its tallies and the turn after it."""

    turn: Turn
    outcome: TurnOutcome
    tallies: Sequence[TallyRecord]
    following: Turn

    @property
    def event_id(self) -> int:
        return self.turn.match.event_id


def close_together(turn_ids: Sequence[int], box: BallotBox) -> list[int]:
    """Close those of the turns that are plain and over; idempotent. Returns the others, for `close_turn`.

    Also returns turns that another process is closing or whose event is locked, and all of them if one fails.
    Waits for the latest deadline if that is near.
    """
    with box.closing_lease.hold_all(turn_ids) as held:
        try:
            closed = _close_held(held, box)
        except (IntegrityError, *PERMANENT_ERRORS) as error:
            log.warning("closing %s turns one by one instead of together: %s", len(held), error)
            closed = set()
    return [turn_id for turn_id in turn_ids if turn_id not in closed]


def _close_held(turn_ids: Sequence[int], box: BallotBox) -> set[int]:
    sealed = _seal(_load_positions(turn_ids, box.now() + MAX_EARLY_WAIT_MS), box)
    sealed = _record(sealed)
    if not sealed:
        return set()
    publish_seals({one.turn.match.event_id: one.seal.message for one in sealed})
    box.closing_lease.renew(*(one.turn.pk for one in sealed))
    decided = [
        DecidedTurn(turn, decide_outcome(turn, position, ballots), seal)
        for turn, position, ballots, seal in sealed
    ]
    started, now = time.monotonic(), max([box.now(), *(one.seal.message.at for one in sealed)])
    written = _write([one for one in decided if not one.outcome.ended_by], now)
    if written:
        _publish(written, now + (time.monotonic() - started) * 1000, box)
    return {one.turn.pk for one in written}


def _publish(written: Sequence[WrittenTurn], committed: float, box: BallotBox) -> None:
    """Send the reveals of turns `committed` at this time (Unix ms), and place the turns after them."""
    relay(*(one.event_id for one in written))
    _place([one.following.pk for one in written], box)
    for one in written:
        record_metrics(one.turn, one.outcome, committed, one.turn.closes_at)
    box.expire_all((one.event_id, one.turn.pk) for one in written)


def _load_positions(turn_ids: Sequence[int], until: int) -> dict[Turn, Position]:
    """Return those of the turns that are plain and end by `until`, each with the position it is played in."""
    open_turns = Turn.objects.filter(pk__in=turn_ids, state=TurnState.OPEN, closes_at__lte=until)
    plain = open_turns.filter(stored=False, box_lost_at=None, match__bank_s=None, match__max_side_changes=0)
    plain = plain.filter(match__host_wait_s=None).exclude(sealed_version=F("version"))
    turns = list(plain.select_related("match__red", "match__yellow"))
    played = defaultdict[int, list[Turn]](list)
    closed = Turn.objects.filter(match__in=[turn.match_id for turn in turns], state__in=CLOSED_STATES)
    for turn in closed.order_by("number"):
        played[turn.match_id].append(turn)
    positions = {
        turn: replay(turn.match, [before for before in played[turn.match_id] if before.number < turn.number])
        for turn in turns
    }
    return {turn: at for turn, at in positions.items() if not at.concealed and at.vote != "concealed"}


def _seal(positions: Mapping[Turn, Position], box: BallotBox) -> list[SealedTurn]:
    """Seal the turns, and leave out those with ballots that are not in the box: a show of hands."""
    if positions:
        wait_if_near(max(turn.closes_at for turn in positions), box)
    answers = box.seal_all([to_boxed_turn(turn) for turn in positions])
    stored = set(StoredBallot.objects.filter(turn__in=answers).values_list("turn", flat=True).distinct())
    sealed = []
    for turn, position in positions.items():
        if turn.pk in answers.keys() - stored:
            ballots = sort_sides(turn, ballots_by_side(position, answers[turn.pk].ballots))
            seal = commit_openly(turn, ballots, answers[turn.pk].sealed_at)
            sealed.append(SealedTurn(turn, position, ballots, seal))
    return sealed


def _record(sealed: Sequence[SealedTurn]) -> list[SealedTurn]:
    """Record the seals of those turns that nobody has changed and whose event nobody has locked."""
    if not sealed:
        return []
    with lock_free_events(one.turn.match.event_id for one in sealed) as events:
        free = [one for one in sealed if one.turn.match.event_id in events]
        recorded = record_seals({one.turn: one.seal.message for one in free}) if free else set()
    return [one for one in free if one.turn in recorded]


def _write(decided: Sequence[DecidedTurn], now: int) -> list[WrittenTurn]:
    """Write the outcomes in one transaction. Returns those that it wrote: no other process did before."""
    if not decided:
        return []
    with lock_free_events(one.event_id for one in decided) as events:
        teams = _load_teams(events)
        for turn, outcome, seal in decided:
            turn.red_pick, turn.yellow_pick = outcome.picks.red, outcome.picks.yellow
            turn.sealed_at, turn.resolved_at = seal.message.at, now
        claimed = claim_resolved([one.turn for one in decided if one.event_id in events])
        written = [
            _follow(one, events[one.event_id], teams[one.event_id], now)
            for one in decided
            if one.turn.pk in claimed
        ]
        TallyRecord.objects.bulk_create(tally for one in written for tally in one.tallies)
        for one in written:
            if one.outcome.is_empty and is_idle(events[one.event_id]):
                pause_draft(one.following, now)
        Turn.objects.bulk_create(one.following for one in written)
        ended = load_ended_matches(one.event_id for one in written if one.turn.match.number > 1)
        snapshots = [
            _snapshot(one, events[one.event_id], teams[one.event_id], ended[one.event_id]) for one in written
        ]
        changed = [(events[one.event_id], state) for one, state in zip(written, snapshots, strict=True)]
        announce_all(changed, protocol.TurnRevealed, now)
    return written


def _load_teams(event_ids: Iterable[int]) -> dict[int, list[Team]]:
    """Return the teams of each event, by number."""
    teams = defaultdict[int, list[Team]](list)
    for team in Team.objects.filter(event__in=event_ids).order_by("number"):
        teams[team.event_id].append(team)
    return teams


def _follow(decided: DecidedTurn, event: Event, teams: Sequence[Team], now: int) -> WrittenTurn:
    turn, outcome, seal = decided
    tallies = build_tallies(turn, outcome, seal.roots)
    over_ms = plan_reveal(turn.match, outcome.resolution, tallies).over
    turn.match.event = event
    begins_at = now + over_ms + analysis_pause_ms(turn.match, outcome.before.state)
    following = draft_next_turn(turn.match, teams, turn, begins_at, event.extra_s)
    return WrittenTurn(turn, outcome, tallies, following)


def _snapshot(
    written: WrittenTurn, event: Event, teams: Sequence[Team], ended: Sequence[EndedMatch]
) -> protocol.EventState:
    turn, outcome, tallies, following = written
    position = extend(outcome.before, [turn])
    return build_snapshot(event, teams, ShownMatch(turn.match, position, following, tallies), ended)


def _place(turn_ids: Sequence[int], box: BallotBox) -> None:
    """Place the next turns, loaded again: the reveals are sent by now, and a turn may have been changed."""
    turns = list(Turn.objects.select_related("match").filter(pk__in=turn_ids))
    placed = box.place_all([to_boxed_turn(turn) for turn in turns])
    for turn in turns:
        if turn.pk not in placed:
            place_turn(turn, box, create=True)
