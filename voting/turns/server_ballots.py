"""Cast a ballot on the server, for a voter who made the choice in advance and is not connected."""

from contextlib import suppress

from redis.exceptions import LockError

from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastResult
from voting.counting.ballots import Ballot
from voting.matches import load_position
from voting.metrics.metrics import BALLOTS
from voting.models import Turn, TurnState
from voting.turns.clocks import turn_ends_at
from voting.turns.early_close import close_turn_early
from voting.turns.turns import load_turn, to_boxed_turn

FIRST_SEQUENCE = 1  # of a phone's first ballot in a turn; later ones replace it
COUNTED = (CastResult.OK, CastResult.DUPLICATE)


def cast_first_ballot(turn: Turn, ballot: Ballot, box: BallotBox) -> int:
    """Cast a voter's first ballot in the turn, then close the turn if that was the last pick it waits for.

    A ballot that the voter has cast by phone stays. Returns a `CastResult`, or minus the sequence of the
    voter's later ballot; BUSY if another process kept the turn from closing. Idempotent: after that or a
    crash, call it again with the same ballot. Raises STORE_ERRORS.
    """
    answers, stored = box.cast_new(to_boxed_turn(turn), ballot)
    if answers[0] not in COUNTED:
        return answers[0]
    BALLOTS.labels("counted").inc()
    if stored:  # as a gateway does, before anyone relies on it
        store_ballots(turn.pk, [ballot], box.now())
    with suppress(LockError):  # another process is closing it
        close_turn_early(turn.pk, turn.closes_at, box)
    return CastResult.BUSY if _lasts_too_long(turn, box) else answers[0]


def _lasts_too_long(turn: Turn, box: BallotBox) -> bool:
    """Whether a turn with clocks is open although all have picked: nobody may be connected to ask again."""
    now = load_turn(turn.pk)
    if now.state != TurnState.OPEN or now.match.bank_s is None:
        return False
    return turn_ends_at(now, load_position(now.match, before=now), box) <= box.now()
