"""Isolate failures per turn or event: log once, retry after a second."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

import msgspec
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, close_old_connections

from games.engine.errors import GameError
from voting.ballot_box.box_clock import local_ms
from voting.ballot_box.stores import DATABASE_ERRORS, STORE_ERRORS
from voting.matches import MatchError

log = logging.getLogger(__name__)

RETRY_AFTER_MS = 1_000.0
SLOW_MS = 200.0
DROP_AFTER_MS = 60_000.0

TRANSIENT_ERRORS = (IntegrityError, *STORE_ERRORS)
PERMANENT_ERRORS = (GameError, MatchError, ObjectDoesNotExist, msgspec.MsgspecError)


@dataclass(slots=True)
class RetryBook:
    """Retry times and backoff for actions on turns and events.

    `retry_at` maps an action to its next attempt, in milliseconds of this process's monotonic clock. `slow`
    is set when a failure took SLOW_MS or longer.
    """

    retry_at: dict[str, float] = field(default_factory=dict)
    slow: bool = False

    def run_each(self, what: str, keys: Iterable[int], action: Callable[[int], object]) -> set[int]:
        """Run `action` for each key and return the keys to retry; `what` names the action in the log.

        Keys without failures come first, then those that have waited longest. After a slow failure the rest
        are skipped until the next call, so that a frozen node costs one timeout and not one for each of its
        keys.
        """
        now, self.slow = local_ms(), False
        self.retry_at = {name: at for name, at in self.retry_at.items() if now - at < DROP_AFTER_MS}
        in_order = sorted(keys, key=lambda key: self.retry_at.get(f"{what} {key}", 0.0))
        return {key for key in in_order if not self.attempt(f"{what} {key}", partial(action, key))}

    def attempt(self, what: str, action: Callable[[], object]) -> bool:
        """Run `action` unless its retry time is in the future. Returns False if it must be retried.

        Transient errors are retried; permanent ones are logged as errors and return True. Others propagate.
        """
        began = local_ms()
        if self.slow or began < self.retry_at.get(what, 0.0):
            return False
        try:
            action()
        except (*TRANSIENT_ERRORS, *PERMANENT_ERRORS) as error:
            self._note(what, error)
            self.slow = local_ms() - began >= SLOW_MS
            return isinstance(error, PERMANENT_ERRORS)
        if self.retry_at.pop(what, None):
            log.info("%s succeeded after a retry", what)
        return True

    def _note(self, what: str, error: Exception) -> None:
        if what not in self.retry_at:
            level = logging.ERROR if isinstance(error, PERMANENT_ERRORS) else logging.WARNING
            log.log(level, "%s failed: %s", what, error)
        self.retry_at[what] = local_ms() + RETRY_AFTER_MS
        if isinstance(error, DATABASE_ERRORS):
            close_old_connections()
