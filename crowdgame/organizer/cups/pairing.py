"""The draw of a cup: a single-elimination bracket (knock-out) or a round robin (league).

Teams are seeds, from 1. A pairing's first team plays red. Pairings are numbered from 1, in the order in which
they are due.
"""

from dataclasses import dataclass

from voting.terms import LabeledEnum


class CupFormat(LabeledEnum):
    """Values:
    knockout: Losers are eliminated.
    league: Everyone plays everyone.
    """

    KNOCKOUT = "knockout"
    LEAGUE = "league"


@dataclass(frozen=True, slots=True)
class WinnerOf:
    """The winner of the pairing with this number, as an entrant of a later round."""

    pairing: int


Entrant = int | WinnerOf


@dataclass(frozen=True, slots=True)
class Pairing:
    """A pairing of two entrants. `place` counts from 0 down the drawn round.

    A bracket's first round has no pairing in the place of a bye.
    """

    number: int
    round: int
    place: int
    red: Entrant
    yellow: Entrant


Draw = tuple[Pairing, ...]


def draw_cup(kind: CupFormat, teams: int) -> Draw:
    """Return the pairings for `teams` teams, in the order in which they are due."""
    return knock_out(teams) if kind == CupFormat.KNOCKOUT else league(teams)


def knock_out(teams: int) -> Draw:
    """Single elimination. If the bracket is not full, the top seeds get a bye in the first round.

    The better two seeds are, the later they can meet: 1 and 2 in the final, 1 to 4 in the semi-finals.
    """
    seats: list[Entrant | None] = [seed if seed <= teams else None for seed in _bracket_seeds(teams)]
    pairings: list[Pairing] = []
    number = 1
    while len(seats) > 1:
        seats = _pair_round(seats, pairings, number)
        number += 1
    return tuple(pairings)


def _bracket_seeds(teams: int) -> list[int]:
    """Return the seeds down a bracket that is large enough: 1, 4, 3, 2 for three or four teams."""
    places = [1]
    while len(places) < teams:
        both = 2 * len(places) + 1
        places = [seed for place in places for seed in (place, both - place)]
    return places


def _pair_round(seats: list[Entrant | None], pairings: list[Pairing], number: int) -> list[Entrant | None]:
    """Append the round's pairings. Returns the entrants of the next round."""
    after: list[Entrant | None] = []
    for place, (one, two) in enumerate(zip(seats[::2], seats[1::2], strict=True)):
        if one is None or two is None:
            after.append(one or two)
        else:
            pairings.append(Pairing(len(pairings) + 1, number, place, one, two))
            after.append(WinnerOf(len(pairings)))
    return after


def league(teams: int) -> Draw:
    """Round robin by the circle method: one team stays, all others move on by one place each round.

    With an odd number of teams, one rests each round. Two seeds an odd distance apart: the better one plays
    red. An even distance: the other one does. So each team's numbers of red and yellow pairings differ by at
    most one.
    """
    chairs: list[int | None] = [*range(1, teams + 1), *([None] if teams % 2 else [])]
    pairings: list[Pairing] = []
    for number in range(1, len(chairs)):
        half = len(chairs) // 2
        across = zip(chairs[:half], reversed(chairs[half:]), strict=True)
        met = [(one, two) for one, two in across if one is not None and two is not None]
        for place, pair in enumerate(met):
            pairings.append(Pairing(len(pairings) + 1, number, place, *_sides(*pair)))
        chairs = [chairs[0], chairs[-1], *chairs[1:-1]]
    return tuple(pairings)


def _sides(one: int, two: int) -> tuple[int, int]:
    better, other = sorted((one, two))
    return (better, other) if (other - better) % 2 else (other, better)
