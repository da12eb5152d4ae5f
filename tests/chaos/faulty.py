"""`python -m tests.chaos.faulty PROGRAM …`: manage.py or celery that fails at a step, or lacks a safeguard.

At an injection point, which is a step of closing a turn, one process can be killed or stalled. A campaign
arms a step with a file. The first process that reaches the step renames the file, so that no other one
reacts, and applies the effect to itself.

CHAOS_MUTANT names the safeguard to remove from the product, which the chaos suite must detect. With
CHAOS_LARGE_TURN, turns with so many ballots are prepared before their deadline, as early as the largest.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

import django
from msgspec.structs import replace

from tests.deploy.processes import becomes_true

ARMED, FIRED, GO = "chaos-armed.json", "chaos-fired.json", "chaos-go"
POLL_S = 0.01
BOX = "voting.ballot_box.ballot_box:BallotBox"
CLOSING, STORE = "voting.turns.closing", "voting.turns.outcome_store"
When = Literal["before", "after"]
StepEffect = Literal["kill", "kill group", "stall", "hold"]
# The steps of closing turns.
STEPS: dict[str, tuple[str, When]] = {
    "before the seal": (f"{BOX}.seal_all", "before"),
    "after the seal": (f"{BOX}.seal_all", "after"),
    "after the seal is recorded": (f"{CLOSING}.record_seals", "after"),
    "after the seal is announced": (f"{CLOSING}.publish_seals", "after"),
    "after the decision": (f"{CLOSING}.decide_outcome", "after"),
    "before the transaction": (f"{CLOSING}.write_outcomes", "before"),
    "in the transaction after claiming the turn": (f"{STORE}.claim_turns", "after"),
    "in the transaction after all writes": (f"{STORE}.announce_all", "after"),
    "after the commit": (f"{CLOSING}.write_outcomes", "after"),
    "before publishing": (f"{CLOSING}.relay", "before"),
    "after publishing but before marking as sent": ("voting.announcements.channel_layer.publish", "after"),
    "after publishing and marking as sent": (f"{CLOSING}.relay", "after"),
    "before the next turn is placed": (f"{CLOSING}.place_new_turns", "before"),
    "after the next turn is placed": (f"{CLOSING}.place_new_turns", "after"),
    "before the box expires": (f"{BOX}.expire_all", "before"),
    "after the box expires": (f"{BOX}.expire_all", "after"),
}
NAMES = ("", "no-compare-and-set", "no-seal", "second-seal")
SEAL_HOLDS = ("if box[4] == '1' then", "if not by_clocks and now >= tonumber(box[3]) then")
SEALED_BEFORE = "local sealed_at = box[3] == '1' and tonumber(box[6]) or now"


def arm(folder: Path, step: str, effect: StepEffect, seconds: float = 0.0) -> None:
    """`seconds` is for a stall. "kill" kills the process alone, "kill group" its whole process group."""
    disarm(folder)
    ready = folder / f"{ARMED}.new"
    ready.write_text(json.dumps({"step": step, "effect": effect, "seconds": seconds}))
    ready.rename(folder / ARMED)


def disarm(folder: Path) -> None:
    for name in (ARMED, FIRED, GO):
        (folder / name).unlink(missing_ok=True)


def has_fired(folder: Path) -> bool:
    return (folder / FIRED).exists()


def release(folder: Path) -> None:
    """Let the process that is held at a step continue."""
    (folder / GO).touch()


def install_points(folder: Path) -> None:
    """Patch all steps into this process. Raises AttributeError if the product no longer has one."""
    by_function: dict[str, dict[When, str]] = {}
    for step, (function, when) in STEPS.items():
        by_function.setdefault(function, {})[when] = step
    for function, steps in by_function.items():
        owner, name = function.rsplit(".", 1)
        holder = resolve_name(owner)
        setattr(holder, name, _stepped(getattr(holder, name), steps, folder))


def _stepped(function: Callable[..., Any], steps: dict[When, str], folder: Path) -> Callable[..., Any]:
    @wraps(function)
    def stepped(*args: Any, **kwargs: Any) -> Any:
        if function.__name__ == "publish" and not args[0][0].seq:
            return function(*args, **kwargs)  # not an announcement, only the message at the seal
        _reach(steps.get("before"), folder)
        result = function(*args, **kwargs)
        _reach(steps.get("after"), folder)
        return result

    return stepped


def _reach(step: str | None, folder: Path) -> None:
    armed = folder / ARMED
    if step is None or not armed.exists():
        return
    try:
        command = json.loads(armed.read_text())
        if command["step"] != step:
            return
        armed.rename(folder / FIRED)
    except FileNotFoundError:  # another process was faster
        return
    _apply_effect(command["effect"], command["seconds"], folder)


def _apply_effect(effect: StepEffect, seconds: float, folder: Path) -> None:
    match effect:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "kill group":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        case "stall":
            time.sleep(seconds)  # the requested stall
        case "hold":
            becomes_true((folder / GO).exists, 5.0, POLL_S)


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


def publish_second_seal() -> None:
    publish = resolve_name(CLOSING).publish_seals

    def publish_both(seals: dict[int, Any]) -> None:
        publish(seals)
        publish({event: replace(seal, red=seal.yellow) for event, seal in seals.items()})

    resolve_name(CLOSING).publish_seals = publish_both


MUTANTS = dict(zip(NAMES[1:], (remove_compare_and_set, remove_seal, publish_second_seal), strict=True))


def main(argv: list[str]) -> None:
    django.setup()
    from celery.__main__ import main as celery  # noqa: PLC0415
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    from voting.turns import prefetching  # noqa: PLC0415

    if mutant := os.environ.get("CHAOS_MUTANT"):
        MUTANTS[mutant]()
    install_points(settings.DATA_DIR)
    if ballots := int(os.environ.get("CHAOS_LARGE_TURN", "0")):
        prefetching.LARGE_TURN = ballots
        prefetching.BALLOTS_PER_MS = ballots / 900  # enqueued 1 s before the deadline
    sys.argv = argv
    if argv[0] == "celery":
        celery()
    else:
        execute_from_command_line(argv)


if __name__ == "__main__":
    main(sys.argv[1:])
