"""Titles of a cup's rounds and pairings."""

from collections.abc import Mapping

from crowdgame.cups.pairing import CupFormat, Draw, Entrant, Pairing, WinnerOf
from crowdgame.cups.pairing_status import PairingStatus

ROUND_TITLES = ("Final", "Semi-finals", "Quarter-finals")
PAIRING_TITLES = ("Final", "Semi-final", "Quarter-final")


def name_round(kind: CupFormat, draw: Draw, number: int) -> str:
    before_last = draw[-1].round - number
    if kind == CupFormat.LEAGUE or before_last >= len(ROUND_TITLES):
        return f"Round {number}"
    return ROUND_TITLES[before_last]


def name_pairing(kind: CupFormat, draw: Draw, pairing: Pairing) -> str:
    """Return the pairing's title, numbered within the round if that has several."""
    of_round = [one.number for one in draw if one.round == pairing.round]
    within = of_round.index(pairing.number) + 1
    before_last = draw[-1].round - pairing.round
    if kind == CupFormat.LEAGUE or before_last >= len(PAIRING_TITLES):
        return f"Round {pairing.round}, pairing {within}"
    return f"{PAIRING_TITLES[before_last]} {within}" if len(of_round) > 1 else PAIRING_TITLES[before_last]


def name_entrants(
    kind: CupFormat, draw: Draw, names: Mapping[int, str], meeting: PairingStatus
) -> tuple[str, str]:
    """Return the names of both teams. An undecided one reads "Winner of ..."."""

    def name(seat: Entrant, team: int | None) -> str:
        if team is not None:
            return names[team]
        assert isinstance(seat, WinnerOf)  # noqa: S101  a seed is a team from the start
        before = name_pairing(kind, draw, draw[seat.pairing - 1])
        return f"Winner of {before[0].lower()}{before[1:]}"

    return name(meeting.pairing.red, meeting.red), name(meeting.pairing.yellow, meeting.yellow)
