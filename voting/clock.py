"""The clock: knows the next deadline, wakes the worker for it, and does it itself if nobody does.

Several clocks are safe. All it knows it reads from the database, so any crash is made good by the
next look.
"""

import logging
import threading
import time
from dataclasses import dataclass, field

from django.db import OperationalError
from redis import RedisError

from games.engine.errors import GameError
from games.models import Event, Turn, TurnState
from voting.announcements import relay
from voting.ballot_box import BallotBox
from voting.deadlines import arm_close
from voting.turns import boxed, close_turn, load_turn, restore_turn, start_due_match

log = logging.getLogger(__name__)

LOOK_S = 0.25
LEAST_SLEEP_S = 0.002
WORKER_HAS_MS = 500
TEND_S = 1.0


@dataclass(slots=True)
class Clock:
    """`armed` is when each due turn was handed to a worker; `missing` turns had no box at the last look."""

    box: BallotBox
    armed: dict[int, int] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)
    tended_at: float = 0.0

    def run(self, stopped: threading.Event) -> None:
        while not stopped.wait(self.look()):
            pass

    def look(self) -> float:
        """Do what is due; the seconds until the next look."""
        try:
            self._tend_now_and_then()
            self._start_due_matches()
            return self._close_due_turns()
        except (RedisError, OSError, OperationalError) as trouble:
            log.warning("the clock waits: %s", trouble)
            return LOOK_S

    def _close_due_turns(self) -> float:
        now = self.box.now()
        coming = Turn.objects.filter(state=TurnState.OPEN, closes_at__lte=now + LOOK_S * 1000)
        times = dict(coming.values_list("pk", "closes_at"))
        due = {turn_id for turn_id, closes_at in times.items() if closes_at <= now}
        for turn_id in due:
            self._close(turn_id, now)
        self.armed = {turn_id: at for turn_id, at in self.armed.items() if turn_id in due}
        upcoming = [closes_at for closes_at in times.values() if closes_at > now]
        return max(LEAST_SLEEP_S, min([LOOK_S, *((at - now) / 1000 for at in upcoming)]))

    def _close(self, turn_id: int, now: int) -> None:
        armed_at = self.armed.setdefault(turn_id, now)
        if armed_at == now:
            arm_close(turn_id)
        elif now - armed_at >= WORKER_HAS_MS:
            log.warning("no worker closed turn %s in time, the clock does", turn_id)
            try:
                close_turn(turn_id, self.box)
            except GameError as refusal:  # one match's trouble is not every event's
                log.error("turn %s cannot be closed: %s", turn_id, refusal)

    def _start_due_matches(self) -> None:
        due = Event.objects.filter(next_match_at__lte=self.box.now())
        for event_id in due.values_list("pk", flat=True):
            start_due_match(event_id, self.box)

    def _tend_now_and_then(self) -> None:
        if time.monotonic() - self.tended_at < TEND_S:
            return
        self.tended_at = time.monotonic()
        relay()
        missing = set()
        for turn_id in Turn.objects.filter(state=TurnState.OPEN).values_list("pk", flat=True):
            missing |= self._tend(turn_id)
        self.missing = missing

    def _tend(self, turn_id: int) -> set[int]:
        """Bring the turn's box up to date; one missing at two looks in a row is restored."""
        turn = load_turn(turn_id)
        if self.box.place(boxed(turn), create=False):
            return set()
        if turn_id in self.missing:
            log.warning("the ballot box lost turn %s: restored", turn_id)
            restore_turn(turn_id, self.box)
        return {turn_id}
