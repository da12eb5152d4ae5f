"""A chaos campaign: phones in several events, one fault after another, and an audit of every turn."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from deploy.laptop.die_with_parent import die_with_parent
from deploy.laptop.paths import ROOT
from tests.chaos.audit import Audit, Finding
from tests.chaos.catalog import CLOCKS, family_of
from tests.chaos.faults import Fault, Missed, NotHere
from tests.chaos.journal import Book
from tests.chaos.monitor import Watch
from tests.chaos.target import PlayedEvent, Target
from tests.deploy.processes import comes_about, wait_until

BRISK = {"reveal_s": 1, "lobby": "open", "next_match_after_s": 3}
TERMS: Sequence[dict[str, str]] = (
    {},
    {"tie_rule": "lot"},
    {"tally_method": "lottery"},
    {"tie_rule": "lot", "no_ballot_rule": "pass"},
)
JOINED_WITHIN_S = 120
RIGHT_FOR_S = 1.2
RIGHT_WITHIN_S = 75.0
POLL_S = 0.2
APART_S = (0.2, 0.5)  # so that the events' turns do not end together
ANY_MOMENT_S = 1.5  # a fault begins at any moment of a turn
ACKS_COME_WITHIN_S = 2.0


@dataclass(frozen=True)
class Size:
    """A campaign ends after this many `turns` with a fault, or after `seconds` or `rounds`.

    It starts with `calm_s` without faults, for comparison.
    """

    events: int
    phones: int
    turns: int
    seconds: float
    rounds: int = sys.maxsize
    calm_s: float = 0.0
    window_s: int = 3


@dataclass
class Struck:
    """One injected fault: seconds of the monotonic clock, and the affected turns.

    `right` is when all phones had recovered for good; None if they did not in time. `closed` are the affected
    turns that were over before the next fault.
    """

    fault: str
    began: float
    ended: float
    right: float | None
    turns: set[int]
    closed: set[int] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    @property
    def outage_s(self) -> float:
        return (self.right or time.monotonic()) - self.began

    @property
    def right_after_s(self) -> float:
        """The recovery time after the fault was over."""
        return max(0.0, (self.right or time.monotonic()) - self.ended)


@dataclass
class Campaign:
    """`say` receives a line for each fault; `calm` are the turns before the first one."""

    target: Target
    size: Size
    faults: Sequence[Fault]
    rng: Random
    say: Callable[[str], None]
    struck: list[Struck] = field(default_factory=list)
    not_here: dict[str, str] = field(default_factory=dict)
    findings: dict[tuple[str, int, str], Finding] = field(default_factory=dict)
    calm: set[int] = field(default_factory=set)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.book = Book(self.target.home / "book.ndjson")
        self.audit = Audit(self.target.server, self.book, timed=self.target.server.box_clock is not None)
        self.watch = Watch(self.target, self.book, self.size.phones // self.size.events)

    @property
    def faulted(self) -> set[int]:
        return set().union(*(struck.turns for struck in self.struck))

    def play(self) -> None:
        for number in range(self.size.events):
            made = self.target.server.ask(
                "event", **BRISK, **TERMS[number % len(TERMS)], window_s=self.size.window_s
            )
            self.target.events.append(PlayedEvent(made["id"], made["code"]))
        with self._crowd(), self._watching():
            self._join_and_begin()
            for fault in self._draws():
                self._strike(fault)
            self._end()

    def _join_and_begin(self) -> None:
        events = self.target.events
        wait_until(self._all_here, JOINED_WITHIN_S)
        for event in events:
            self.target.server.ask("begin", event_id=event.id)
            time.sleep(self.rng.uniform(*APART_S))
        wait_until(lambda: len(self.watch.over()) >= len(events), JOINED_WITHIN_S)
        warmed_up = self.watch.over()
        time.sleep(self.size.calm_s)  # voting without faults
        self.calm = self.watch.over() - warmed_up

    def _all_here(self) -> bool:
        self.book.refresh()
        if not self.book.farings:
            return False
        return all(here == self.watch.phones for here, _ in self.book.farings[-1].events.values())

    def _draws(self) -> Iterator[Fault]:
        """Draw in rounds, each fault once per round."""
        for _ in range(self.size.rounds):
            for fault in self.rng.sample(self.faults, len(self.faults)):
                if len(self.faulted) >= self.size.turns or self._time_is_up():
                    return
                if fault.name not in self.not_here:
                    yield fault
            if len(self.not_here) == len(self.faults):
                return

    def _time_is_up(self) -> bool:
        return time.monotonic() - self.began > self.size.seconds

    def _strike(self, fault: Fault) -> None:
        wait_until(self.target.is_whole, RIGHT_WITHIN_S)  # one fault at a time
        time.sleep(self.rng.uniform(0.0, ANY_MOMENT_S))
        began = time.monotonic()
        try:
            fault.inject(self.target, self.rng)
        except (NotHere, Missed) as why:
            self.say(f"{fault.name}: {why}")
            if isinstance(why, NotHere):
                self.not_here[fault.name] = str(why)
            return
        ended = time.monotonic()
        right = self._wait_until_right(began, ended)
        struck = Struck(fault.name, began, ended, right, self.watch.live(began, right or time.monotonic()))
        struck.closed = struck.turns & self.watch.over()
        self.struck.append(struck)
        if family_of(fault) == CLOCKS:
            self.audit.set_in |= struck.turns
        self._check(struck)
        self.say(
            f"{len(self.faulted):5} turns  {fault.name}: {len(struck.turns)} turns, "
            f"{self.audit.acknowledged(struck.turns)} acknowledged, {len(struck.findings)} findings; "
            f"{struck.outage_s:.1f} s until recovery, {struck.right_after_s:.1f} s after the fault"
        )

    def _wait_until_right(self, began: float, ended: float) -> float | None:
        """Wait until all phones have recovered and the affected turns are over."""
        hit = self.watch.live(began, ended)

        def last_wrong() -> float:
            return max(self.watch.wrong_times(began), default=began)

        def are_right() -> bool:
            return time.monotonic() - max(last_wrong(), ended) > RIGHT_FOR_S and self.watch.are_over(hit)

        return last_wrong() if comes_about(are_right, RIGHT_WITHIN_S, POLL_S) else None

    def _check(self, struck: Struck) -> None:
        over = {turn for turn in struck.turns if self._is_settled(turn)}
        struck.findings = self.audit.check(sorted(over))
        self._keep(struck.findings)

    def _is_settled(self, turn: int) -> bool:
        over = self.watch.turns[turn].over
        return over is not None and over < time.monotonic() - ACKS_COME_WITHIN_S

    def _keep(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            key = (finding.kind, finding.turn, finding.text)
            if key not in self.findings:
                self.findings[key] = finding
                self.say(f"  {finding.kind.upper()} turn {finding.turn}: {finding.text}")

    def _end(self) -> None:
        """Audit every finished turn once more, with or without a fault."""
        last = self.watch.live(time.monotonic(), time.monotonic())
        wait_until(lambda: all(map(self._is_settled, last)), RIGHT_WITHIN_S)
        over = [turn for turn in sorted(self.watch.turns) if self._is_settled(turn)]
        self._keep(self.audit.check(over))
        for struck in self.struck:
            struck.findings = [found for found in self.findings.values() if found.turn in struck.turns]

    @contextmanager
    def _crowd(self) -> Iterator[None]:
        size, book = self.size, self.book.path
        book.touch()
        argv = [sys.executable, "-m", "tests.chaos.crowd", self.target.server.http, str(book)]
        numbers = [str(self.watch.phones), str(self.rng.random())]
        codes = [event.code for event in self.target.events]
        assert len(codes) == size.events
        with (
            (self.target.server.stack.logs / "crowd.log").open("w") as log,
            subprocess.Popen(
                die_with_parent([*argv, *numbers, *codes]), cwd=ROOT, stdout=log, stderr=log
            ) as crowd,
        ):
            try:
                yield
                assert crowd.poll() is None, "the crowd process died"
            finally:
                crowd.terminate()
                crowd.wait(20)
                self.book.refresh()

    @contextmanager
    def _watching(self) -> Iterator[None]:
        thread = threading.Thread(target=self.watch.run, name="watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.watch.stop()
            thread.join(10)
