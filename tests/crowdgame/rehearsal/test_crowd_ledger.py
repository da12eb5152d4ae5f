import pytest

from crowdgame.rehearsal.crowd_ledger import RehearsalLedger, TurnEntry
from crowdgame.rehearsal.pending_ballot import PendingBallot
from crowdgame.rehearsal.rehearsal_report import claimed_voters
from tests.crowdgame.rehearsal.conftest import new_context
from tests.voting.match_helpers import new_event, only_turn, run_out, shown
from tests.voting.positions import a_turn, after
from voting.admission.seats import Seat, sign_seat
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import encode_ranking, encode_set
from voting.protocol import BallotCast, BallotCounted, BallotRefused, Refusal, You
from voting.turns.closing import close_turn
from voting.turns.host_steps import reveal_turn
from voting.turns.turns import start_match

APPROVED = [encode_set([1, 3]), encode_set([1, 2])]
RANKED = [encode_ranking([1, 3]), encode_ranking([2, 1])]


@pytest.mark.parametrize(
    ("code", "next_step"),
    [
        ("stale", "now"),
        *((code, "soon") for code in ("early", "busy")),
        ("unknown", "wait"),
        *((code, "settled") for code in ("late", "no_such_turn", "not_to_move", "illegal")),
    ],
)
def test_refusal_code_determines_next_step(code: Refusal, next_step: str) -> None:
    pending = PendingBallot(turn=3, epoch=1, choice=4, sequence=1)
    assert pending.refused(BallotRefused(turn=3, sequence=1, code=code, last=6)) == next_step
    assert pending.settled == (next_step == "settled")
    assert pending.cast().sequence == (7 if code == "stale" else 1)


def test_resent_ballot_keeps_its_blind_until_its_answer() -> None:
    pending = PendingBallot(turn=3, epoch=1, choice=4, sequence=2, blinds={1: "a", 2: "b"})
    assert not pending.counted(BallotCounted(turn=3, choice=5, sequence=1))
    assert not pending.counted(BallotCounted(turn=2, choice=4, sequence=2))
    pending.refused(BallotRefused(turn=2, sequence=2, code="late"))
    assert (pending.settled, pending.cast().blind) == (False, "b")
    pending.refused(BallotRefused(turn=3, sequence=2, code="stale", last=8))
    assert (pending.cast().sequence, pending.cast().blind) == (9, "b")
    assert pending.counted(BallotCounted(turn=3, choice=4, sequence=9))
    assert not pending.counted(BallotCounted(turn=3, choice=4, sequence=9))


@pytest.mark.parametrize(
    ("turn", "sequence", "settled"),
    [(3, 2, True), (3, 1, False), (None, 0, False), (2, 5, False)],
    ids=["holds it", "holds older", "holds none", "other turn"],
)
def test_welcome_unsettles_ballot_missing_from_box(turn: int | None, sequence: int, settled: bool) -> None:
    pending = PendingBallot(turn=3, epoch=1, choice=4, sequence=2, settled=True)
    pending.apply_welcome(You(token="t", team=1, turn=turn, choice=4, sequence=sequence))
    assert pending.settled == settled


def test_new_epoch_unsettles_ballot_and_keeps_sequence() -> None:
    turn = a_turn(after())
    pending = PendingBallot(turn=1, epoch=1, choice=4, sequence=2, settled=True)
    assert not pending.apply_epoch(turn)
    assert not PendingBallot(turn=2, epoch=0, choice=4, sequence=2).apply_epoch(turn)
    pending.epoch = 0
    assert pending.apply_epoch(turn)
    assert (pending.settled, pending.cast()) == (False, BallotCast(turn=1, epoch=1, choice=4, sequence=2))


def test_ledger_keeps_highest_sequence_and_recent_turns() -> None:
    ledger = RehearsalLedger(turns_kept=2)
    for turn, column, sequence in ((1, 1, 1), (2, 1, 2), (2, 3, 1), (3, 2, 1), (2, 4, 5)):
        ledger.count_ballot(0, BallotCounted(turn=turn, choice=column, sequence=sequence), newest=True)
    kept = {turn: entry.acknowledged for turn, entry in ledger.turns.items()}
    assert kept == {2: {0: (4, 5)}, 3: {0: (2, 1)}}
    assert ledger.acknowledged == 4


@pytest.mark.parametrize(
    ("method", "votes", "unsure", "counts", "missing"),
    [
        pytest.param("plurality", [4, 4, 5], (), [0, 0, 0, 3, 7], 0, id="others voted too"),
        pytest.param("plurality", [4, 4, 5], (), [0, 0, 0, 1, 1], 1, id="lost"),
        pytest.param("plurality", [4, 4, 5], (), [1, 0, 0, 1, 1], 1, id="counted for another column"),
        pytest.param("plurality", [4, 4, 5], (1,), [1, 0, 0, 1, 1], 0, id="vote changed"),
        pytest.param("plurality", [4, 4, 5], (1,), [0, 0, 0, 1, 1], 1, id="lost after a change"),
        ("approval", APPROVED, (), [2, 1, 1], 0),
        ("approval", APPROVED, (), [2, 0, 1], 1),
        ("instant_runoff", RANKED, (), [1, 1, 0], 0),
    ],
)
def test_count_missing_compares_acknowledged_ballots_with_tally(
    method: str, votes: list[int], unsure: tuple[int, ...], counts: list[int], missing: int
) -> None:
    """The ballots of team 2, which has no tally yet, are not missing."""
    ledger = RehearsalLedger()
    entry = ledger.turn(1)
    entry.acknowledged = {phone: (vote, 1) for phone, vote in enumerate([*votes, 2])}
    entry.open, entry.tallies, entry.tally_method = set(unsure), {1: tuple(counts)}, method
    entry.ballots = {1: sum(counts) if method == "plurality" else 2}
    teams = dict.fromkeys(range(len(votes)), 1) | {len(votes): 2}
    assert ledger.count_missing(teams) == missing
    entry.tallies[2], entry.ballots[2] = (0,) * 7, 0
    assert ledger.count_missing(teams) == missing + 1


@pytest.mark.django_db
def test_wait_for_the_organizer_is_no_delay_of_a_reveal(box: BallotBox) -> None:
    """The phone receives the reveal 70 ms after the count, which came 8 s after the deadline."""
    event = new_event(host_wait_s=60)
    turn = only_turn(start_match(event.pk, box))
    run_out(turn, box)
    close_turn(turn.pk, box)
    reveal_turn(turn.pk, box)
    match = shown(event.pk).match
    assert match
    assert match.reveal
    resolved_at = match.reveal.resolved_at
    ledger = RehearsalLedger()
    ledger.record_reveal(match, resolved_at - 8_000, resolved_at + 70)
    entry = ledger.turn(match.reveal.turn)
    assert (entry.resolved_ms, entry.last_reveal_ms) == (0, 70)
    for _ in range(2):
        ledger.reveal(match, match.reveal)
    assert ledger.revealed == 1


def test_side_change_counts_from_its_turn_on() -> None:
    ledger = RehearsalLedger(side_changes={0: ((2, 2),)})
    for number, team in ((1, 1), (2, 2)):
        entry = ledger.turn(number, number)
        entry.acknowledged = {0: (3, 1)}
        entry.tallies, entry.ballots = {team: (0, 0, 1), 3 - team: (0, 0, 0)}, {team: 1, 3 - team: 0}
    assert ledger.count_missing({0: 1}) == 0


def test_wrong_receipts_count_as_missing() -> None:
    entry = TurnEntry(7, 1, acknowledged={1: (3, 1), 2: (4, 1), 3: (5, 1)}, open={3})
    entry.tallies, entry.ballots = {1: (0, 0, 1, 1, 1)}, {1: 3}
    for phone, choice in {1: 3, 3: 6, 9: 1}.items():
        entry.check_receipt(phone, choice)
    entry.count_missing({1: 1, 2: 1, 3: 1})
    assert (entry.receipts, entry.missing) == (3, 0)
    entry.check_receipt(2, None)
    entry.check_receipt(2, 5)
    entry.count_missing({1: 1, 2: 1, 3: 1})
    assert (entry.receipts, entry.missing) == (5, 2)


def test_claimed_voters_are_read_from_seat_tokens_of_joined_phones() -> None:
    context = new_context("http://127.0.0.1:9", tokens=["old", sign_seat(Seat(7, "abc", 2))])
    context.teams = {1: 2}
    assert claimed_voters(context) == {1: "abc"}
