"""Matches from start to end, and the start of the next one."""

from typing import Any

import pytest

from tests.voting.action_helpers import refused
from tests.voting.box_helpers import seal
from tests.voting.event_states import last_announced
from tests.voting.match_helpers import (
    CLASSIC,
    RED_WINS,
    kinds,
    new_event,
    only_turn,
    open_now,
    play,
    play_turn,
    reveal_ms,
    run_out,
    start,
    vote,
)
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TooEarly
from voting.counting.ballots import Ballot
from voting.counting.methods.voting_method import METHODS
from voting.counting.voter_codes import derive_voter_code
from voting.counting.window import SPECIAL_RULE_MS, START_LEAD_MS
from voting.matches import live_turn
from voting.models import Event, Match, Turn, TurnState
from voting.terms import Lobby, MatchState, TieRule
from voting.turns.closing import close_turn
from voting.turns.event_end import end_event
from voting.turns.outcomes import captain_index
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, start_due_match, start_match, to_boxed_turn
from voting.turns.voiding import take_back_turn

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("special", "rules", "lobby", "lobby_after"),
    [({}, 0, "closed", "open"), ({"resign": "half", "tie_rule": "captain"}, 2, "locked", "locked")],
)
def test_start_match_opens_lobby_and_first_turn_after_its_rules_are_read(
    special: dict[str, Any], rules: int, lobby: str, lobby_after: str, box: BallotBox
) -> None:
    event = new_event(window_s=20, lobby=lobby, **special)
    before = box.now()
    match = start_match(event.pk, box)
    turn = only_turn(match)
    assert (turn.number, turn.state, turn.version, turn.epoch) == (1, TurnState.OPEN, 1, 1)
    assert before <= turn.opens_at - START_LEAD_MS - rules * SPECIAL_RULE_MS <= box.now()
    assert turn.closes_at - turn.opens_at == 20_000
    assert seal(box, to_boxed_turn(turn)) == TooEarly(turn.closes_at)
    assert kinds(event.pk) == ["match.started"]
    assert Event.objects.get(pk=event.pk).lobby == Lobby(lobby_after)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"game": "draughts"}, "cannot be played"),
        ({"tally_method": "loudest"}, "no voting method “loudest”"),
        ({"tally_method": "approval"}, "“Approval” allows up to 6 choices"),
    ],
)
def test_unplayable_terms(
    terms: dict[str, Any], words: str, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(METHODS["approval"], "max_columns", 6)
    event = new_event(**terms)
    with refused(words):
        start_match(event.pk, box)
    Event.objects.update(next_match_at=box.now())
    start_due_match(event.pk, box)
    event.refresh_from_db()
    assert (event.next_match_at, event.matches.count(), kinds(event.pk)) == (None, 0, ["event.edited"])


def test_won_match_ends_and_next_one_starts_once_when_due(box: BallotBox) -> None:
    event = new_event(next_match_after_s=30, pace="normal")
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    match.refresh_from_db()
    last = match.turns.get(number=4)
    assert (match.state, match.result, match.ended_by) == (MatchState.ENDED, "red", "board")
    assert match.ended_at == last.resolved_at
    assert live_turn(match) is None
    assert len({*match.turns.values_list("seed", flat=True)}) == 4, "each turn has its own"
    event.refresh_from_db()
    assert event.next_match_at == (last.resolved_at or 0) + reveal_ms(last) + 30_000
    Event.objects.filter(pk=new_event().pk).update(next_match_at=box.now())
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    start_due_match(event.pk, box)
    assert event.matches.count() == 1, "another event is due"
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
    for _ in range(2):
        scheduler.run_once()
    assert [m.number for m in event.matches.order_by("pk")] == [1, 2]
    assert Event.objects.get(pk=event.pk).next_match_at is None
    assert kinds(event.pk).count("match.started") == 2


def test_match_pauses_after_two_turns_without_votes(box: BallotBox) -> None:
    match = start(box, no_ballot_rule="pass", window_s=20, talk_s=5).match
    seen = []
    for votes in ([], [1], [], []):
        turn = only_turn(match)
        seen.append(turn.state)
        play_turn(turn, box, votes)
    assert seen == [TurnState.OPEN] * 4
    turn = only_turn(match)
    assert (turn.state, turn.left_ms, turn.talk_left_ms) == (TurnState.PAUSED, 20_000, 5_000)
    shown: Any = load_snapshot(match.event).match
    assert (shown.turn.paused, shown.turn.idle) == (True, True)
    play_turn(turn, box, [2], [3])
    assert only_turn(match).state == TurnState.OPEN


def test_next_match_does_not_start_by_itself_without_voters(box: BallotBox) -> None:
    event = new_event(next_match_after_s=30, no_ballot_rule="forfeit")
    scheduled = []
    for _ in range(2):
        play_turn(only_turn(start_match(event.pk, box)), box)
        scheduled.append(Event.objects.get(pk=event.pk).next_match_at is not None)
    assert scheduled == [True, False]


def test_start_match_draws_lot_for_first_side(box: BallotBox) -> None:
    event = new_event(game=CLASSIC, options={"first": "lot"})
    match = start_match(event.pk, box)
    assert match.options["first"] in {"red", "yellow"}
    assert Event.objects.get(pk=event.pk).options == {"first": "lot"}


MINUTE_MS = 60_000


def test_scheduler_aborts_live_match_only_at_event_end(box: BallotBox) -> None:
    ending, other, later = (start(box) for _ in range(3))
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    for turn, ends_in_ms in ((ending, 0), (later, MINUTE_MS)):
        Event.objects.filter(pk=turn.match.event_id).update(ends_at=box.now() + ends_in_ms)
    for _ in range(2):
        scheduler.chores_at -= 2
        scheduler.run_once()
    states = dict(Match.objects.values_list("pk", "state"))
    playing = dict.fromkeys((other.match_id, later.match_id), MatchState.PLAYING)
    assert states == {ending.match_id: MatchState.ABORTED} | playing
    assert load_turn(ending.pk).state == TurnState.VOID
    state = last_announced(ending.match.event_id)
    assert (state.match and state.match.state, state.match and state.match.turn) == ("aborted", None)


def test_event_ends_after_the_count_of_its_last_turn_and_starts_no_match(box: BallotBox) -> None:
    event = new_event()
    Event.objects.update(ends_at=box.now() + MINUTE_MS, next_match_at=box.now())
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    Event.objects.update(ends_at=box.now())
    with refused("The event is over"):
        take_back_turn(event.pk, box, lambda _: None)
    Event.objects.update(ends_at=box.now() + MINUTE_MS)
    take_back_turn(event.pk, box, lambda _: None)
    last = only_turn(match)
    open_now(last, box)
    vote(last, box, red=[3], yellow=[4])
    run_out(last, box)
    Event.objects.update(ends_at=box.now(), next_match_at=box.now())
    end_event(event.pk, box)
    assert load_turn(last.pk).state == TurnState.OPEN, "its window is over, so it is counted first"
    close_turn(last.pk, box)
    end_event(event.pk, box)
    assert (load_turn(last.pk).state, Match.objects.get().state) == ("resolved", MatchState.ABORTED)
    with refused("The event is over"):
        start_match(event.pk, box)
    DeadlineScheduler(box).run_once()
    assert (event.matches.count(), Event.objects.get().next_match_at) == (1, None)


@pytest.mark.parametrize(("ends_in_ms", "planned"), [(MINUTE_MS // 2, False), (10 * MINUTE_MS, True)])
def test_next_match_is_planned_only_before_event_end(ends_in_ms: int, planned: bool, box: BallotBox) -> None:
    event = new_event(next_match_after_s=60)
    match = only_turn(start_match(event.pk, box)).match
    Event.objects.update(ends_at=box.now() + ends_in_ms)
    play(match, box, RED_WINS)
    assert (Event.objects.get().next_match_at is not None) is planned


@pytest.mark.parametrize(
    ("rule", "captain", "index"),
    [
        (TieRule.CAPTAIN, "bob", 1),
        (TieRule.CAPTAIN, "carol", None),
        (TieRule.CAPTAIN, "", None),
        (TieRule.LOT, "bob", None),
    ],
)
def test_captain_is_named_by_captain_rule(rule: TieRule, captain: str, index: int | None) -> None:
    turn = Turn(match=Match(tie_rule=rule), red_captain=captain and derive_voter_code(captain))
    ballots = [Ballot("ada", "red", 3, 1), Ballot("bob", "red", 4, 1)]
    assert captain_index(turn, "red", ballots) == index
