"""Show of hands: a typed count is sealed and revealed like ballots, and counts once."""

from typing import Any

import pytest

from tests.voting.action_helpers import event_of, press, refused, words_of
from tests.voting.box_helpers import empty
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import new_event, only_turn, open_now, play, play_out, store, tally_of, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import HAND_VOTER_PREFIX, Ballot, unpack_ballots
from voting.matches import claim_turn
from voting.models import StoredBallot, Team, Turn, TurnState
from voting.protocol import MAX_HANDS
from voting.records.exports import export_match
from voting.records.recount import find_faults
from voting.terms import HANDS
from voting.turns.early_close import close_turn_early
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn, start_match

pytestmark = pytest.mark.django_db
DOVES = 2


def by_hands(box: BallotBox, *teams: int, **choices: Any) -> Turn:
    """An open turn of a match in which these teams, or else the second, vote by a show of hands."""
    event = new_event(**choices)
    Team.objects.filter(event=event, number__in=teams or (DOVES,)).update(source=HANDS)
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    return load_turn(turn.pk)


def count(turn: Turn, box: BallotBox, *hands: int, team: int = DOVES) -> str:
    return words_of(event_of(turn), "hands.count", box, turn=turn.pk, team=team, hands=hands)


def verified(turn: Turn) -> bool:
    exported = export_match(turn.match.event.code, None)
    assert exported is not None
    return find_faults(exported.record) == []


def test_hands_are_tallied_beside_phones_and_verify(box: BallotBox) -> None:
    turn = by_hands(box)
    vote(turn, box, red=[3, 3, 5])
    count(turn, box, 0, 4, 0, 0, 7)
    assert (play_out(turn, box).yellow_pick, tally_of(turn, "red").counts) == (5, [0, 0, 2, 0, 1, 0, 0])
    sealed = unpack_ballots(bytes(tally_of(turn, "yellow").sealed))
    assert len({ballot.blind for ballot in sealed}) == len({ballot.voter for ballot in sealed}) == 11
    assert verified(turn)


@pytest.mark.parametrize(
    ("counted", "tally", "pick", "decided_by"),
    [
        ([(0, 9)], [0, 9, 0, 0, 0, 0, 0], 2, "plurality"),
        ([(9, 9, 9), (0, 0, 0, 2), (1, 0, 0, 3)], [1, 0, 0, 3, 0, 0, 0], 4, "plurality"),
        ([(5,), (0, 0)], [0] * 7, None, "pass"),
        ([(MAX_HANDS,)], [MAX_HANDS, 0, 0, 0, 0, 0, 0], 1, "plurality"),
    ],
)
def test_latest_hand_count_is_tallied(
    counted: list[tuple[int, ...]], tally: list[int], pick: int | None, decided_by: str, box: BallotBox
) -> None:
    turn = by_hands(box, 1, 2, no_ballot_rule="pass")
    assert count(turn, box, 1, team=1) == "olga counted the hands of Rooks in turn 1: 1"
    for hands in counted:
        count(turn, box, *hands)
    after = play_out(turn, box)
    stored = tally_of(turn, "yellow")
    assert (after.red_pick, after.yellow_pick) == (1, pick)
    assert (stored.counts, stored.ballots, stored.decided_by) == (tally, sum(tally), decided_by)
    assert verified(turn)


def test_latest_hand_count_survives_pause_and_ballot_box_loss(box: BallotBox) -> None:
    def lose_box() -> None:
        empty()
        restore_turn(turn.pk, box)
        open_now(load_turn(turn.pk), box)

    turn = by_hands(box)
    count(turn, box, 6, 6, 6)
    lose_box()
    vote(load_turn(turn.pk), box, red=[1])
    count(turn, box, 0, 2)
    for action in ("turn.pause", "turn.extend", "turn.resume", "turn.extend", "turn.shorten"):
        press(event_of(turn), action, box)
    lose_box()
    play_out(turn, box)
    assert tally_of(turn, "yellow").counts == [0, 2, 0, 0, 0, 0, 0]
    assert verified(turn)


def test_hand_count_replaces_the_last_one_but_no_phone_ballots_and_stops_a_close(box: BallotBox) -> None:
    turn = by_hands(box, window_s=3600)
    store(turn, [Ballot("ada", "red", 4, 1), Ballot("bob", "yellow", 7, 1)])
    closing = load_turn(turn.pk)
    for hands in (2, 1):
        count(turn, box, hands)
    ada, bob, by_hand = StoredBallot.objects.filter(turn=turn).values_list("voter", flat=True).order_by("pk")
    assert (ada, bob, by_hand.startswith(HAND_VOTER_PREFIX)) == ("ada", "bob", True)
    assert not claim_turn(closing, state=TurnState.RESOLVED, resolved_at=box.now())
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_hand_count_accepts_only_legal_columns(box: BallotBox) -> None:
    turn = by_hands(box)
    play(turn.match, box, [(7, 7)] * 3)
    turn = only_turn(turn.match)
    open_now(turn, box)
    with refused("Column 7"):
        count(turn, box, 0, 0, 0, 0, 0, 0, 1)
    with refused("Column 8"):
        count(turn, box, 0, 0, 0, 0, 0, 0, 0, 1)
    assert count(turn, box, 1, 0, 0, 0, 0, 0, 0, 0)


def test_hand_count_is_refused_in_a_turn_with_phone_votes(box: BallotBox) -> None:
    """The team was set to hands while its phones were voting."""
    turn = by_hands(box)
    vote(turn, box, yellow=[4])
    with refused("Doves has voted by phone"):
        count(turn, box, 1)
    play_out(turn, box)
    turn = only_turn(turn.match)
    open_now(turn, box)
    assert count(turn, box, 1)


@pytest.mark.parametrize("to_move", [True, False])
def test_hands_are_counted_and_awaited_only_for_team_to_move(to_move: bool, box: BallotBox) -> None:
    terms: dict[str, Any] = {} if to_move else {"game": "captains-mistress", "options": {"first": "red"}}
    turn = by_hands(box, close_early=True, **terms)
    vote(turn, box, red=[3])
    if to_move:
        close_turn_early(turn.pk, turn.closes_at, box)
        assert load_turn(turn.pk).state == TurnState.OPEN
        count(turn, box, 0, 1)
    else:
        with refused("Doves does not move"):
            count(turn, box, 1)
    close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


@pytest.mark.django_db(transaction=True)
def test_concurrent_hand_counts_store_one_whole_count(box: BallotBox) -> None:
    turn = by_hands(box)
    counts = [(3, 0, 0), (0, 5, 0), (0, 0, 7), (2, 2, 2)]
    left = list(counts)
    refusals = at_once(len(counts), lambda own: count(turn, own, *left.pop()))
    assert len(refusals) < len(counts)
    play_out(turn, box)
    assert tuple(tally_of(turn, "yellow").counts[:3]) in counts
    assert not any(tally_of(turn, "yellow").counts[3:])
