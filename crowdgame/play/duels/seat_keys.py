"""The roster codes of duels, which are their seats."""

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import seat_number
from crowdgame.play.duels.models import Duel
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster
from voting.matches import locked_event
from voting.models import Ticket


def load_seat_key(duel: Duel, guest: Guest) -> str:
    """Return the roster code with which this guest joins the event; empty for anybody else."""
    number = seat_number(duel, guest)
    return _find_seat_key(duel, number) or _replace_seat_key(duel, number) if number else ""


def _find_seat_key(duel: Duel, number: int) -> str:
    codes = Ticket.objects.filter(event_id=duel.event_id, team=number).order_by("pk")
    return codes.values_list("code", flat=True).first() or ""


def _replace_seat_key(duel: Duel, number: int) -> str:
    """Make a roster code for a seat whose code the data retention of an earlier version has deleted."""
    with locked_event(duel.event_id) as event:
        return _find_seat_key(duel, number) or make_roster(event, [Pupil("", number)])[0].code
