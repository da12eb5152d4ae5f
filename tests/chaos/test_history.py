"""An honest history has no findings, and each altered one exactly the expected finding."""

from typing import Any

import pytest

from tests.chaos.history import RecordedTurn, find_faults, find_lost
from tests.chaos.monitor import Acknowledgement
from voting.records.match_record import PublishedSeal, VoidSeal

RED, YELLOW, OTHER = ("a" * 64, "b" * 64, "c" * 64)
REVEAL: list[Any] = [200, 210, "seed", [RED, 2, [0, 2], 2], [YELLOW, 1, [1, 0], 1]]
VOID = PublishedSeal(at=100, red=OTHER, yellow=YELLOW, void=VoidSeal(reason="time_added", at=150, epoch=1))
TURN = RecordedTurn([VOID, PublishedSeal(at=200, red=RED, yellow=YELLOW)], REVEAL)
FIRST_SEAL, SEAL = ["sealed", 100, 1, [OTHER, 1], [YELLOW, 1]], ["sealed", 200, 1, [RED, 2], [YELLOW, 1]]
ORDER = [["seal", 100], ["seal", 200], ["reveal", 210]]
REVEALED = ["revealed", *REVEAL]
ORDERS = [["received", ORDER[:number]] for number in (1, 2, 3)]
HONEST: list[Any] = [FIRST_SEAL, SEAL, *ORDERS, ["change", 7, 8], REVEALED, ["change", 8, 9], ["receipt"]]


def test_honest_history_has_no_findings() -> None:
    assert list(find_faults(TURN, HONEST)) == []


@pytest.mark.parametrize(
    ("added", "finding"),
    [
        (["sealed", 200, 1, [OTHER, 2], [YELLOW, 1]], "not recorded"),
        (["sealed", 200, 2, [RED, 2], [YELLOW, 1]], "not recorded"),
        (["sealed", 200, 1, [RED, 3], [YELLOW, 1]], "the seal announced"),
        (["received", [["reveal", 210], ["seal", 200]]], "the seal after the reveal"),
        (["received", [["seal", 200], ["reveal", 199]]], "before its seal"),
        (["received", [["seal", 200], ["counts", 0]]], "counts that the event hides"),
        (["received", [*ORDER, ["reveal", 210]]], "the reveal twice"),
        (["revealed", *REVEAL[:3], [RED, 2, [0, 2], 1], REVEAL[4]], "phones were shown"),
        (["revealed", *REVEAL[:3], [RED, 2, [1, 1], 2], REVEAL[4]], "phones were shown"),
        (["revealed", *REVEAL[:2], "other", *REVEAL[3:]], "phones were shown"),
        (["change", 9, 9], "again or too late"),
        (["change", 9, 8], "again or too late"),
        (["change", 9, 11], "missed changes"),
    ],
)
def test_wrong_line_is_found(added: list[Any], finding: str) -> None:
    (found,) = find_faults(TURN, [*HONEST, added])
    assert finding in found


@pytest.mark.parametrize(
    ("seals", "lines", "finding"),
    [
        ([TURN.seals[0]], [FIRST_SEAL], "its seals are"),
        ([TURN.seals[1], TURN.seals[1]], [SEAL], "its seals are"),
        ([], [], "its seals are"),
        (TURN.seals, [SEAL, ["receipt"], REVEALED], "receipt came before"),
    ],
)
def test_wrong_turn_is_found(seals: list[PublishedSeal], lines: list[Any], finding: str) -> None:
    (found,) = find_faults(RecordedTurn(seals, REVEAL), lines)
    assert finding in found


@pytest.mark.parametrize(
    ("ballots", "findings"),
    [
        ([["ann", "red", 4, 2]], 0),
        ([["ann", "red", 5, 3]], 0),  # replaced by a later one
        ([], 1),
        ([["ann", "red", 4, 1]], 1),
        ([["ann", "red", 5, 2]], 1),
    ],
)
def test_lost_ballot_is_found(ballots: list[Any], findings: int) -> None:
    acks = {"ann": Acknowledgement(0.0, choice=4, sequence=2)}
    assert len(list(find_lost(acks, ballots))) == findings
