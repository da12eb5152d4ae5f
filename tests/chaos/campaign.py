"""A chaos campaign: phones in several events, one fault after another, and an audit of every turn."""

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.paths import ROOT
from tests.chaos.audit import Audit, Finding
from tests.chaos.faults import CHATS, CLOCKS, Fault, Missed, NotApplicable
from tests.chaos.monitor import Journal, Monitor
from tests.chaos.target import Target
from tests.deploy.processes import becomes_true, wait_until

FAST_MATCHES: dict[str, Any] = {"window_s": 3, "pace": "instant", "lobby": "open", "next_match_after_s": 3}
TERMS: list[dict[str, Any]] = [{}, {"tie_rule": "lot"}, {"tally_method": "lottery"}]
TERMS += [{"tie_rule": "lot", "no_ballot_rule": "pass"}]
JOINED_WITHIN_S = 120
HEALTHY_FOR_S = 1.2
RECOVERED_WITHIN_S = 75.0
POLL_S = 0.2
APART_S = (0.2, 0.5)  # so that the events' turns do not end together
ANY_MOMENT_S = 1.5  # a fault begins at any moment of a turn
ACKS_COME_WITHIN_S = 2.0
# A shared deadline must not pass while the events are still being told of it.
SHARED_DEADLINE_MS, MS_PER_EVENT = 2_500, 50


@dataclass(frozen=True)
class Size:
    """A campaign ends after this many `turns` with a fault, or after `seconds` or `rounds`.

    It starts with `baseline_s` without faults, for comparison. If `together`, all events get one deadline
    before each fault.
    """

    events: int
    phones: int
    turns: int
    seconds: float
    rounds: int = sys.maxsize
    baseline_s: float = 0.0
    together: bool = False


@dataclass
class InjectedFault:
    """One injected fault and the affected turns. Times are seconds of the monotonic clock.

    `recovered_at` is when all phones had recovered for good, or None if they did not in time. `closed` are
    the affected turns that were over before the next fault.
    """

    fault: str
    began: float
    ended: float
    recovered_at: float | None
    turns: set[int]
    closed: set[int] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    @property
    def outage_s(self) -> float:
        return (self.recovered_at or time.monotonic()) - self.began

    @property
    def recovery_s(self) -> float:
        return max(0.0, (self.recovered_at or time.monotonic()) - self.ended)


@dataclass
class Campaign:
    """It prints a line for each fault. `baseline` are the turns before the first one."""

    target: Target
    size: Size
    faults: Sequence[Fault]
    rng: Random
    injected: list[InjectedFault] = field(default_factory=list)
    not_applicable: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    baseline: set[int] = field(default_factory=set)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.journal = Journal(self.target.home / "journal.ndjson")
        self.audit = Audit(self.target, self.journal, timed=self.target.box_clock is not None)
        self.monitor = Monitor(self.target, self.journal, self.size.phones // self.size.events)

    @property
    def faulted(self) -> set[int]:
        return set().union(*(injected.turns for injected in self.injected))

    def play(self) -> None:
        for number in range(self.size.events):
            terms = FAST_MATCHES | TERMS[number % len(TERMS)]
            self.target.events.append(self.target.ask("event", **terms, shards=self.target.shards))
        if any(fault.family == CHATS for fault in self.faults):
            chat_event = self.target.events[-1]["id"]
            self.target.ask("set_source", event_id=chat_event, team=2, source="twitch:rooks")
        with self._crowd(), self.monitor.running():
            self._join_and_begin()
            for fault in self._draw_faults():
                self._inject(fault)
            self._end()

    def _join_and_begin(self) -> None:
        events = self.target.events
        wait_until(self._all_here, JOINED_WITHIN_S)
        for event in events:
            self.target.ask("begin", event_id=event["id"])
            time.sleep(self.rng.uniform(*APART_S))
        wait_until(lambda: len(self.monitor.over()) >= len(events), JOINED_WITHIN_S)
        warmup_turns = self.monitor.over()
        time.sleep(self.size.baseline_s)  # voting without faults
        self.baseline = self.monitor.over() - warmup_turns

    def _all_here(self) -> bool:
        self.journal.refresh()
        if not self.journal.crowd_states:
            return False
        return all(here == self.monitor.phones for here, _ in self.journal.crowd_states[-1].events.values())

    def _draw_faults(self) -> Iterator[Fault]:
        for _ in range(self.size.rounds):
            for fault in self.rng.sample(self.faults, len(self.faults)):
                is_late = time.monotonic() - self.began > self.size.seconds
                if len(self.faulted) >= self.size.turns or is_late:
                    return
                if fault.name not in self.not_applicable:
                    yield fault
            if len(self.not_applicable) == len(self.faults):
                return

    def _inject(self, fault: Fault) -> None:
        wait_until(self.target.is_up, RECOVERED_WITHIN_S)  # one fault at a time
        if self.size.together:
            ids = [event["id"] for event in self.target.events]
            ms = SHARED_DEADLINE_MS + len(ids) * MS_PER_EVENT
            self.target.ask("share_deadline", event_ids=ids, ms=ms)
        time.sleep(self.rng.uniform(0.0, ANY_MOMENT_S))
        began = time.monotonic()
        try:
            fault.inject(self.target, self.rng)
        except (NotApplicable, Missed) as why:
            print(f"{fault.name}: {why}", flush=True)
            if isinstance(why, NotApplicable):
                self.not_applicable[fault.name] = str(why)
            return
        ended = time.monotonic()
        recovered_at = self._wait_until_recovered(began, ended)
        until = max(ended, recovered_at or time.monotonic())
        injected = InjectedFault(fault.name, began, ended, recovered_at, self.monitor.live(began, until))
        injected.closed = injected.turns & self.monitor.over()
        self.injected.append(injected)
        if fault.family == CLOCKS:
            self.audit.set_in |= injected.turns
        injected.findings = self._audit(injected.turns)
        print(
            f"{len(self.faulted):5} turns  {fault.name}: {len(injected.turns)} turns, "
            f"{self.audit.acknowledged(injected.turns)} acknowledged, {len(injected.findings)} findings; "
            f"{injected.outage_s:.1f} s until recovery, {injected.recovery_s:.1f} s after the fault",
            flush=True,
        )

    def _wait_until_recovered(self, began: float, ended: float) -> float | None:
        affected = self.monitor.live(began, ended)

        def last_unhealthy() -> float:
            return max(self.monitor.unhealthy_times(began), default=began)

        def has_recovered() -> bool:
            healthy_s = time.monotonic() - max(last_unhealthy(), ended)
            return healthy_s > HEALTHY_FOR_S and affected <= self.monitor.over()

        return last_unhealthy() if becomes_true(has_recovered, RECOVERED_WITHIN_S, POLL_S) else None

    def _audit(self, turns: Iterable[int]) -> list[Finding]:
        """Check these turns, as far as all acknowledgements have arrived; keep and return the findings."""
        for vote in self.target.chat_votes:
            self.journal.add(vote)
        findings = self.audit.check(turn for turn in sorted(turns) if self._is_settled(turn))
        for finding in findings:
            if finding not in self.findings:
                self.findings.append(finding)
                print(f"  {finding.kind.upper()} turn {finding.turn}: {finding.text}", flush=True)
        return findings

    def _is_settled(self, turn: int) -> bool:
        over = self.monitor.turns[turn].over
        return over is not None and over < time.monotonic() - ACKS_COME_WITHIN_S

    def _end(self) -> None:
        """Audit every finished turn once more, with or without a fault."""
        last = self.monitor.live(time.monotonic(), time.monotonic())
        wait_until(lambda: all(map(self._is_settled, last)), RECOVERED_WITHIN_S)
        self._audit(self.monitor.turns)
        for injected in self.injected:
            injected.findings = [found for found in self.findings if found.turn in injected.turns]

    @contextmanager
    def _crowd(self) -> Iterator[None]:
        self.journal.path.touch()
        argv = [sys.executable, "-m", "tests.chaos.crowd", self.target.http, str(self.journal.path)]
        argv += [str(self.monitor.phones), str(self.rng.random())]
        argv += [event["code"] for event in self.target.events]
        with (
            (self.target.stack.logs / "crowd.log").open("w") as log,
            subprocess.Popen(die_with_parent(argv), cwd=ROOT, stdout=log, stderr=log) as crowd,
        ):
            try:
                yield
                assert crowd.poll() is None, "the crowd process died"
            finally:
                crowd.terminate()
                crowd.wait(20)
                self.journal.refresh()
