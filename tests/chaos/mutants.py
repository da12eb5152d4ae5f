"""What keeps a night right, taken out: a suite that does not notice it would be worth nothing."""

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

NAMES = ("", "no-compare-and-set", "no-seal")
SEAL_HOLDS = "if box[4] == '1' or not by_clocks and now >= tonumber(box[3]) then"
SEALED_BEFORE = "local sealed_at = box[3] == '1' and tonumber(box[6]) or now"


def plant(name: str) -> None:
    """Put the mutant into this process; "" is none."""
    if name:
        MUTANTS[name]()


def take_the_compare_and_set_out() -> None:
    """Whoever writes a turn writes it, whatever has become of it since."""
    for user in (
        "voting.turns.closing",
        "voting.turns.turns",
        "crowdgame.console.control",
        "crowdgame.console.hands",
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


def take_the_seal_out() -> None:
    """The box goes on taking ballots, and whoever asks again is given another answer."""
    ballot_box = resolve_name("voting.ballot_box.ballot_box")
    whole = ballot_box._script

    def without_seal(name: str) -> str:
        script = str(whole(name))
        if name == "cast":
            assert SEAL_HOLDS in script
            return script.replace(SEAL_HOLDS, "if false then")
        if name == "seal":
            assert SEALED_BEFORE in script
            return script.replace(SEALED_BEFORE, "local sealed_at = now")
        return script

    ballot_box._script = without_seal


MUTANTS: dict[str, Callable[[], None]] = {
    NAMES[1]: take_the_compare_and_set_out,
    NAMES[2]: take_the_seal_out,
}
