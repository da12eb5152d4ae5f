"""Write the outcomes of turns in one transaction: results, tallies, next turns, ends of matches."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, cast

from django.db import transaction
from msgspec.structs import asdict, replace

from games.engine.game import Side
from voting import protocol
from voting.announcements.outbox import announce_all
from voting.announcements.reveals import ShownMatch, plan_reveal
from voting.announcements.snapshots import build_snapshot, load_ended_matches, load_snapshot
from voting.counting import window
from voting.counting.ballots import pack_ballots
from voting.counting.pacing import RevealSteps
from voting.counting.series import current_series, winning_team
from voting.matches import (
    claim_turns,
    end_match,
    is_idle,
    lock_events,
    match_ended,
    series_ends,
    turn_created,
)
from voting.models import Event, Match, TallyRecord, Team, Turn, TurnState
from voting.positions import Position, replay
from voting.terms import MatchState
from voting.transparency.entries import Entry
from voting.transparency.log import append_entries
from voting.turns import secret_sides
from voting.turns.analysis_pause import pause_after_reveal_ms
from voting.turns.log_entries import match_over, planned_turn
from voting.turns.outcomes import TurnOutcome
from voting.turns.turns import draft_next_turn, pause_draft


class DecidedTurn(NamedTuple):
    """A sealed turn after its decision. `roots` are the Merkle roots of its sides."""

    turn: Turn
    outcome: TurnOutcome
    seal: protocol.TurnSealed
    roots: dict[Side, str]
    time_used: dict[str, int]

    @property
    def event_id(self) -> int:
        return self.turn.match.event_id


class WrittenTurn(NamedTuple):
    """A turn as it is written, with the tallies and steps of its reveal, and the turn after it."""

    turn: Turn
    outcome: TurnOutcome
    revealed: Sequence[TallyRecord]
    steps: RevealSteps
    following: Turn | None
    committed_at: float = 0.0

    @property
    def event_id(self) -> int:
        return self.turn.match.event_id


def write_outcomes(decided: Sequence[DecidedTurn], now: int) -> list[WrittenTurn]:
    """Write the outcomes in one transaction. Returns those that it wrote: no other process did before."""
    started = time.monotonic()
    with transaction.atomic():
        events = lock_events([one.event_id for one in decided]).in_bulk()
        claimed = claim_turns({one.turn: _result(one, now) for one in decided if one.event_id in events})
        won = [one for one in decided if one.turn in claimed]
        tallies = {one.turn: _build_tallies(one) for one in won}
        TallyRecord.objects.bulk_create(chain.from_iterable(tallies.values()))
        teams = _load_teams(events)
        written = [
            _continue_match(one, tallies[one.turn], events[one.event_id], teams[one.event_id], now)
            for one in won
        ]
        for turn in Turn.objects.bulk_create(one.following for one in written if one.following):
            turn_created.send(Turn, turn=turn)
        _announce(written, teams, now)
        append_entries([*chain.from_iterable(map(_log_entries, written))])
    committed_at = now + (time.monotonic() - started) * 1000
    return [one._replace(committed_at=committed_at) for one in written]


def _log_entries(written: WrittenTurn) -> Iterator[Entry]:
    if written.following:
        yield planned_turn(written.following)
    else:
        yield from match_over(written.turn.match)


def _result(decided: DecidedTurn, now: int) -> dict[str, Any]:
    outcome, seal = decided.outcome, decided.seal
    concealed = outcome.is_concealed
    return {
        "state": TurnState.CONCEALED if concealed else TurnState.RESOLVED,
        "resolved_at": None if concealed else now,
        "red_pick": outcome.picks.red,
        "yellow_pick": outcome.picks.yellow,
        "sealed_at": seal.at,
        "turn_commitment": seal.turn_commitment or "",
        "red_used_ms": decided.time_used.get("red_used_ms"),
        "yellow_used_ms": decided.time_used.get("yellow_used_ms"),
    }


def _build_tallies(decided: DecidedTurn) -> list[TallyRecord]:
    outcome = decided.outcome
    return [
        TallyRecord(
            turn=decided.turn,
            side=side,
            sealed=pack_ballots(outcome.ballots[side]),
            is_sorted=True,
            captain=outcome.captains[side],
            **asdict(replace(decision, root=decided.roots[side])),
        )
        for side, decision in outcome.decisions.items()
    ]


def _load_teams(event_ids: Iterable[int]) -> dict[int, list[Team]]:
    """Return the teams of each event, by number."""
    teams = defaultdict[int, list[Team]](list)
    for team in Team.objects.filter(event__in=event_ids).order_by("number"):
        teams[team.event_id].append(team)
    return teams


def _continue_match(
    decided: DecidedTurn, tallies: Sequence[TallyRecord], event: Event, teams: Sequence[Team], now: int
) -> WrittenTurn:
    """End the match or draft its next turn. Resolve a concealed turn that is revealed with this one."""
    turn, outcome = decided.turn, decided.outcome
    match, by_id = turn.match, {team.pk: team for team in teams}
    match.event, match.red, match.yellow = event, by_id[match.red_id], by_id[match.yellow_id]
    revealed = list(tallies)
    if concealed := outcome.before.concealed:
        concealed.state, concealed.resolved_at = turn.state, turn.resolved_at
        concealed.save(update_fields=["state", "resolved_at"])
        revealed += concealed.tallies.all()
    steps = plan_reveal(match, outcome.resolution, revealed)
    following = None
    if outcome.ended_by:
        _end_match(match, outcome, now, steps.over)
    else:
        lead_ms = steps.over + pause_after_reveal_ms(match, outcome.before.state)
        begins_at = now + (window.START_LEAD_MS if outcome.is_concealed else lead_ms)
        following = draft_next_turn(match, teams, turn, outcome.to_move, begins_at)
        following.draw_offered_by = outcome.draw_offered_by
        if outcome.is_empty and is_idle(event):
            pause_draft(following, now)
    return WrittenTurn(turn, outcome, revealed, steps, following)


def _end_match(match: Match, outcome: TurnOutcome, now: int, over_ms: int) -> None:
    """End the match.

    Schedule the next one if the event starts matches automatically, people voted, and the series is not over.
    The simulated crowd of a rehearsal leaves after its match, so none follows.
    """
    event = match.event
    end_match(match, outcome.result, cast(str, outcome.ended_by), now)
    match_ended.send(Match, match=match)
    if match.max_side_changes:
        secret_sides.save_sides_record(match)
    pause_s = event.next_match_after_s
    if pause_s is not None and not match.rehearsed and not is_idle(event) and not _is_series_over(event):
        starts_at = now + over_ms + pause_s * 1000
        if event.ends_at is None or starts_at < event.ends_at:
            event.next_match_at = starts_at
            event.save(update_fields=["next_match_at"])


def _is_series_over(event: Event) -> bool:
    """Whether the series of the latest match is over. Rehearsed matches don't count."""
    ended = event.matches.filter(state=MatchState.ENDED, rehearsed=False).order_by("number")
    rows = ended.values_list("result", "red__number", "yellow__number")
    series = current_series((winning_team(*row) for row in rows), event.best_of)
    return series.winner is not None or any(is_over(event) for is_over in series_ends)


def _announce(written: Sequence[WrittenTurn], teams: dict[int, list[Team]], now: int) -> None:
    several = (one.turn.match.event for one in written if one.turn.match.number > 1 or not one.following)
    ended = load_ended_matches(event.pk for event in several)
    changes = list[tuple[Event, type[protocol.Change], protocol.EventState]]()
    for turn, outcome, revealed, steps, following, _ in written:
        match, event = turn.match, turn.match.event
        if outcome.is_concealed:  # the tallies are secret: the reveal of an earlier turn is still shown
            changes.append((event, protocol.TurnConcealed, load_snapshot(event)))
            continue
        shown = ShownMatch(match, _position_after(turn, outcome), following, revealed, steps)
        state = build_snapshot(event, teams[event.pk], shown, ended[event.pk])
        changes.append((event, protocol.TurnRevealed, state))
    announce_all(changes, now)


def _position_after(turn: Turn, outcome: TurnOutcome) -> Position:
    before = outcome.before
    if before.concealed:
        return replay(turn.match, [*before.turns, before.concealed, turn])
    return before.advance(turn, outcome.after, outcome.resolution)
