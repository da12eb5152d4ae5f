"""Start the reveal of a turn that waits for the host.

Until then the turn is sealed but not counted, so that its outcome exists nowhere.
"""

from django.utils.translation import gettext as _
from redis.exceptions import LockError

from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import CLOSED_STATES
from voting.positions import load_position
from voting.turns.closing import close_expired
from voting.turns.turns import load_turn


def reveal_turn(turn_id: int, box: BallotBox) -> None:
    """Count and reveal the turn now. Raises MatchError unless it is sealed and open."""
    try:
        with box.closing_lease.hold(turn_id):
            _reveal(turn_id, box)
    except LockError as error:
        raise MatchError(_("Time is up. The votes are being counted.")) from error


def _reveal(turn_id: int, box: BallotBox) -> None:
    turn = load_turn(turn_id)
    if not turn.is_sealed:
        raise MatchError(_("There is no reveal to start now."))
    position = load_position(turn.match, before=turn)
    close_expired({turn: position}, box, reveal_at=box.now())
    if turn.state not in CLOSED_STATES:
        raise MatchError(_("The turn changed in the meantime. Check it and try again."))
