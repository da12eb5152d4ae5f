"""Faults at each step of closing a turn: the closing process or another one is killed or stalls."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.chaos import faulty
from tests.chaos.faults import Fault, Inject, Missed, Span, hold
from tests.chaos.faults.processes import kill
from tests.chaos.target import Target
from tests.deploy.processes import becomes_true

STALL_S: Span = (0.3, 1.6)


@contextmanager
def at_step(target: Target, step: str, effect: faulty.StepEffect, seconds: float = 0.0) -> Iterator[None]:
    """Arm the step and wait until a process reaches it. Raises Missed if none does."""
    faulty.arm(target.stack.data, step, effect, seconds)
    try:
        if not becomes_true(lambda: faulty.has_fired(target.stack.data), 15.0, faulty.POLL_S):
            raise Missed(f"no process reached the step {step!r}")
        yield
    finally:
        faulty.disarm(target.stack.data)


def kill_closer(step: str) -> Inject:
    """The closing process is killed: the pool process alone, or the whole worker."""

    def inject(target: Target, rng: Random) -> None:
        effect: faulty.StepEffect = rng.choice(["kill", "kill group"])
        with at_step(target, step, effect):
            target.pid("worker")

    return inject


def kill_closing_scheduler(target: Target, rng: Random) -> None:
    """The worker is paused. The scheduler closes the turn itself and is killed at one of the steps."""
    worker = target.pause("worker")
    try:
        with at_step(target, rng.choice(list(faulty.STEPS)), "kill"):
            target.pid(target.stack.scheduler_names[0])
    finally:
        target.resume(worker)


def stall_closer(target: Target, rng: Random) -> None:
    """The closing process stalls longer than the scheduler waits, so that two processes close the turn."""
    seconds = rng.uniform(*STALL_S)
    with at_step(target, rng.choice(list(faulty.STEPS)), "stall", seconds):
        hold((seconds, seconds), rng)


def extend_closing_turn(target: Target, rng: Random) -> None:
    """The organizer extends a turn that is sealed and about to be written: it must be counted again."""
    step = rng.choice(["after the seal", "after the decision", "before the transaction"])
    with at_step(target, step, "stall", STALL_S[1]):
        events = [event["id"] for event in target.events]
        if not target.ask("extend_overdue", event_ids=events, seconds=3):
            raise Missed("no turn was still being counted")
        hold((STALL_S[1], STALL_S[1]), rng)


def kill_during_close(part: str) -> Inject:
    """Another process is killed while the closing process is held at one of the steps."""

    def inject(target: Target, rng: Random) -> None:
        with at_step(target, rng.choice(list(faulty.STEPS)), "hold"):
            kill(part)(target, rng)
            faulty.release(target.stack.data)

    return inject


FAULTS = (
    *(Fault(f"closing process killed {step}", kill_closer(step)) for step in faulty.STEPS),
    Fault("scheduler killed while closing", kill_closing_scheduler),
    Fault("closing process stalls", stall_closer),
    Fault("turn extended while it closes", extend_closing_turn),
    Fault("Valkey killed during a close", kill_during_close("valkey")),
    *(Fault(f"{part} killed during a close", kill_during_close(part)) for part in ("gateway", "scheduler")),
)
