"""Turns whose ballots are all in the database: once the window has been over ten minutes long, or always."""

import pytest

from tests.voting.action_helpers import event_of, press
from tests.voting.box_helpers import ask
from tests.voting.box_loss_helpers import empty
from tests.voting.match_helpers import ballots, only_turn, open_now, play_out, set_window, start, tally_of
from tests.voting.turns.conftest import crashing
from voting.ballot_box.archive import load_stored_ballots, store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastReply
from voting.counting.ballots import Ballot
from voting.counting.window import STORED_FROM_MS
from voting.models import Turn
from voting.turns.restoring import restore_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
BEFORE, AFTER = ballots("red", [3, 3]), ballots("yellow", [4])
TEN_MINUTES_S = STORED_FROM_MS // 1000


def cast(turn: Turn, *cast_ballots: Ballot) -> CastReply:
    return ask(lambda box: box.cast(turn.match.event_id, turn.pk, turn.epoch, cast_ballots))


def stored_voters(turn: Turn) -> set[str]:
    return {ballot.voter for ballot in load_stored_ballots(turn)}


def test_extension_over_ten_minutes_stores_all_ballots(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    assert not cast(turn, *BEFORE).stored
    press(event_of(turn), "turn.extend", box, seconds=300)
    extended = load_turn(turn.pk)
    assert extended.stored
    assert stored_voters(extended) == {"red1", "red2"}
    assert cast(extended, *AFTER).stored, "the gateway stores it before it answers"
    empty()
    restore_turn(extended.pk, box)
    restored = load_turn(extended.pk)
    assert sum(box.ballot_counts(to_boxed_turn(restored)).values()) == 2
    assert restored.box_lost_at is None, "no voter has to return"
    play_out(restored, box)
    assert tally_of(restored, "red").ballots == 2
    assert not only_turn(restored.match).stored, "the next turn is short again"


@pytest.mark.parametrize("step", ["load_ballots", "confirm_stored"])
def test_scheduler_stores_ballots_if_the_extension_crashed(step: str, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    cast(turn, *BEFORE)
    with crashing(BallotBox, step):
        press(event_of(turn), "turn.extend", box, seconds=300)
    assert cast(turn, *AFTER).stored
    DeadlineScheduler(box).run_once()
    assert stored_voters(turn) >= {"red1", "red2"}
    assert not box.find_inconsistent([(event_of(turn), turn.pk, load_turn(turn.pk).version)])


def test_resumed_turn_with_little_time_left_stays_stored(box: BallotBox) -> None:
    turn = start(box, window_s=2 * TEN_MINUTES_S)
    assert turn.stored
    set_window(turn, box, -1_000, 300_000)
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.resume", box)
    resumed = load_turn(turn.pk)
    assert resumed.closes_at - resumed.opens_at <= 300_000
    assert resumed.stored
    set_window(resumed, box, -1_000, 300_000)
    assert cast(resumed, *BEFORE).stored


def test_short_turns_are_not_stored(box: BallotBox) -> None:
    turn = start(box, window_s=TEN_MINUTES_S)
    set_window(turn, box, -1_000, 300_000)
    press(event_of(turn), "turn.extend", box, seconds=60)
    assert not cast(turn, *BEFORE).stored
    assert stored_voters(turn) == set()


@pytest.mark.parametrize("terms", [{}, {"bank_s": 60}, {"bank_s": 60, "cap_s": 20}])
def test_all_turns_are_stored_if_the_organizer_chose_so(terms: dict[str, int], box: BallotBox) -> None:
    turn = start(box, store_ballots=True, **terms)
    open_now(turn, box)
    assert cast(turn, *BEFORE, *AFTER).stored, "the gateway stores them before it answers"
    store_ballots(turn.pk, [*BEFORE, *AFTER], box.now())
    empty()
    restore_turn(turn.pk, box)
    play_out(turn, box)
    assert (tally_of(turn, "red").ballots, tally_of(turn, "yellow").ballots) == (2, 1)
    assert only_turn(turn.match).stored
