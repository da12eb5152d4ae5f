"""Injection points: the steps of closing a turn at which one process can be killed or stalled.

A campaign arms a step with a file. The first process under `tests.chaos.faulty` that reaches the step renames
the file, so that no other one reacts, and applies the effect to itself.
"""

import json
import os
import signal
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

from tests.deploy.processes import becomes_true

ARMED, FIRED, GO = "chaos-armed.json", "chaos-fired.json", "chaos-go"
MAX_HOLD_S = 5.0
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


def install(folder: Path) -> None:
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
            becomes_true((folder / GO).exists, MAX_HOLD_S, POLL_S)
