"""Run the same action in several threads at once."""

from collections.abc import Callable
from threading import Barrier, Thread

from django.db import connections
from redis.exceptions import LockError

from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError


def at_once(threads: int, act: Callable[[BallotBox], object]) -> list[BaseException]:
    """Run `act` in threads with their own connections; return the errors, all MatchError or LockError."""
    barrier, raised = Barrier(threads), list[BaseException]()

    def run() -> None:
        own = BallotBox()
        barrier.wait()
        try:
            act(own)
        except BaseException as error:  # noqa: BLE001  reported to the test
            raised.append(error)
        finally:
            own.close()
            connections.close_all()

    running = [Thread(target=run) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(30)
    assert [error for error in raised if not isinstance(error, (MatchError, LockError))] == []
    return raised
