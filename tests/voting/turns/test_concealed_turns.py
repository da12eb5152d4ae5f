"""Concealed turns: counted and stored at once, but revealed only after the other side has voted."""

import pytest

from games.models import Match, Turn, TurnState
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.concurrency_helpers import at_once
from tests.voting.event_states import last_announced, shown
from tests.voting.match_helpers import (
    SELECTOR,
    kinds,
    only_turn,
    open_now,
    play_out,
    play_turn,
    run_out,
    start,
    tally_of,
    vote,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.opened_ballots import load_opened_ballots
from voting.counting.window import START_LEAD_MS
from voting.models import TallyRecord
from voting.protocol import Match as PublicMatch
from voting.protocol import Reveal
from voting.records.exports import export_match
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def public_match(turn: Turn) -> PublicMatch:
    """The public match, which must be the same in the last announcement and in a fresh snapshot."""
    state = last_announced(event_of(turn))
    assert state == shown(event_of(turn))
    assert state.match is not None
    return state.match


def revealed(turn: Turn) -> Reveal:
    reveal = public_match(turn).reveal
    assert reveal is not None
    return reveal


def test_first_half_is_counted_and_concealed(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    kept = play_turn(turn, box, red=[4, 4, 2])
    assert (kept.state, kept.red_pick, kept.resolved_at) == (TurnState.CONCEALED, 4, None)
    assert tally_of(kept, "red").counts == [0, 1, 0, 2, 0, 0, 0]
    match = public_match(turn)
    assert (match.reveal, match.board.vote) == (None, "open")
    assert match.concealed is not None
    assert (match.concealed.turn, match.concealed.side, match.concealed.ballots) == (turn.pk, "red", 3)
    assert (match.concealed.root, match.concealed.seed) == (tally_of(kept, "red").root, None)
    assert match.turn is not None
    assert (match.turn.number, match.turn.to_move) == (2, ("yellow",))
    assert match.turn.opens_at >= (kept.sealed_at or 0) + START_LEAD_MS
    assert kinds(event_of(turn))[-1] == "turn.concealed"


def test_second_half_reveals_both(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[4, 4, 2])
    after = play_turn(only_turn(turn.match), box, yellow=[4, 1, 4])
    first = load_turn(turn.pk)
    assert {first.state, after.state} == {TurnState.RESOLVED}
    assert first.resolved_at == after.resolved_at
    match, reveal = public_match(turn), revealed(turn)
    assert reveal.red is not None
    assert reveal.yellow is not None
    assert reveal.concealed is not None
    assert (reveal.red.counts, reveal.yellow.counts) == ((0, 1, 0, 2, 0, 0, 0), (1, 0, 0, 2, 0, 0, 0))
    assert (reveal.turn, reveal.seed) == (after.pk, after.seed)
    assert (reveal.concealed.turn, reveal.concealed.seed) == (first.pk, first.seed)
    assert (reveal.resolution.conflict, reveal.resolution.token_after) == (4, "yellow")
    assert (match.concealed, match.board.vote) == (None, "concealed")
    assert match.turn is not None
    assert match.turn.to_move == ("yellow",)
    assert kinds(event_of(turn))[-1] == "turn.revealed"


def test_concealed_half_has_no_record_or_ballot_list(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[4])
    code = turn.match.event.code
    exported = export_match(code, 1)
    assert exported is not None
    assert (exported.record.turns, exported.record.counts) == ((), ())
    assert load_opened_ballots(event_of(turn), turn.pk) is None
    play_turn(only_turn(turn.match), box, yellow=[5])
    exported = export_match(code, 1)
    assert exported is not None
    assert [(picks.red, picks.yellow) for picks in exported.record.turns] == [(4, None), (None, 5)]
    assert load_opened_ballots(event_of(turn), turn.pk) is not None


def test_voided_concealed_half_is_never_revealed(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[4])
    press(event_of(turn), "turn.void", box, turn=turn.pk)
    match = public_match(turn)
    assert (match.concealed, match.reveal, match.board.vote) == (None, None, "concealed")
    assert (only_turn(turn.match).number, load_turn(turn.pk).state) == (1, TurnState.VOID)
    assert load_turn(turn.pk).resolved_at is None
    assert load_opened_ballots(event_of(turn), turn.pk) is None


def test_void_after_reveal_takes_back_both_halves(box: BallotBox) -> None:
    """Otherwise the second side could answer a pick that it already knows."""
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[4])
    second = play_turn(only_turn(turn.match), box, yellow=[5])
    with refused("Another turn has been revealed"):
        press(event_of(turn), "turn.void", box, turn=turn.pk)
    press(event_of(turn), "turn.void", box, turn=second.pk)
    assert {load_turn(pk).state for pk in (turn.pk, second.pk)} == {TurnState.VOID}
    assert (only_turn(turn.match).number, public_match(turn).board.vote) == (1, "concealed")


def test_void_after_next_half_takes_back_that_half_only(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[4])
    play_turn(only_turn(turn.match), box, yellow=[5])
    third = play_turn(only_turn(turn.match), box, red=[6])
    press(event_of(turn), "turn.void", box)
    assert load_turn(third.pk).state == TurnState.VOID
    assert only_turn(turn.match).number == 3
    assert revealed(turn).number == 2


def test_aborted_match_never_reveals_concealed_half(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[4])
    press(event_of(turn), "match.abort", box)
    assert load_turn(turn.pk).state == TurnState.VOID
    match = public_match(turn)
    assert (match.state, match.concealed, match.reveal, match.turn) == ("aborted", None, None, None)


def test_organizer_can_pause_extend_and_shorten_both_halves(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    for number, side in enumerate(("red", "yellow"), 1):
        half = only_turn(turn.match)
        assert half.number == number
        open_now(half, box)
        vote(half, box, **{side: [3]})
        for action in (
            "turn.pause",
            "turn.resume",
            "turn.extend",
            "turn.shorten",
            "turn.pause",
            "turn.resume",
        ):
            press(event_of(turn), action, box, turn=half.pk)
        assert public_match(turn).board.vote == ("concealed" if number == 1 else "open")
        run_out(load_turn(half.pk), box)
        close_turn(half.pk, box)
        assert load_turn(half.pk).state == (TurnState.CONCEALED if number == 1 else TurnState.RESOLVED)
    assert revealed(turn).resolution.conflict == 3


def test_half_without_ballots_applies_no_ballot_rule(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR, no_ballot_rule="pass")
    assert play_out(turn, box).state == TurnState.CONCEALED
    second = play_turn(only_turn(turn.match), box, yellow=[5])
    assert [(drop.side, drop.column) for drop in revealed(turn).resolution.drops] == [("yellow", 5)]
    assert second.yellow_pick == 5


@pytest.mark.parametrize("half", [1, 2])
def test_forfeit_in_either_half_ends_match_and_reveals_all(box: BallotBox, half: int) -> None:
    turn = start(box, game=SELECTOR, no_ballot_rule="forfeit")
    if half == 2:
        play_turn(turn, box, red=[4])
    play_out(only_turn(turn.match), box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.result, match.ended_by) == ("yellow" if half == 1 else "red", "forfeit")
    assert not match.turns.filter(state=TurnState.CONCEALED).exists()
    assert (revealed(turn).number, revealed(turn).concealed is None) == (half, half == 1)


@pytest.mark.django_db(transaction=True)
def test_concurrent_closes_count_each_half_once(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    for side in ("red", "yellow"):
        half = only_turn(turn.match)
        open_now(half, box)
        vote(half, box, **{side: [3, 3]})
        run_out(half, box)
        at_once(4, lambda own, half=half: close_turn(half.pk, own))  # type: ignore[misc]
    assert TallyRecord.objects.count() == 2
    assert [t.number for t in turn.match.turns.order_by("pk")] == [1, 2, 3]
    announced = kinds(event_of(turn))
    assert (announced.count("turn.concealed"), announced.count("turn.revealed")) == (1, 1)
