"""Faults at each step of closing a turn: the closing process or another one is killed or stalls."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from tests.chaos import points
from tests.chaos.faults import Fault, Missed, Span, hold
from tests.chaos.faults.processes import Killed
from tests.chaos.target import Target
from tests.deploy.processes import becomes_true

REACHED_WITHIN_S = 15.0
STALL_S: Span = (0.3, 1.6)
EXTENSION_S = 3


@contextmanager
def at_step(target: Target, step: str, effect: points.StepEffect, seconds: float = 0.0) -> Iterator[None]:
    """Arm the step and wait until a process reaches it. Raises Missed if none does."""
    points.arm(target.data, step, effect, seconds)
    try:
        if not becomes_true(lambda: points.has_fired(target.data), REACHED_WITHIN_S, points.POLL_S):
            raise Missed(f"no process reached the step {step!r}")
        yield
    finally:
        points.disarm(target.data)


@dataclass(frozen=True)
class CloserKilled:
    """The closing process is killed: the pool process alone, or the whole worker."""

    step: str

    @property
    def name(self) -> str:
        return f"closing process killed {self.step}"

    def inject(self, target: Target, rng: Random) -> None:
        effect: points.StepEffect = rng.choice(["kill", "kill group"])
        with at_step(target, self.step, effect):
            target.pid("worker")


@dataclass(frozen=True)
class SchedulerKilled:
    """The worker is paused. The scheduler closes the turn itself and is killed at one of the steps."""

    name: str = "scheduler killed while closing"

    def inject(self, target: Target, rng: Random) -> None:
        worker = target.pause("worker")
        try:
            with at_step(target, rng.choice(list(points.STEPS)), "kill"):
                target.pid(target.schedulers[0])
        finally:
            target.resume(worker)


@dataclass(frozen=True)
class CloserStalls:
    """The closing process stalls longer than the scheduler waits, so that two processes close the turn."""

    name: str = "closing process stalls"

    def inject(self, target: Target, rng: Random) -> None:
        seconds = rng.uniform(*STALL_S)
        with at_step(target, rng.choice(list(points.STEPS)), "stall", seconds):
            hold((seconds, seconds), rng)


@dataclass(frozen=True)
class TurnExtended:
    """The organizer extends a turn that is sealed and about to be written: it must be counted again."""

    name: str = "turn extended while it closes"

    def inject(self, target: Target, rng: Random) -> None:
        step = rng.choice(["after the seal", "after the decision", "before the transaction"])
        with at_step(target, step, "stall", STALL_S[1]):
            events = [event.id for event in target.events]
            if not target.server.ask("extend_overdue", event_ids=events, seconds=EXTENSION_S):
                raise Missed("no turn was still being counted")
            hold((STALL_S[1], STALL_S[1]), rng)


@dataclass(frozen=True)
class OtherProcessKilled:
    """Another process is killed while the closing process is held at one of the steps."""

    name: str
    fault: Fault

    def inject(self, target: Target, rng: Random) -> None:
        with at_step(target, rng.choice(list(points.STEPS)), "hold"):
            self.fault.inject(target, rng)
            points.release(target.data)


FAULTS: tuple[Fault, ...] = (
    *(CloserKilled(step) for step in points.STEPS),
    SchedulerKilled(),
    CloserStalls(),
    TurnExtended(),
    OtherProcessKilled("Valkey killed during a close", Killed("", "valkey")),
    OtherProcessKilled("gateway killed during a close", Killed("", "gateway")),
    OtherProcessKilled("scheduler killed during a close", Killed("", "scheduler")),
)
