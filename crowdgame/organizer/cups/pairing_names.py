"""Titles of a cup's rounds and pairings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crowdgame.organizer.cups.pairing import CupFormat, Draw, Entrant, Pairing, WinnerOf
from crowdgame.organizer.cups.pairing_status import PairingStatus

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    Titles = Sequence[tuple[StrOrPromise, StrOrPromise]]

# From the last round back. The second title of a pairing is for a round with several.
ROUND_TITLES = (_("Final"), _("Semi-finals"), _("Quarter-finals"))
PAIRING_TITLES: "Titles" = (
    (_("Final"), ""),
    (_("Semi-final"), _("Semi-final %(number)s")),
    (_("Quarter-final"), _("Quarter-final %(number)s")),
)
WINNER_TITLES: "Titles" = (
    ("", ""),
    (_("Winner of the semi-final"), _("Winner of semi-final %(number)s")),
    (_("Winner of the quarter-final"), _("Winner of quarter-final %(number)s")),
)


def name_round(kind: CupFormat, draw: Draw, number: int) -> str:
    before_last = draw[-1].round - number
    if kind == CupFormat.LEAGUE or before_last >= len(ROUND_TITLES):
        return gettext("Round %(number)s") % {"number": number}
    return str(ROUND_TITLES[before_last])


def name_pairing(kind: CupFormat, draw: Draw, pairing: Pairing) -> str:
    """Return the pairing's title, numbered within the round if that has several."""
    titles = PAIRING_TITLES if kind == CupFormat.KNOCKOUT else ()
    return _choose_title(draw, pairing, titles, gettext("Round %(round)s, pairing %(number)s"))


def name_entrants(draw: Draw, names: Mapping[int, str], meeting: PairingStatus) -> tuple[str, str]:
    """Return the names of both teams. An undecided one reads "Winner of ..."."""

    def name(seat: Entrant, team: int | None) -> str:
        if team is not None:
            return names[team]
        assert isinstance(seat, WinnerOf)  # noqa: S101  a seed is a team from the start
        other = gettext("Winner of round %(round)s, pairing %(number)s")
        return _choose_title(draw, draw[seat.pairing - 1], WINNER_TITLES, other)

    return name(meeting.pairing.red, meeting.red), name(meeting.pairing.yellow, meeting.yellow)


def _choose_title(draw: Draw, pairing: Pairing, titles: "Titles", other: str) -> str:
    of_round = [one.number for one in draw if one.round == pairing.round]
    before_last = draw[-1].round - pairing.round
    text = titles[before_last][len(of_round) > 1] if before_last < len(titles) else other
    return text % {"round": pairing.round, "number": of_round.index(pairing.number) + 1}
