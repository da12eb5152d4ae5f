"""A show of hands: what an organizer types in is sealed and told like all ballots, and counts once."""

from typing import Any

import pytest

from games.matches import claim_turn
from games.models import Team, Turn, TurnState
from tests.voting.action_helpers import event_of, press, refused, words_of
from tests.voting.box_loss_helpers import empty
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    CLASSIC,
    NINE_MINUTES_MS,
    new_event,
    only_turn,
    open_now,
    play_out,
    play_turn,
    run_out,
    set_window,
    store,
    tally_of,
    vote,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import HAND_VOTER_PREFIX, Ballot, unpack_ballots
from voting.models import StoredBallot
from voting.protocol import MAX_HANDS, Action
from voting.records.exports import export_match
from voting.records.recount import find_faults
from voting.turns.early_close import close_turn_early
from voting.turns.turns import load_turn, restore_turn, start_match

pytestmark = pytest.mark.django_db
DOVES = 2
ACTIONS: list[Action] = ["turn.pause", "turn.extend", "turn.resume", "turn.extend", "turn.shorten"]


def by_hands(box: BallotBox, *teams: int, **choices: Any) -> Turn:
    """An open turn of a match in which these teams, or else the second, vote by a show of hands."""
    event = new_event(**choices)
    Team.objects.filter(event=event, number__in=teams or (DOVES,)).update(hands=True)
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    return load_turn(turn.pk)


def count(turn: Turn, box: BallotBox, *hands: int, team: int = DOVES) -> str:
    return words_of(event_of(turn), "hands.count", box, turn=turn.pk, team=team, hands=hands)


def lose_box(turn: Turn, box: BallotBox) -> None:
    empty()
    restore_turn(turn.pk, box)
    open_now(load_turn(turn.pk), box)


def verified(turn: Turn) -> bool:
    exported = export_match(turn.match.event.code, None)
    assert exported is not None
    return find_faults(exported.record) == []


def test_hands_count_beside_phones_and_can_be_counted_again_by_anyone(box: BallotBox) -> None:
    turn = by_hands(box)
    vote(turn, box, red=[3, 3, 5])
    assert count(turn, box, 0, 4, 0, 0, 7) == "counted 11 hands for Doves in turn 1"
    after = play_out(turn, box)
    assert (after.red_pick, after.yellow_pick) == (3, 5)
    tally = tally_of(turn, "yellow")
    assert (tally.counts, tally.ballots, tally.decided_by) == ([0, 4, 0, 0, 7, 0, 0], 11, "plurality")
    assert tally_of(turn, "red").counts == [0, 0, 2, 0, 1, 0, 0]
    sealed = unpack_ballots(bytes(tally.sealed))
    assert len({ballot.blind for ballot in sealed}) == len({ballot.voter for ballot in sealed}) == 11
    assert verified(turn)


def test_both_teams_may_vote_by_hands(box: BallotBox) -> None:
    turn = by_hands(box, 1, 2)
    assert count(turn, box, 1, team=1) == "counted 1 hand for Rooks in turn 1"
    count(turn, box, 0, 9, team=2)
    after = play_out(turn, box)
    assert (after.red_pick, after.yellow_pick) == (1, 2)
    assert verified(turn)


def test_counting_again_replaces(box: BallotBox) -> None:
    turn = by_hands(box)
    for hands in ((9, 9, 9), (0, 0, 0, 2), (1, 0, 0, 3)):
        count(turn, box, *hands)
    play_out(turn, box)
    assert tally_of(turn, "yellow").counts == [1, 0, 0, 3, 0, 0, 0]


def test_no_hand_up_is_no_ballot(box: BallotBox) -> None:
    turn = by_hands(box, no_ballot_rule="pass")
    count(turn, box, 5)
    count(turn, box, 0, 0)
    after = play_out(turn, box)
    assert (after.yellow_pick, tally_of(turn, "yellow").decided_by) == (None, "pass")


def test_a_lost_box_loses_no_hand_and_keeps_none_that_was_taken_down(box: BallotBox) -> None:
    turn = by_hands(box)
    count(turn, box, 6, 6, 6)
    lose_box(turn, box)
    vote(load_turn(turn.pk), box, red=[1])
    count(turn, box, 0, 2)
    lose_box(turn, box)
    play_out(turn, box)
    assert tally_of(turn, "yellow").counts == [0, 2, 0, 0, 0, 0, 0]
    assert verified(turn)


def test_hands_stay_through_a_pause_and_more_time(box: BallotBox) -> None:
    turn = by_hands(box)
    count(turn, box, 0, 3)
    for action in ACTIONS:
        press(event_of(turn), action, box)
    assert play_out(turn, box).yellow_pick == 2
    assert tally_of(turn, "yellow").ballots == 3


def test_a_turn_voted_again_has_its_hands_counted_again(box: BallotBox) -> None:
    turn = by_hands(box, no_ballot_rule="pass")
    count(turn, box, 0, 3)
    play_out(turn, box)
    press(event_of(turn), "turn.void", box)
    again = only_turn(turn.match)
    assert play_turn(again, box, red=[1]).yellow_pick is None
    assert not StoredBallot.objects.filter(turn=again).exists()


def test_a_close_that_began_before_the_count_cannot_be_committed(box: BallotBox) -> None:
    turn = by_hands(box)
    closing = load_turn(turn.pk)
    count(turn, box, 1)
    assert not claim_turn(closing, state=TurnState.RESOLVED, resolved_at=box.now())
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_ballots_of_phones_in_a_long_window_stay(box: BallotBox) -> None:
    turn = by_hands(box, window_s=3600)
    store(turn, [Ballot("ada", "red", 4, 1), Ballot("bob", "yellow", 7, 1)])
    count(turn, box, 2)
    count(turn, box, 1)
    kept = StoredBallot.objects.filter(turn=turn)
    assert set(kept.exclude(voter__startswith=HAND_VOTER_PREFIX).values_list("voter", flat=True)) == {
        "ada",
        "bob",
    }
    assert kept.filter(voter__startswith=HAND_VOTER_PREFIX).count() == 1


# ------------------------------------------------------------------ refused
def test_what_is_missing_is_asked_for(box: BallotBox) -> None:
    turn = by_hands(box)
    for more in ({}, {"team": 2}, {"hands": (1,)}):
        with refused("Say which team"):
            press(event_of(turn), "hands.count", box, **more)


def test_a_team_with_phones_has_no_hands(box: BallotBox) -> None:
    turn = by_hands(box)
    with refused("Rooks votes with phones"):
        count(turn, box, 1, team=1)


def test_hands_are_counted_in_an_open_window(box: BallotBox) -> None:
    turn = by_hands(box)
    set_window(turn, box, 5_000, NINE_MINUTES_MS)
    with refused("has not begun"):
        count(turn, box, 1)
    run_out(load_turn(turn.pk), box)
    with refused("Time is up"):
        count(turn, box, 1)
    open_now(load_turn(turn.pk), box)
    press(event_of(turn), "turn.pause", box)
    with refused("paused"):
        count(turn, box, 1)
    with refused("over already"):
        press(event_of(turn), "hands.count", box, turn=turn.pk + 1, team=DOVES, hands=(1,))


def test_hands_are_for_columns_one_can_choose(box: BallotBox) -> None:
    turn = by_hands(box)
    for _ in range(3):
        count(turn, box, 0, 0, 0, 0, 0, 0, 1)
        vote(turn, box, red=[7])
        play_out(turn, box)
        turn = only_turn(turn.match)
        open_now(turn, box)
    with refused("column 7"):
        count(turn, box, 0, 0, 0, 0, 0, 0, 1)
    with refused("column 8"):
        count(turn, box, 0, 0, 0, 0, 0, 0, 0, 1)
    assert count(turn, box, 1, 0, 0, 0, 0, 0, 0, 0)


def test_a_team_that_is_not_to_move_has_nothing_to_count(box: BallotBox) -> None:
    turn = by_hands(box, 1, 2, game=CLASSIC, options={"first": "red"})
    with refused("Doves is not to move"):
        count(turn, box, 1)
    assert count(turn, box, 1, team=1)


def test_there_is_an_end_to_hands(box: BallotBox) -> None:
    turn = by_hands(box)
    with refused("At most 5,000"):
        count(turn, box, MAX_HANDS, 1)
    count(turn, box, MAX_HANDS)
    assert play_out(turn, box).yellow_pick == 1
    assert tally_of(turn, "yellow").ballots == MAX_HANDS


def test_hands_and_phones_of_one_team_do_not_mix(box: BallotBox) -> None:
    """The team was set to hands while its phones were voting."""
    turn = by_hands(box)
    vote(turn, box, yellow=[4])
    with refused("Phones have voted for Doves"):
        count(turn, box, 1)
    play_out(turn, box)
    turn = only_turn(turn.match)
    open_now(turn, box)
    assert count(turn, box, 1)


# ------------------------------------------------------------------ others at the same time
def test_an_early_close_waits_for_the_hands(box: BallotBox) -> None:
    turn = by_hands(box, close_early=True)
    vote(turn, box, red=[3])
    close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.OPEN
    count(turn, box, 0, 1)
    close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


def test_an_early_close_waits_for_no_hands_of_a_team_that_is_not_to_move(box: BallotBox) -> None:
    turn = by_hands(box, game=CLASSIC, options={"first": "red"}, close_early=True)
    vote(turn, box, red=[3])
    close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


@pytest.mark.django_db(transaction=True)
def test_of_counts_typed_in_at_once_one_whole_one_stays(box: BallotBox) -> None:
    turn = by_hands(box)
    counts = [(3,), (0, 5), (0, 0, 7), (2, 2, 2)]
    left = list(counts)
    refusals = at_once(len(counts), lambda own: count(turn, own, *left.pop()))
    assert len(refusals) < len(counts)
    play_out(turn, box)
    stored = tally_of(turn, "yellow").counts
    assert tuple(stored) in {(*hands, *[0] * (7 - len(hands))) for hands in counts}
