"""The deadline scheduler: enqueues each turn at its deadline, and closes it itself if no worker does.

Several schedulers may run at once, without leader election. All state is read from the database, so the next
iteration recovers from any crash. Deadlines follow the ballot box's clock; if that clock is set, all
deadlines move along (see `time_steps`).
"""

import faulthandler
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import itemgetter

from django.db import close_old_connections

from voting.announcements.outbox import purge_old, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import local_ms
from voting.ballot_box.box_types import BoxRef, BoxState
from voting.ballot_box.stores import STORE_ERRORS
from voting.metrics.metrics import SCHEDULER_LAST_RUN_AT
from voting.models import CLOSED_STATES, Event, Turn, TurnState
from voting.turns.closing import close_together, close_turn
from voting.turns.event_end import end_event, events_to_end
from voting.turns.long_windows import LONG_WINDOW_MS, LongTurnCursor
from voting.turns.outages import OutageWatch
from voting.turns.periodic import hourly_steps
from voting.turns.prefetching import ENQUEUE_EARLY_MS, enqueue_early_ms, is_large, is_plain
from voting.turns.restoring import must_stay_open, record_turnouts, restore_turn, restored_turns
from voting.turns.retry_book import RetryBook
from voting.turns.tasks import enqueue_close
from voting.turns.time_steps import TimeSteps, move_next_match, move_turn
from voting.turns.turns import load_turn, start_due_match, update_box

log = logging.getLogger(__name__)

POLL_S = 0.25
IDLE_POLL_S = 0.5  # without an open turn or a planned match; a new turn stays open for longer
MIN_SLEEP_S = 0.002
LOOKAHEAD_MS = 1_000
LONG_WINDOWS_PER_S = 2
WORKER_TIMEOUT_MS = 500
CLOSES_PER_TASK = 300  # closed together; with more turns, several workers share the work
CHORES_INTERVAL_S = 1.0
PURGE_EVERY_S = 3_600.0
FIRST_PURGE_AFTER_S = 300.0  # deadlines come first after a start
EXPIRE_EVERY_S = 60.0
DEADLINE_FIELDS = (
    *("closes_at", "version", "sealed_version", "box_lost_at"),
    *("match__host_wait_s", "match__bank_s", "match__max_side_changes"),
)
BOX_REF = ("match__event_id", "pk", "version", "match__shards")
EXPIRE_LOOKBACK_MS = 5 * 60 * 1000
RECLOSE_DELAY_MS = 30_000
HANG_TIMEOUT_S = 60.0
STDERR = 2


@dataclass(slots=True)
class DeadlineScheduler:
    """Polls the database for due turns and matches.

    `dispatched` maps each due turn and its deadline to the time at which it was enqueued, in milliseconds of
    this process's monotonic clock. `missing` turns had no box at the last check, which found the states
    `inspected`. `unshifted` turns have yet to be moved after a clock step. `is_waiting` is set while Redis or
    the database is away. `chores` run once a second; their failures are isolated.
    """

    box: BallotBox
    chores: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    steps: TimeSteps = field(init=False)
    outages: OutageWatch = field(init=False)
    dispatched: dict[tuple[int, int], float] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)
    inspected: Mapping[int, BoxState] = field(default_factory=dict)
    unshifted: set[int] = field(default_factory=set)
    walk: LongTurnCursor = field(default_factory=lambda: LongTurnCursor(LONG_WINDOWS_PER_S))
    retry_book: RetryBook = field(default_factory=RetryBook)
    chores_at: float = 0.0
    purged_at: float = field(default_factory=lambda: time.monotonic() - PURGE_EVERY_S + FIRST_PURGE_AFTER_S)
    purge_steps: Iterator[object] = field(default_factory=lambda: iter(()))
    expired_at: float = 0.0
    is_waiting: bool = False

    def __post_init__(self) -> None:
        self.steps = TimeSteps(self.box)
        self.outages = OutageWatch(self.box)

    def run(self, stopped: threading.Event) -> None:
        """Iterate until `stopped` is set. Exit if an iteration hangs; the supervisor restarts the process."""
        try:
            while not stopped.is_set():
                faulthandler.dump_traceback_later(HANG_TIMEOUT_S, exit=True, file=STDERR)
                stopped.wait(self.run_once())
        finally:
            faulthandler.cancel_dump_traceback_later()

    def run_once(self) -> float:
        """Run one iteration, deadlines first. Returns the seconds to wait before the next one."""
        try:
            offset = self._follow_box_time()
            following = self._close_due_turns(round(local_ms() + offset))
            SCHEDULER_LAST_RUN_AT.set(time.time())
            self._start_due_matches(round(local_ms() + offset))
            self._tend_periodically()
        except STORE_ERRORS as error:
            self._wait_for(error)
            return POLL_S
        if self.is_waiting:
            log.info("scheduler running again")
        self.is_waiting = False
        left_s = (min(following, default=math.inf) - local_ms() - offset) / 1000
        return max(MIN_SLEEP_S, min(IDLE_POLL_S if self.steps.plans.is_empty else POLL_S, left_s))

    def _wait_for(self, error: Exception) -> None:
        """Log the failure once, not at each iteration."""
        if not self.is_waiting:
            log.warning("scheduler waiting for Redis or the database: %s", error)
        self.is_waiting = True
        close_old_connections()

    def _follow_box_time(self) -> float:
        """Move turns and matches after a clock step. Returns the box's clock minus this process's, in ms.

        A step that happens during the call is found by the next iteration.
        """
        sample = self.steps.sample()
        step, plans = self.steps.plans_to_move(sample)
        if step and (plans.turns or plans.matches) and not self.unshifted:
            log.warning("the ballot box's clock was set by %+.1f s, moving all deadlines", step / 1000)
        self.unshifted = self.retry_book.run_each(
            "moving turn", plans.turns, lambda pk: move_turn(pk, plans.turns[pk], step, sample.now, self.box)
        )
        unplanned = self.retry_book.run_each(
            "moving the next match of event",
            plans.matches,
            lambda pk: move_next_match(pk, plans.matches[pk], step, sample.now),
        )
        if not self.unshifted and not unplanned:
            self.steps.accept(sample)
        return sample.now - sample.answered

    def _close_due_turns(self, now: int) -> list[int]:
        """Enqueue due turns and close those that no worker closed in time.

        A sealed turn that waits for the host is due again when that wait is over. Returns when the upcoming
        turns are due, which is slightly before their deadlines.
        """
        most = max((state.ballots for state in self.inspected.values()), default=0)
        soon = now + enqueue_early_ms(most) + LOOKAHEAD_MS
        live = Turn.objects.filter(state=TurnState.OPEN, closes_at__lte=soon)
        live = live.exclude(pk__in=self.unshifted).select_related("match")
        live = live.only(*DEADLINE_FIELDS)
        due_at = {}
        for turn in live:
            deadline = turn.reveal_due_at if turn.is_sealed else turn.closes_at
            ballots = self._ballots(turn.pk) if is_plain(turn) and not turn.is_sealed else 0
            due_at[turn.pk, deadline] = deadline - enqueue_early_ms(ballots)
        due = {deadline for deadline, at in due_at.items() if at <= now}
        self.dispatched = {deadline: at for deadline, at in self.dispatched.items() if deadline in due}
        self._enqueue(sorted(due - self.dispatched.keys(), key=itemgetter(1)))
        late = {
            turn_id: at
            for turn_id, at in due
            if at - ENQUEUE_EARLY_MS <= now  # earlier, it would hold up the deadlines of other turns
            and local_ms() - self.dispatched[turn_id, at] >= WORKER_TIMEOUT_MS
            and not self.box.closing_lease.is_held(turn_id)
        }
        waiting = self._close_late(list(late))
        for turn_id in late.keys() - waiting:
            self.dispatched[turn_id, late[turn_id]] = local_ms() + RECLOSE_DELAY_MS
        return [at for at in due_at.values() if at > now]

    def _ballots(self, turn_id: int) -> int:
        """Return the number of ballots at the last check."""
        state = self.inspected.get(turn_id)
        return state.ballots if state else 0

    def _enqueue(self, deadlines: Sequence[tuple[int, int]]) -> None:
        self.dispatched |= dict.fromkeys(deadlines, local_ms())
        large = [turn_id for turn_id, _ in deadlines if is_large(self._ballots(turn_id))]
        for turn_id in large:
            enqueue_close(turn_id)
        others = [turn_id for turn_id, _ in deadlines if turn_id not in large]
        for first in range(0, len(others), CLOSES_PER_TASK):
            enqueue_close(*others[first : first + CLOSES_PER_TASK])

    def _close_late(self, turn_ids: list[int]) -> set[int]:
        """Close turns here, together where possible. Returns those to retry.

        A turn that failed before is closed alone. One that another process closes meanwhile is left to it.
        """
        untried = [pk for pk in turn_ids if f"closing turn {pk}" not in self.retry_book.retry_at]
        if len(untried) <= 1:
            return self.retry_book.run_each("closing turn", turn_ids, self._close)
        log.warning("no worker closed %s turns in time, closing them here", len(untried))
        for first in range(0, len(untried), CLOSES_PER_TASK):
            together = untried[first : first + CLOSES_PER_TASK]
            self.retry_book.attempt("closing turns together", partial(close_together, together, self.box))
        still_open = Turn.objects.filter(pk__in=turn_ids, state=TurnState.OPEN).values_list("pk", flat=True)
        leased = set(filter(self.box.closing_lease.is_held, still_open))
        return leased | self.retry_book.run_each("closing turn", {*still_open} - leased, self._close)

    def _close(self, turn_id: int) -> None:
        if f"closing turn {turn_id}" not in self.retry_book.retry_at:
            log.warning("no worker closed turn %s in time, closing it here", turn_id, extra={"turn": turn_id})
        close_turn(turn_id, self.box)

    def _start_due_matches(self, now: int) -> None:
        due = Event.objects.filter(next_match_at__lte=now).values_list("pk", flat=True)
        self.retry_book.run_each("starting a match of event", due, partial(start_due_match, box=self.box))

    def _tend_periodically(self) -> None:
        if time.monotonic() - self.chores_at < CHORES_INTERVAL_S:
            return
        self.chores_at = time.monotonic()
        relay()
        missing_before, self.missing = self.missing, set()
        deadlines = self._load_deadlines()
        states = self.box.inspect(list(deadlines))
        lost = {turn_id for turn_id, state in states.items() if not state.is_consistent}
        self.retry_book.run_each(
            "repairing the ballot box of turn",
            lost | missing_before,
            partial(self._repair_box, missing=missing_before),
        )
        self.retry_book.attempt("recording turnouts", partial(self._record_turnouts, states))
        closes_at = {turn.turn_id: at for turn, at in deadlines.items()}
        check_outages = partial(self.outages.check, states, closes_at, self.steps.box_time)
        self.retry_book.attempt("noticing outages", check_outages)
        self.retry_book.run_each(
            "waiting for the voters of turn",
            restored_turns(self.steps.box_time + LONG_WINDOW_MS),
            lambda pk: must_stay_open(load_turn(pk), self.box),
        )
        due = events_to_end(self.steps.box_time)
        self.retry_book.run_each("ending event", due, partial(end_event, box=self.box))
        self._expire_boxes()
        for name, chore in self.chores.items():
            self.retry_book.attempt(name, chore)
        self.retry_book.attempt("the hourly purge", self._purge_periodically)

    def _load_deadlines(self) -> dict[BoxRef, int]:
        """Return the deadlines of the nearest turns and of the next batch of all others."""
        near_until = self.steps.box_time + LONG_WINDOW_MS
        near = Turn.objects.filter(state=TurnState.OPEN, closes_at__lte=near_until)
        far = Turn.objects.filter(pk__in=[turn_id for turn_id, _ in self.walk.step(near_until)])
        rows = chain.from_iterable(turns.values_list("closes_at", *BOX_REF) for turns in (near, far))
        return {BoxRef(*ref): closes_at for closes_at, *ref in rows}

    def _record_turnouts(self, states: Mapping[int, BoxState]) -> None:
        """Write turnouts that have changed since the last check to the database."""
        record_turnouts({pk: state for pk, state in states.items() if state != self.inspected.get(pk)})
        self.inspected = states

    def _repair_box(self, turn_id: int, missing: set[int]) -> None:
        """Bring the turn's box up to date; restore it if it is missing at two checks in a row."""
        if update_box(load_turn(turn_id), self.box, create=False):
            return
        self.missing.add(turn_id)
        if turn_id in missing:
            restore_turn(turn_id, self.box)

    def _purge_periodically(self) -> None:
        if time.monotonic() - self.purged_at >= PURGE_EVERY_S:
            self.purged_at = time.monotonic()
            purge_old()
            self.purge_steps = hourly_steps()
        next(self.purge_steps, None)  # one step a second, so that no deadline waits

    def _expire_boxes(self) -> None:
        """Expire the boxes of closed turns, in case the process that closed them died first."""
        if time.monotonic() - self.expired_at < EXPIRE_EVERY_S:
            return
        self.expired_at = time.monotonic()
        over = Turn.objects.filter(
            state__in=(*CLOSED_STATES, TurnState.VOID), closes_at__gte=self.box.now() - EXPIRE_LOOKBACK_MS
        )
        refs = {row[1]: BoxRef(*row) for row in over.values_list(*BOX_REF)}
        self.retry_book.run_each(
            "expiring the ballot box of turn", refs, lambda pk: self.box.expire(refs[pk])
        )
