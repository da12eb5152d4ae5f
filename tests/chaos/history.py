"""What phones received of a turn, against its specification. Pure: data in, findings out.

The lines of a turn are those of the journal in their order, without the number of the turn:

    sealed: at, epoch, [root, ballots] of red and of yellow
    revealed: sealed_at, resolved_at, seed, [root, ballots, counts, pick] of red and of yellow
    received: the seals, reveals and hidden counts on one connection so far, as [kind, at]
    change: a phone's `seq` before it, and its own
    receipt: a phone received one
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.chaos.monitor import Acknowledgement
from voting.records.match_record import PublishedSeal


class RecordedTurn(NamedTuple):
    """A turn in the database: all its seals, and its reveal like the line `revealed`."""

    seals: Sequence[PublishedSeal]
    reveal: list[Any]


def find_lost(acks: Mapping[str, Acknowledgement], ballots: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Find acknowledged ballots that are not in the sealed list, and that no later one replaced."""
    held = {ballot[0]: ballot for ballot in ballots}
    for voter, ack in acks.items():
        ballot = held.get(voter)
        if ballot is None or ballot[3] < ack.sequence:
            yield f"{voter}'s ballot {ack.sequence} was acknowledged and is not in the list"
        elif ballot[3] == ack.sequence and ballot[2] != ack.choice:
            yield f"{voter}'s column {ack.choice} was acknowledged, the list says {ballot[2]}"


def find_faults(turn: RecordedTurn, lines: Sequence[Sequence[Any]]) -> Iterator[str]:
    sealed_at = turn.reveal[0]
    if [seal.at for seal in turn.seals if seal.void is None] != [sealed_at] or turn.seals[-1].void:
        yield f"its seals are {turn.seals}, it was sealed at {sealed_at}"
    kinds = [line[0] for line in lines]
    if "receipt" in kinds and "revealed" not in kinds[: kinds.index("receipt")]:
        yield "a receipt came before the reveal"
    for line in lines:
        match line:
            case ["sealed", at, epoch, *sides]:
                yield from _find_wrong_seal(turn, at, epoch, sides)
            case ["revealed", *reveal] if reveal != turn.reveal:
                yield f"phones were shown {reveal}, it is {turn.reveal}"
            case ["received", [*earlier, [kind, at]]]:
                yield from _find_disorder({one for one, _ in earlier}, kind, at, sealed_at)
            case ["change", before, seq] if seq != before + 1:
                what = "missed changes" if seq > before else "received a change again or too late"
                yield f"a phone {what}: {seq} came after {before}"


def _find_wrong_seal(turn: RecordedTurn, at: int, epoch: int, sides: list[Any]) -> Iterator[str]:
    roots = [side and side[0] for side in sides]
    recorded = [one for one in turn.seals if [one.at, one.epoch, one.red, one.yellow] == [at, epoch, *roots]]
    counted = [side and side[:2] for side in turn.reveal[-2:]]
    if not recorded:
        yield f"phones received a seal at {at} with {roots}, which is not recorded"
    elif recorded[0].void is None and sides != counted:
        yield f"the seal announced {sides}, it is {counted}"


def _find_disorder(earlier: set[str], kind: str, at: int, sealed_at: int) -> Iterator[str]:
    """Judge the last message of a connection; the earlier ones have lines of their own."""
    if kind == "seal" and "reveal" in earlier:
        yield "a phone received the seal after the reveal"
    elif kind == "reveal" and "reveal" in earlier:
        yield "a phone received the reveal twice"
    elif kind == "reveal" and at < sealed_at:
        yield f"it was revealed at {at}, before its seal at {sealed_at}"
    elif kind == "counts":
        yield "a phone received counts that the event hides"
