"""Cast a ballot on the server, for a voter who made the choice in advance and is not connected."""

from contextlib import suppress

from redis.exceptions import LockError

from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastResult
from voting.counting.ballots import Ballot
from voting.metrics.metrics import BALLOTS
from voting.models import Turn
from voting.turns.early_close import close_turn_early
from voting.turns.turns import to_boxed_turn

FIRST_SEQUENCE = 1  # of a phone's first ballot in a turn; later ones replace it
COUNTED = (CastResult.OK, CastResult.DUPLICATE)


def cast_first_ballot(turn: Turn, ballot: Ballot, box: BallotBox) -> int:
    """Cast a voter's first ballot in the turn, then close the turn if that was the last one it waits for.

    A ballot that the voter has cast by phone stays. Returns a `CastResult`, or minus the sequence of the
    voter's later ballot. Idempotent: after a crash, call it again with the same ballot. Raises STORE_ERRORS.
    """
    answers, stored = box.cast_new(to_boxed_turn(turn), ballot)
    if answers[0] in COUNTED:
        BALLOTS.labels("counted").inc()
        if stored:  # as a gateway does, before anyone relies on it
            store_ballots(turn.pk, [ballot], box.now())
        with suppress(LockError):  # another process is closing it
            close_turn_early(turn.pk, turn.closes_at, box)
    return answers[0]
