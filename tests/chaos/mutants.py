"""Mutants: the product without one of its safeguards, which the chaos suite must detect."""

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

NAMES = ("", "no-compare-and-set", "no-seal")
SEAL_HOLDS = ("if box[4] == '1' then", "if not by_clocks and now >= tonumber(box[3]) then")
SEALED_BEFORE = "local sealed_at = box[3] == '1' and tonumber(box[6]) or now"


def install(name: str) -> None:
    """Apply the mutant to this process; "" is none."""
    if name:
        MUTANTS[name]()


def remove_compare_and_set() -> None:
    """Every write of a turn succeeds, even if the turn has changed since it was read."""
    for user in (
        "voting.turns.turns",
        "crowdgame.organizer.console.actions.matches",
        "crowdgame.organizer.console.actions.hands",
        "voting.turns.early_close",
        "voting.turns.time_steps",
    ):
        resolve_name(user).claim_turn = _claim_without_comparing
    resolve_name("voting.turns.outcome_store").claim_turns = _claim_all_without_comparing


def _claim_without_comparing(turn: Any, **changes: Any) -> bool:
    changes |= {"version": turn.version + 1}
    type(turn).objects.filter(pk=turn.pk).update(**changes)
    for name, value in changes.items():
        setattr(turn, name, value)
    return True


def _claim_all_without_comparing(changes: Any) -> set[Any]:
    return {turn for turn, changed in changes.items() if _claim_without_comparing(turn, **changed)}


def remove_seal() -> None:
    """The box accepts ballots after the seal, and a second seal gives another answer."""
    original = resolve_name("voting.ballot_box.stores").load_script

    def without_seal(name: str) -> str:
        script = str(original(name))
        if name == "cast":
            for check in SEAL_HOLDS:
                assert check in script
                script = script.replace(check, "if false then")
        if name == "seal":
            assert SEALED_BEFORE in script
            return script.replace(SEALED_BEFORE, "local sealed_at = now")
        return script

    for client in ("ballot_box", "async_ballot_box"):
        resolve_name(f"voting.ballot_box.{client}").load_script = without_seal


MUTANTS: dict[str, Callable[[], None]] = {NAMES[1]: remove_compare_and_set, NAMES[2]: remove_seal}
