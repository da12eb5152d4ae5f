"""A planned choice is cast in the turn after the opponent's choice, once, or lapses."""

from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from crowdgame.play.duels.lists import has_to_pick
from crowdgame.play.duels.models import ConditionalPicks
from crowdgame.play.duels.plan_casting import cast_due, is_due
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from games.engine.game import Side
from tests.crowdgame.play.duels.conditional_picks_helpers import (
    FIRST_TURN,
    begin_days,
    begin_with_due_plan,
    cast_by_phone,
    in_box,
    in_database,
    open_turn,
    plan,
    voter,
)
from tests.crowdgame.play.duels.test_player_actions import export
from tests.voting.match_helpers import CLASSIC, RED_WINS, only_turn, open_now, play, run_out, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.models import Match, MatchResult, StoredRestriction, Turn, TurnState
from voting.records.recount import find_faults
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def test_matching_pick_is_cast_and_stored_once(box: BallotBox) -> None:
    playing = begin_days(box)
    plan(playing, "red", 3, 7)
    plan(playing, "red", 2, 5)
    play(playing.match, box, FIRST_TURN)
    turn = open_turn(playing, box)
    assert is_due()
    cast_due(box)
    expected = [(voter(playing, "red"), "red", 5)]
    assert in_box(turn, box) == in_database(turn) == expected
    assert not ConditionalPicks.objects.exists()
    assert load_turn(turn.pk).state == TurnState.OPEN
    for _ in range(2):
        assert [has_to_pick(playing.match, side, box) for side in ("red", "yellow")] == [False, True]
        box.delete_all_events()  # the database has the ballot, too


def test_plan_lapses_without_a_match(box: BallotBox) -> None:
    playing, other = begin_days(box), begin_days(box)
    for each in (playing, other):
        plan(each, "red", 3, 5)
    play(playing.match, box, FIRST_TURN)
    turn = open_turn(playing, box)
    cast_due(box)
    assert in_box(turn, box) == in_database(turn) == []
    assert ConditionalPicks.objects.get().turn.match == other.match
    assert has_to_pick(playing.match, "red", box)


def test_turn_closes_when_both_plans_match(box: BallotBox) -> None:
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    plan(playing, "yellow", 1, 6)
    play(playing.match, box, FIRST_TURN)
    turn = open_turn(playing, box)
    cast_due(box)
    closed = load_turn(turn.pk)
    assert (closed.state, closed.red_pick, closed.yellow_pick) == (TurnState.RESOLVED, 5, 6)
    assert only_turn(playing.match).number == 3
    assert not ConditionalPicks.objects.exists()
    record = export(playing)
    assert find_faults(record) == []
    counted = record.counts[1]
    assert counted.red
    assert counted.yellow
    assert [[choice for choice, _ in side.ballots] for side in (counted.red, counted.yellow)] == [[5], [6]]


def test_turn_closes_when_the_opponent_has_voted_before(box: BallotBox) -> None:
    playing, turn = begin_with_due_plan(box)
    cast_by_phone(playing, "yellow", turn, 4, box)
    cast_due(box)
    assert load_turn(turn.pk).red_pick == 5


def test_plan_waits_until_the_turn_opens(box: BallotBox) -> None:
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    play(playing.match, box, FIRST_TURN)
    turn = only_turn(playing.match)
    cast_due(box)
    assert in_box(turn, box) == []
    assert ConditionalPicks.objects.exists()
    open_now(turn, box)
    cast_due(box)
    assert len(in_box(turn, box)) == 1


def test_choice_by_phone_is_kept(box: BallotBox) -> None:
    playing, turn = begin_with_due_plan(box)
    cast_by_phone(playing, "red", turn, 6, box)
    cast_due(box)
    assert in_box(turn, box) == [(voter(playing, "red"), "red", 6)]
    assert not ConditionalPicks.objects.exists()


def test_pick_of_full_column_lapses(box: BallotBox) -> None:
    playing = begin_days(box)
    play(playing.match, box, [(1, 1), (1, 1)])
    plan(playing, "red", 1, 1)
    play(playing.match, box, [(1, 1)])
    turn = open_turn(playing, box)
    cast_due(box)
    assert in_box(turn, box) == []
    assert not ConditionalPicks.objects.exists()


def test_plan_of_last_turn_lapses(box: BallotBox) -> None:
    playing = begin_days(box)
    play(playing.match, box, RED_WINS[:-1])
    plan(playing, "yellow", 1, 4)
    play(playing.match, box, RED_WINS[-1:])
    assert playing.ending()[1] == MatchResult.RED
    assert not ConditionalPicks.objects.exists()


def mover(turn: Turn) -> Side:
    return "red" if turn.match.options["first"] == "red" else "yellow"


def test_plan_of_alternating_game_waits_for_the_opponents_choice(box: BallotBox) -> None:
    playing = begin_days(box, game=CLASSIC, options={"first": "red"})
    plan(playing, "red", 4, 6)  # in the player's own turn
    plan(playing, "yellow", 1, 4)
    play_alone(playing.match, "red", 1, box)
    answered = open_turn(playing, box)
    cast_due(box)
    closed = load_turn(answered.pk)
    assert (closed.state, closed.yellow_pick) == (TurnState.RESOLVED, 4)
    turn = open_turn(playing, box)
    cast_due(box)
    assert load_turn(turn.pk).red_pick == 6
    assert not ConditionalPicks.objects.exists()


def play_alone(match: Match, side: Side, column: int, box: BallotBox) -> None:
    turn = only_turn(match)
    open_now(turn, box)
    vote(turn, box, **{side: [column]})
    run_out(turn, box)
    close_turn(turn.pk, box)


@pytest.mark.parametrize(("game", "theirs", "own"), [("trails", 1, 2), ("goofspiel", 3, 4), (CLASSIC, 3, 3)])
def test_plans_work_in_other_games(box: BallotBox, game: str, theirs: int, own: int) -> None:
    playing = begin_days(box, game=game)
    opponent: Side = "yellow" if game != CLASSIC or mover(only_turn(playing.match)) == "yellow" else "red"
    side: Side = "red" if opponent == "yellow" else "yellow"
    plan(playing, side, theirs, own)
    turn = open_turn(playing, box)
    if game == CLASSIC:
        vote(turn, box, **{opponent: [theirs]})
    else:
        vote(turn, box, red=[2 if game == "goofspiel" else 1], yellow=[theirs])
    run_out(turn, box)
    close_turn(turn.pk, box)
    following = open_turn(playing, box)
    cast_due(box)
    held = in_database(following)
    assert held == [(voter(playing, side), side, own)]


def test_takeback_deletes_plans_of_both_turns(box: BallotBox) -> None:
    playing = begin_days(box, casual=True)
    plan(playing, "red", 2, 5)
    play(playing.match, box, FIRST_TURN)
    plan(playing, "yellow", 3, 4)
    playing.do(1, "takeback", box)
    playing.do(2, "takeback", box)
    assert not ConditionalPicks.objects.exists()
    play(playing.match, box, FIRST_TURN)
    following = open_turn(playing, box)
    cast_due(box)
    assert in_box(following, box) == []


@pytest.mark.parametrize("action", ["abort", "resign"])
def test_stopped_game_deletes_plans(box: BallotBox, action: str) -> None:
    playing, other = begin_days(box), begin_days(box)
    for each in (playing, other):
        plan(each, "red", 2, 5)
    playing.do(1, action, box)  # type: ignore[arg-type]
    assert ConditionalPicks.objects.get().turn.match == other.match


def test_deleted_event_deletes_plans(box: BallotBox) -> None:
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    playing.duel.event.delete()
    assert not ConditionalPicks.objects.exists()


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


def test_no_mail_asks_a_player_whose_plan_was_cast(box: BallotBox) -> None:
    playing, turn = begin_with_due_plan(box)
    for guest in (playing.red, playing.yellow):
        address = EmailAddress.objects.create(
            guest=guest, email=f"{guest.number}@example.org", confirmed_at=timezone.now()
        )
        EmailNotification.objects.create(address=address, turn=turn, due_at=timezone.now())
    cast_due(box)
    send_due(box)
    assert [message.to for message in mail.outbox] == [[f"{playing.yellow.number}@example.org"]]
