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

When = Literal["before", "after"]
StepEffect = Literal["kill", "kill group", "stall", "hold"]

STEPS: dict[str, tuple[str, str, When]] = {
    "before the seal": ("voting.ballot_box.ballot_box:BallotBox", "seal", "before"),
    "after the seal": ("voting.ballot_box.ballot_box:BallotBox", "seal", "after"),
    "after the seal is announced": ("voting.turns.closing", "_publish_seal", "after"),
    "after the decision": ("voting.turns.closing", "decide_outcome", "after"),
    "before the transaction": ("voting.turns.closing", "_commit_outcome", "before"),
    "in the transaction after claiming the turn": ("voting.turns.closing", "claim_turn", "after"),
    "in the transaction after all writes": ("voting.turns.closing", "announce", "after"),
    "after the commit": ("voting.turns.closing", "_commit_outcome", "after"),
    "before publishing": ("voting.turns.closing", "relay", "before"),
    "after publishing but before marking as sent": ("voting.announcements.channel_layer", "publish", "after"),
    "after publishing and marking as sent": ("voting.turns.closing", "relay", "after"),
    "before the next turn is placed": ("voting.turns.closing", "place_turn", "before"),
    "after the next turn is placed": ("voting.turns.closing", "place_turn", "after"),
    "before the box expires": ("voting.ballot_box.ballot_box:BallotBox", "expire", "before"),
    "after the box expires": ("voting.ballot_box.ballot_box:BallotBox", "expire", "after"),
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
    by_function: dict[tuple[str, str], dict[When, str]] = {}
    for step, (owner, name, when) in STEPS.items():
        by_function.setdefault((owner, name), {})[when] = step
    for (owner, name), steps in by_function.items():
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
