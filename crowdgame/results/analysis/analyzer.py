"""The analyzer: finds resolved turns without an analysis, the newest first, and analyzes one after the other.

It reads and writes only what is resolved and announced, so it can't reveal an open vote, and nothing waits
for it. All state is in the database: after a crash, the next iteration goes on. Several may run at once.

A thread of its own solves, at the lowest CPU priority. The rest keeps its priority, so that no lock of the
database is held by something that waits for a CPU.
"""

import logging
import os
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

import wasmtime
from django.db import close_old_connections
from django.db.models import Exists, OuterRef, QuerySet

from crowdgame.results.analysis.stored_analyses import announce_analysis
from crowdgame.results.analysis.stored_judges import store_judges
from crowdgame.results.analysis.turn_solving import store_analysis
from games.engine.registry import all_games, read_options
from games.solver.positions import read_position
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import STORE_ERRORS
from voting.models import Announcement, Turn, TurnState
from voting.terms import AnalysisTime
from voting.turns.retry_book import PERMANENT_ERRORS

log = logging.getLogger(__name__)

NICE = 19
POLL_S = 0.5
REVEAL_MS = 500  # phones still receive the reveal, which one more busy core would delay
RECENT_MS = 10 * 60 * 1000
BACKLOG_INTERVAL_S = 600.0  # looking through all turns is slow
BACKLOG_BATCH = 200
BACKLOG_PAUSE_S = 0.05
SOLVER_ERRORS = (wasmtime.WasmtimeError, wasmtime.Trap)


@cache
def solved_games() -> frozenset[str]:
    """Return the slugs of the games that the solver knows."""
    games = all_games()
    starts = {slug: game.start(game.draw_lots(read_options(game, {}), 0)) for slug, game in games.items()}
    return frozenset(slug for slug, state in starts.items() if read_position(state) is not None)


def unanalyzed_turns() -> QuerySet[Turn]:
    """Return the turns to analyze: resolved and announced, in events that want it."""
    unsent = Announcement.objects.filter(event=OuterRef("match__event"), sent_at=None)
    found = Turn.objects.filter(state=TurnState.RESOLVED, analysis=None, match__game__in=solved_games())
    return found.exclude(match__event__analysis=AnalysisTime.OFF).exclude(Exists(unsent)).order_by("-pk")


@dataclass(slots=True)
class Analyzer:
    """Leaves a turn alone for `reveal_ms` after its end.

    `backlog` holds the next turns of earlier times. `failed` turns are left out until a restart.
    """

    box: BallotBox
    reveal_ms: int = REVEAL_MS
    backlog: list[int] = field(default_factory=list)
    looked_at: float = float("-inf")
    failed: set[int] = field(default_factory=set)
    is_waiting: bool = False
    solving: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, "solver", _lower_priority))

    def run(self, stopped: threading.Event) -> None:
        """Iterate until `stopped` is set."""
        while not stopped.is_set():
            stopped.wait(self.run_once())

    def run_once(self) -> float:
        """Analyze one turn. Returns the seconds to wait before the next one."""
        try:
            pause_s = self._analyze_next()
        except STORE_ERRORS as error:
            if not self.is_waiting:
                log.warning("analyzer waiting for Redis or the database: %s", error)
            self.is_waiting = True
            close_old_connections()
            return POLL_S
        self.is_waiting = False
        return pause_s

    def _analyze_next(self) -> float:
        """Analyze a recent turn, otherwise one of the backlog."""
        now = self.box.now()
        recent = unanalyzed_turns().filter(
            closes_at__gte=now - RECENT_MS, resolved_at__lte=now - self.reveal_ms
        )
        if turn := recent.exclude(pk__in=self.failed).first():
            self._analyze(turn.pk)
            return 0.0
        if turn_id := self._next_of_backlog():
            self._analyze(turn_id)
            return BACKLOG_PAUSE_S
        return POLL_S

    def _next_of_backlog(self) -> int | None:
        if not self.backlog and time.monotonic() - self.looked_at >= BACKLOG_INTERVAL_S:
            waiting = unanalyzed_turns().exclude(pk__in=self.failed)
            self.backlog = list(waiting.values_list("pk", flat=True)[:BACKLOG_BATCH])[::-1]
            if not self.backlog:
                self.looked_at = time.monotonic()
        return self.backlog.pop() if self.backlog else None

    def _analyze(self, turn_id: int) -> None:
        try:
            turn = Turn.objects.select_related("match__event", "match__red", "match__yellow").get(pk=turn_id)
            if store_analysis(turn, lambda work: self.solving.submit(work).result()) is None:
                self.failed.add(turn_id)
            else:
                store_judges(turn.match)
                announce_analysis(turn, self.box.now())
        except (*PERMANENT_ERRORS, *SOLVER_ERRORS) as error:
            log.error("analyzing turn %s failed: %s", turn_id, error, extra={"turn": turn_id})
            self.failed.add(turn_id)


def _lower_priority() -> None:
    """Lower the CPU priority of the calling thread. On Linux, each thread has its own."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
