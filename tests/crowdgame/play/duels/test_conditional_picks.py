from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from django.core import mail
from django.utils import timezone

from crowdgame.play.duels.conditional_picks import plan_pick
from crowdgame.play.duels.duels import seat_number
from crowdgame.play.duels.lists import has_to_pick
from crowdgame.play.duels.models import ConditionalPicks
from crowdgame.play.duels.plan_casting import CAST_CONDITIONAL_PICKS, cast_due, is_due
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from games.engine.game import SIDES, Side
from tests.crowdgame.play.duels.test_player_actions import Playing, begin
from tests.queued_tasks import run_queued_tasks
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import CLASSIC, RED_WINS, only_turn, open_now, play, play_turn
from tests.voting.sample_matches import record_of
from tests.voting.turns.conftest import crashing
from tests.voting.verifiers import verify
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.counting.voter_codes import derive_voter_code
from voting.models import Match, StoredBallot, StoredRestriction, Ticket, Turn, TurnState
from voting.protocol import DuelAction
from voting.turns.periodic import jobs_each_second
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
THREE_DAYS = TIME_CONTROLS_BY_SLUG["3-days"]
FIRST_TURN = [(1, 2)]


def begin_days(box: BallotBox, **settings: Any) -> Playing:
    return begin(box, time_control=THREE_DAYS, **settings)


def plan(playing: Playing, side: Side, theirs: int, own: int) -> None:
    team = seat_number(playing.duel, getattr(playing, side))
    plan_pick(playing.duel.event_id, team, only_turn(playing.match).pk, theirs, own)


def open_turn(playing: Playing, box: BallotBox) -> Turn:
    turn = only_turn(playing.match)
    open_now(turn, box)
    return turn


def begin_with_due_plan(box: BallotBox) -> tuple[Playing, Turn]:
    """Begin a game in which red planned 5 as the answer to 2, and yellow chose 2. Opens the second turn."""
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    play(playing.match, box, FIRST_TURN)
    return playing, open_turn(playing, box)


def voter(playing: Playing, side: Side) -> str:
    team = seat_number(playing.duel, getattr(playing, side))
    return Ticket.objects.get(event=playing.duel.event, team=team).voter


def cast_by_phone(playing: Playing, side: Side, turn: Turn, choice: int, box: BallotBox) -> None:
    ballot = Ballot(voter(playing, side), side, choice, 1, blind="ab" * 16)
    assert box.cast_new(to_boxed_turn(turn), [ballot]).answers == [1]


def in_box(turn: Turn, box: BallotBox) -> list[tuple[str, str, int]]:
    return [(ballot.voter, ballot.side, ballot.choice) for ballot in box.load_ballots(to_boxed_turn(turn))]


def in_database(turn: Turn) -> list[tuple[str, str, int]]:
    return list(StoredBallot.objects.filter(turn=turn).values_list("voter", "side", "choice"))


def test_matching_pick_is_cast_and_stored_once(box: BallotBox) -> None:
    playing = begin_days(box)
    plan(playing, "red", 3, 7)
    plan(playing, "red", 2, 5)
    play(playing.match, box, FIRST_TURN)
    turn = only_turn(playing.match)
    cast_due(box)
    assert (in_box(turn, box), ConditionalPicks.objects.count()) == ([], 1), "the turn isn't open yet"
    open_now(turn, box)
    assert is_due()
    cast_due(box)
    assert in_box(turn, box) == in_database(turn) == [(voter(playing, "red"), "red", 5)]
    assert not ConditionalPicks.objects.exists()
    assert load_turn(turn.pk).state == TurnState.OPEN
    for _ in range(2):
        assert [has_to_pick(playing.match, side, box) for side in SIDES] == [False, True]
        box.delete_all_events()  # the database has the ballot, too


@pytest.mark.parametrize(
    ("before", "planned", "after"),
    [
        pytest.param([], (3, 5), FIRST_TURN, id="other choice"),
        pytest.param([(1, 1), (1, 1)], (1, 1), [(1, 1)], id="full column"),
        pytest.param([], (2, 5), [*FIRST_TURN, (3, 4)], id="no worker in the whole turn"),
    ],
)
def test_plan_lapses(
    before: list[tuple[int, int]], planned: tuple[int, int], after: list[tuple[int, int]], box: BallotBox
) -> None:
    playing, other = begin_days(box), begin_days(box)
    play(playing.match, box, before)
    for each in (playing, other):
        plan(each, "red", *planned)
    play(playing.match, box, after)
    turn = open_turn(playing, box)
    cast_due(box)
    assert in_box(turn, box) == in_database(turn) == []
    assert ConditionalPicks.objects.get().turn.match == other.match
    assert has_to_pick(playing.match, "red", box)


def test_plan_of_alternating_game_waits_for_the_opponents_choice(box: BallotBox) -> None:
    playing = begin_days(box, game=CLASSIC, options={"first": "red"})
    plan(playing, "red", 4, 6)  # in the player's own turn
    plan(playing, "yellow", 1, 4)
    play_turn(only_turn(playing.match), box, red=[1])
    for side, pick in (("yellow", 4), ("red", 6)):
        turn = open_turn(playing, box)
        cast_due(box)
        closed = load_turn(turn.pk)
        assert (closed.state, getattr(closed, f"{side}_pick")) == (TurnState.RESOLVED, pick)
    assert not ConditionalPicks.objects.exists()


@pytest.mark.parametrize("ending", ["abort", "resign", "takeback", "delete", "win"])
def test_only_ended_game_loses_plans(box: BallotBox, ending: DuelAction | Literal["delete", "win"]) -> None:
    playing, other = begin_days(box, casual=True), begin_days(box)
    plan(playing, "red", 2, 5)
    play(playing.match, box, {"win": RED_WINS[:-1], "takeback": FIRST_TURN}.get(ending, []))
    for each in (playing, other):
        plan(each, "yellow", 1, 4)
    if ending == "delete":
        playing.duel.event.delete()
    elif ending == "win":
        play(playing.match, box, RED_WINS[-1:])
    else:
        for team in (1, 2) if ending == "takeback" else (1,):
            playing.do(team, ending, box)
    assert ConditionalPicks.objects.get().turn.match == other.match


@pytest.mark.parametrize(("restriction", "cast"), [({"banned": True}, 0), ({"team": 2}, 0), ({"team": 1}, 1)])
def test_banned_or_moved_seat_casts_nothing(box: BallotBox, restriction: dict[str, Any], cast: int) -> None:
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    play(playing.match, box, FIRST_TURN)
    code = derive_voter_code(voter(playing, "red"))
    StoredRestriction.objects.create(event=playing.duel.event, voter_code=code, at=1, **restriction)
    turn = open_turn(playing, box)
    cast_due(box)
    assert len(in_box(turn, box)) == cast


@pytest.mark.django_db(transaction=True)
def test_scheduler_and_worker_cast_due_plans_of_all_games(box: BallotBox) -> None:
    """No mail asks a player whose plan was cast, and a choice by phone is kept."""
    playing, turn = begin_with_due_plan(box)
    broken, _ = begin_with_due_plan(box)
    phone, phone_turn = begin_with_due_plan(box)
    Match.objects.filter(pk=broken.match.pk).update(game="no-such-game")
    cast_by_phone(phone, "red", phone_turn, 6, box)
    for guest in (playing.red, playing.yellow):
        email = f"{guest.number}@example.org"
        address = EmailAddress.objects.create(guest=guest, email=email, confirmed_at=timezone.now())
        EmailNotification.objects.create(address=address, turn=turn, due_at=timezone.now())
    DeadlineScheduler(box, jobs_each_second()).run_once()
    assert run_queued_tasks(CAST_CONDITIONAL_PICKS) == 1
    assert in_box(turn, box) == [(voter(playing, "red"), "red", 5)]
    assert in_box(phone_turn, box) == [(voter(phone, "red"), "red", 6)]
    assert ConditionalPicks.objects.get().turn.match == broken.match
    send_due(box)
    assert [message.to for message in mail.outbox] == [[f"{playing.yellow.number}@example.org"]]


@pytest.mark.parametrize("before", [True, False])
def test_crash_while_casting_only_delays_the_ballot(box: BallotBox, before: bool) -> None:
    playing, turn = begin_with_due_plan(box)
    with crashing(BallotBox, "cast_new", after=not before):
        cast_due(box)
    assert in_database(turn) == []
    cast_due(box)
    assert in_box(turn, box) == in_database(turn) == [(voter(playing, "red"), "red", 5)]
    assert not ConditionalPicks.objects.exists()


@pytest.mark.parametrize("crashes", [True, False])
def test_open_turn_is_closed_later(box: BallotBox, crashes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    playing, turn = begin_with_due_plan(box)
    cast_by_phone(playing, "yellow", turn, 4, box)
    if crashes:
        with crashing(BallotBox, "picked_at"):
            cast_due(box)
    else:
        monkeypatch.setattr("voting.ballot_box.closing_lease.LEASE_MS", 3_600_000)
        with box.closing_lease.hold(turn.pk):  # by another process
            cast_due(box)
    assert load_turn(turn.pk).state == TurnState.OPEN
    assert is_due()
    cast_due(box)
    assert load_turn(turn.pk).red_pick == 5
    assert not is_due()


@pytest.mark.django_db(transaction=True)
def test_turn_closes_once_when_both_plans_match_and_workers_cast(box: BallotBox, tmp_path: Path) -> None:
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    plan(playing, "yellow", 1, 6)
    play(playing.match, box, FIRST_TURN)
    turn = open_turn(playing, box)
    assert at_once(3, cast_due) == []
    while is_due():  # as the scheduler asks for it
        cast_due(box)
    closed = load_turn(turn.pk)
    assert (closed.state, closed.red_pick, closed.yellow_pick) == (TurnState.RESOLVED, 5, 6)
    assert sorted(in_box(turn, box)) == sorted(in_database(turn))
    assert len(in_box(turn, box)) == 2
    assert only_turn(playing.match).number == 3
    assert not ConditionalPicks.objects.exists()
    verify(msgspec.to_builtins(record_of(playing.match)), tmp_path)
