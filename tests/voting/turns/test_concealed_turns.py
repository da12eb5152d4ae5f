"""Concealed turns: counted and stored at once, but revealed only after the other side has voted."""

from typing import Any

import pytest

from tests.voting.action_helpers import event_of, press, refused
from tests.voting.event_states import last_announced, shown
from tests.voting.match_helpers import SELECTOR, kinds, only_turn, play_out, play_turn, start, tally_of
from tests.voting.sample_matches import plain
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.opened_ballots import load_opened_ballots
from voting.counting.window import START_LEAD_MS
from voting.models import Match, Turn, TurnState
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def public_match(turn: Turn) -> Any:
    """The public match, which must be the same in the last announcement and in a fresh snapshot."""
    state = last_announced(event_of(turn))
    assert state == shown(event_of(turn))
    return state.match


@pytest.fixture
def first(box: BallotBox) -> Turn:
    """The first half, in which red has picked column 4; then it is yellow's turn."""
    return play_turn(start(box, game=SELECTOR), box, red=[4, 4, 2])


def test_first_half_is_counted_and_concealed(first: Turn) -> None:
    assert (first.state, first.red_pick, first.resolved_at) == (TurnState.CONCEALED, 4, None)
    assert tally_of(first, "red").counts == [0, 1, 0, 2, 0, 0, 0]
    match = public_match(first)
    assert (match.reveal, match.board.vote) == (None, "open")
    assert (match.concealed.turn, match.concealed.side, match.concealed.ballots) == (first.pk, "red", 3)
    assert (match.concealed.root, match.concealed.seed) == (tally_of(first, "red").root, None)
    assert (match.turn.number, match.turn.to_move) == (2, ("yellow",))
    assert match.turn.opens_at >= (first.sealed_at or 0) + START_LEAD_MS
    assert kinds(event_of(first))[-1] == "turn.concealed"


def test_second_half_reveals_both(first: Turn, box: BallotBox) -> None:
    after = play_turn(only_turn(first.match), box, yellow=[4, 1, 4])
    turn = load_turn(first.pk)
    assert {turn.state, after.state} == {TurnState.RESOLVED}
    assert turn.resolved_at == after.resolved_at
    match = public_match(turn)
    reveal = match.reveal
    assert (reveal.red.counts, reveal.yellow.counts) == ((0, 1, 0, 2, 0, 0, 0), (1, 0, 0, 2, 0, 0, 0))
    assert (reveal.turn, reveal.seed) == (after.pk, after.seed)
    assert (reveal.concealed.turn, reveal.concealed.seed) == (turn.pk, turn.seed)
    assert (reveal.resolution.conflict, reveal.resolution.token_after) == (4, "yellow")
    assert (match.concealed, match.board.vote) == (None, "concealed")
    assert match.turn.to_move == ("yellow",)
    assert kinds(event_of(turn))[-1] == "turn.revealed"
    concealed = play_turn(only_turn(first.match), box, yellow=[2, 2, 6])
    assert concealed.state == TurnState.CONCEALED
    assert public_match(concealed).reveal == reveal, "a later concealed half leaves it as it was"


def test_concealed_half_has_no_record_or_ballot_list(first: Turn, box: BallotBox) -> None:
    record = plain(first.match)
    assert (record["turns"], record["counts"]) == ([], [])
    assert load_opened_ballots(event_of(first), first.pk) is None
    play_turn(only_turn(first.match), box, yellow=[5])
    assert [(picks["red"], picks["yellow"]) for picks in plain(first.match)["turns"]] == [
        (4, None),
        (None, 5),
    ]
    assert load_opened_ballots(event_of(first), first.pk) is not None


@pytest.mark.parametrize("action", ["turn.void", "match.abort"])
def test_voided_or_aborted_half_is_never_revealed(action: str, first: Turn, box: BallotBox) -> None:
    press(event_of(first), action, box)
    match, turn = public_match(first), load_turn(first.pk)
    assert (match.concealed, match.reveal) == (None, None)
    assert (turn.state, turn.resolved_at) == (TurnState.VOID, None)
    assert load_opened_ballots(event_of(first), first.pk) is None
    if action == "turn.void":
        assert (match.board.vote, only_turn(turn.match).number) == ("concealed", 1)
    else:
        assert (match.state, match.turn) == ("aborted", None)


def test_void_takes_back_all_that_is_revealed_or_the_half_after_it(first: Turn, box: BallotBox) -> None:
    """Otherwise the second side could answer a pick that it already knows."""
    event_id = event_of(first)
    second = play_turn(only_turn(first.match), box, yellow=[5])
    third = play_turn(only_turn(first.match), box, red=[6])
    press(event_id, "turn.void", box)
    assert (load_turn(third.pk).state, only_turn(first.match).number) == (TurnState.VOID, 3)
    assert public_match(first).reveal.number == 2
    with refused("Another turn has been revealed"):
        press(event_id, "turn.void", box, turn=first.pk)
    press(event_id, "turn.void", box, turn=second.pk)
    assert {load_turn(pk).state for pk in (first.pk, second.pk)} == {TurnState.VOID}
    assert (only_turn(first.match).number, public_match(first).board.vote) == (1, "concealed")


@pytest.mark.parametrize(("half", "winner"), [(1, "yellow"), (2, "red")])
def test_forfeit_in_either_half_ends_match_and_reveals_all(box: BallotBox, half: int, winner: str) -> None:
    turn = start(box, game=SELECTOR, no_ballot_rule="forfeit")
    if half == 2:
        play_turn(turn, box, red=[4])
    play_out(only_turn(turn.match), box)
    match, reveal = Match.objects.get(pk=turn.match_id), public_match(turn).reveal
    assert (match.result, match.ended_by) == (winner, "forfeit")
    assert not match.turns.filter(state=TurnState.CONCEALED).exists()
    assert (reveal.number, reveal.concealed is None) == (half, half == 1)
