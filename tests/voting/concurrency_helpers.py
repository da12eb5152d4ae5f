"""Run the same action in several threads at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

from django.db import connections
from redis.exceptions import LockError

from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError


def at_once(threads: int, act: Callable[[BallotBox], object]) -> list[BaseException]:
    """Run `act` in threads with their own connections; return each MatchError and LockError."""
    barrier = Barrier(threads)

    def run(_: int) -> BaseException | None:
        with closing(BallotBox()) as own:
            barrier.wait(30)
            try:
                act(own)
            except (MatchError, LockError) as refusal:
                return refusal
            finally:
                connections.close_all()
        return None

    with ThreadPoolExecutor(threads) as pool:
        return [refusal for refusal in pool.map(run, range(threads)) if refusal]
