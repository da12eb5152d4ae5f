"""An honest history has no findings, an altered one exactly the expected one."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.chaos.history import find_faults, find_lost
from tests.chaos.monitor import Acknowledgement
from voting.records.match_record import PublishedSeal, VoidSeal

RED = {"root": "a" * 64, "ballots": 2, "counts": [0, 2], "pick": 2}
YELLOW = {"root": "b" * 64, "ballots": 1, "counts": [1, 0], "pick": 1}
REVEAL = [200, 210, "seed", RED, YELLOW]
COUNTED = PublishedSeal(at=200, red="a" * 64, yellow="b" * 64)
VOID = replace(COUNTED, at=100, void=VoidSeal(reason="time_added", at=150, epoch=1))
ORDER = [["turn.sealed", 100], ["turn.sealed", 200], ["turn.revealed", 210]]
HONEST: list[Any] = [["sealed", 100, 1, RED, YELLOW], ["sealed", 200, 1, RED, YELLOW], ["change", 7, 8]]
HONEST += [["received", ORDER[:number]] for number in (1, 2, 3)]
HONEST += [["revealed", *REVEAL], ["change", 8, 9], ["receipt"]]


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        (["sealed", 200, 1, YELLOW, YELLOW], "not recorded"),
        (["sealed", 200, 1, RED | {"ballots": 3}, YELLOW], "the seal announced"),
        (["received", [["turn.revealed", 210], ["turn.sealed", 200]]], "turn.sealed after the reveal"),
        (["received", [["turn.sealed", 200], ["turn.revealed", 199]]], "before its seal"),
        (["received", [["turn.sealed", 200], ["team.counted", 0]]], "counts that the event hides"),
        (["received", [*ORDER, ["turn.revealed", 210]]], "turn.revealed after the reveal"),
        (["revealed", *REVEAL[:3], RED | {"pick": 1}, YELLOW], "phones were shown"),
        (["revealed", 200, 210, "other", RED, YELLOW], "phones were shown"),
        (["change", 9, 9], "change 9 after 9"),
        (["change", 9, 8], "change 8 after 9"),
        (["change", 9, 11], "change 11 after 9"),
    ],
)
def test_dishonest_line_is_found(line: list[Any], finding: str) -> None:
    assert list(find_faults([VOID, COUNTED], REVEAL, HONEST)) == []
    (found,) = find_faults([VOID, COUNTED], REVEAL, [*HONEST, line])
    assert finding in found


def test_wrong_list_of_seals_and_early_receipt_are_found() -> None:
    for seals in ([], [VOID], [COUNTED, COUNTED], [COUNTED, VOID]):
        assert len(list(find_faults(seals, REVEAL, []))) == 1
    assert len(list(find_faults([COUNTED], REVEAL, [["receipt"], ["revealed", *REVEAL]]))) == 1


def test_lost_ballot_is_found() -> None:
    acks = {"ann": Acknowledgement(0.0, choice=4, sequence=2)}
    found = [len(list(find_lost(acks, [["ann", "red", *own]]))) for own in ([4, 2], [5, 3], [5, 2], [4, 1])]
    assert (found, len(list(find_lost(acks, [])))) == ([0, 0, 1, 1], 1)
