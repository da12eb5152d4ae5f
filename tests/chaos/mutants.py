"""Mutants: the product without one of its safeguards, which the chaos suite must detect."""

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

NAMES = ("", "no-compare-and-set", "no-seal")
SEAL_HOLDS = "if box[4] == '1' or not by_clocks and now >= tonumber(box[3]) then"
SEALED_BEFORE = "local sealed_at = box[3] == '1' and tonumber(box[6]) or now"


def install(name: str) -> None:
    """Apply the mutant to this process; "" is none."""
    if name:
        MUTANTS[name]()


def remove_compare_and_set() -> None:
    """Every write of a turn succeeds, even if the turn has changed since it was read."""
    for user in (
        "voting.turns.closing",
        "voting.turns.turns",
        "crowdgame.console.actions.matches",
        "crowdgame.console.actions.hands",
        "voting.turns.early_close",
        "voting.turns.time_steps",
    ):
        resolve_name(user).claim_turn = _claim_without_comparing


def _claim_without_comparing(turn: Any, **changes: Any) -> bool:
    changes |= {"version": turn.version + 1}
    type(turn).objects.filter(pk=turn.pk).update(**changes)
    for name, value in changes.items():
        setattr(turn, name, value)
    return True


def remove_seal() -> None:
    """The box accepts ballots after the seal, and a second seal gives another answer."""
    ballot_box = resolve_name("voting.ballot_box.ballot_box")
    original = ballot_box._script

    def without_seal(name: str) -> str:
        script = str(original(name))
        if name == "cast":
            assert SEAL_HOLDS in script
            return script.replace(SEAL_HOLDS, "if false then")
        if name == "seal":
            assert SEALED_BEFORE in script
            return script.replace(SEALED_BEFORE, "local sealed_at = now")
        return script

    ballot_box._script = without_seal


MUTANTS: dict[str, Callable[[], None]] = {
    NAMES[1]: remove_compare_and_set,
    NAMES[2]: remove_seal,
}
