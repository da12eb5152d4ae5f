"""What phones received of a turn, against the database. Pure: data in, findings out.

Each line of the journal is a distinct message, or all messages of a turn on one connection (`received`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.chaos.monitor import Acknowledgement
from voting.records.match_record import PublishedSeal

Seals = Sequence[PublishedSeal]
SEALED, REVEALED = ("root", "ballots"), ("root", "ballots", "counts", "pick")


def find_lost(acks: Mapping[str, Acknowledgement], ballots: Sequence[Sequence[Any]]) -> Iterator[str]:
    held = {ballot[0]: ballot for ballot in ballots}
    for voter, ack in acks.items():
        ballot = held.get(voter)
        if ballot is None or ballot[3] < ack.sequence:
            yield f"{voter}'s ballot {ack.sequence} was acknowledged and is not in the list"
        elif ballot[3] == ack.sequence and ballot[2] != ack.choice:
            yield f"{voter}'s column {ack.choice} was acknowledged, the list says {ballot[2]}"


def find_faults(seals: Seals, revealed: Sequence[Any], lines: Sequence[list[Any]]) -> Iterator[str]:
    """`revealed` has the fields of such a line: times, seed and both sides."""
    if [seal.at for seal in seals if not seal.void] != [revealed[0]] or seals[-1].void:
        yield f"its seals are {seals}, it was sealed at {revealed[0]}"
    kinds = [line[0] for line in lines]
    if "receipt" in kinds and "revealed" not in kinds[: kinds.index("receipt")]:
        yield "a receipt came before the reveal"
    for line in lines:
        match line:
            case ["sealed", *seal]:
                yield from _find_wrong_seal(seals, revealed[3:], *seal)
            case ["revealed", *shown] if _select(shown, REVEALED) != _select(revealed, REVEALED):
                yield f"phones were shown {shown}, it is {revealed}"
            case ["received", [*earlier, last]]:
                yield from _find_disorder(revealed[0], {kind for kind, _ in earlier}, *last)
            case ["change", before, seq] if -1 < before != seq - 1:
                yield f"a phone received the change {seq} after {before}"


def _find_wrong_seal(seals: Seals, counted: Sequence[Any], at: int, epoch: int, *sides: Any) -> Iterator[str]:
    roots = [side and side["root"] for side in sides]
    recorded = [one for one in seals if [one.at, one.epoch, one.red, one.yellow] == [at, epoch, *roots]]
    if not recorded:
        yield f"phones received a seal at {at} with {roots}, which is not recorded"
    elif not recorded[0].void and _select(sides, SEALED) != _select(counted, SEALED):
        yield f"the seal announced {sides}, it is {counted}"


def _find_disorder(sealed_at: int, earlier: set[str], kind: str, at: int) -> Iterator[str]:
    if kind == "team.counted":
        yield "a phone received counts that the event hides"
    elif kind in ("turn.sealed", "turn.revealed") and "turn.revealed" in earlier:
        yield f"a phone received {kind} after the reveal"
    elif kind == "turn.revealed" and at < sealed_at:
        yield f"it was revealed at {at}, before its seal at {sealed_at}"


def _select(fields: Sequence[Any], names: Sequence[str]) -> list[Any]:
    return [[one[name] for name in names] if isinstance(one, dict) else one for one in fields]
