"""The clock: knows the next deadline, wakes the worker for it, and does it itself if nobody does.

Several clocks are safe. All it knows it reads from the database, so any crash is made good by the
next look.
"""

import faulthandler
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, close_old_connections
from redis import RedisError

from games.engine.errors import GameError
from games.matches import MatchError
from games.models import Event, Turn, TurnState
from voting.announcements import forget_old, relay
from voting.ballot_box import BallotBox
from voting.deadlines import arm_close
from voting.metrics import CLOCK_LOOKED_AT
from voting.stores import DATABASE_AWAY
from voting.turns import boxed, close_turn, load_turn, restore_turn, start_due_match

log = logging.getLogger(__name__)

LOOK_S = 0.25
# A worker that is called a moment early is there at the deadline; it waits for it (see `turns.PATIENCE_MS`).
CALLED_BEFORE_MS = 100
LEAST_SLEEP_S = 0.002
WORKER_HAS_MS = 500
TEND_S = 1.0
FORGET_S = 3_600.0
LET_GO_S = 60.0
OVER_SINCE_MS = 5 * 60 * 1000
LEFT_ALONE_MS = 30_000
STUCK_S = 60.0
STDERR = 2


@dataclass(slots=True)
class Clock:
    """`armed` is when each due turn was handed to a worker; `missing` turns had no box at the last look."""

    box: BallotBox
    armed: dict[int, int] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)
    tended_at: float = 0.0
    forgot_at: float = 0.0
    let_go_at: float = 0.0

    def run(self, stopped: threading.Event) -> None:
        """A look that does not end, end the whole process: whoever keeps it running starts it anew."""
        try:
            while not stopped.is_set():
                faulthandler.dump_traceback_later(STUCK_S, exit=True, file=STDERR)
                stopped.wait(self.look())
        finally:
            faulthandler.cancel_dump_traceback_later()

    def look(self) -> float:
        """Do what is due; the seconds until the next look."""
        try:
            self._tend_now_and_then()
            self._start_due_matches()
            CLOCK_LOOKED_AT.set(time.time())
            return self._close_due_turns()
        except (RedisError, OSError, *DATABASE_AWAY) as trouble:
            log.warning("the clock waits: %s", trouble)
            close_old_connections()
            return LOOK_S

    def _close_due_turns(self) -> float:
        now = self.box.now()
        soon = now + CALLED_BEFORE_MS
        coming = Turn.objects.filter(state=TurnState.OPEN, closes_at__lte=soon + LOOK_S * 1000)
        times = dict(coming.values_list("pk", "closes_at"))
        due = {turn_id for turn_id, closes_at in times.items() if closes_at <= soon}
        for turn_id in due:
            self._close(turn_id, now)
        self.armed = {turn_id: at for turn_id, at in self.armed.items() if turn_id in due}
        upcoming = [closes_at for closes_at in times.values() if closes_at > soon]
        return max(LEAST_SLEEP_S, min([LOOK_S, *((at - soon) / 1000 for at in upcoming)]))

    def _close(self, turn_id: int, now: int) -> None:
        armed_at = self.armed.setdefault(turn_id, now)
        if armed_at == now:
            arm_close(turn_id)
        elif now - armed_at >= WORKER_HAS_MS:
            log.warning("no worker closed turn %s in time, the clock does", turn_id, extra={"turn": turn_id})
            self.armed[turn_id] = now + LEFT_ALONE_MS
            with _alone(f"turn {turn_id}"):
                close_turn(turn_id, self.box)

    def _start_due_matches(self) -> None:
        due = Event.objects.filter(next_match_at__lte=self.box.now())
        for event_id in due.values_list("pk", flat=True):
            with _alone(f"the next match of event {event_id}"):
                start_due_match(event_id, self.box)

    def _tend_now_and_then(self) -> None:
        if time.monotonic() - self.tended_at < TEND_S:
            return
        self.tended_at = time.monotonic()
        relay()
        self._forget_now_and_then()
        self._let_go_now_and_then()
        known, self.missing = self.missing, set()
        for turn_id in Turn.objects.filter(state=TurnState.OPEN).values_list("pk", flat=True):
            with _alone(f"turn {turn_id}"):
                self._tend(turn_id, known)

    def _tend(self, turn_id: int, missing: set[int]) -> None:
        """Bring the turn's box up to date; one missing at two looks in a row is restored."""
        if self.box.place(boxed(load_turn(turn_id)), create=False):
            return
        self.missing.add(turn_id)
        if turn_id in missing:
            restore_turn(turn_id, self.box)

    def _forget_now_and_then(self) -> None:
        if time.monotonic() - self.forgot_at >= FORGET_S:
            self.forgot_at = time.monotonic()
            forget_old()

    def _let_go_now_and_then(self) -> None:
        """Boxes of turns that are over, in case whoever ended one died before it let go."""
        if time.monotonic() - self.let_go_at < LET_GO_S:
            return
        self.let_go_at = time.monotonic()
        over = Turn.objects.filter(
            state__in=(TurnState.RESOLVED, TurnState.VOID), closes_at__gte=self.box.now() - OVER_SINCE_MS
        )
        for event_id, turn_id in over.values_list("match__event_id", "pk"):
            self.box.expire(event_id, turn_id)


@contextmanager
def _alone(what: str) -> Iterator[None]:
    """One match's trouble holds up no other."""
    try:
        yield
    except (GameError, MatchError, ObjectDoesNotExist, IntegrityError, msgspec.MsgspecError) as trouble:
        log.error("%s is left alone for now: %s", what, trouble)
