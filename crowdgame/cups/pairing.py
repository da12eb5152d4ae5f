"""Who meets whom in a cup: a bracket, or everyone against everyone. Teams are their seeds, from 1.

A pairing's first team plays red. Pairings are numbered from 1, in the order in which they are due.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Format = Literal["knockout", "league"]


@dataclass(frozen=True, slots=True)
class WinnerOf:
    pairing: int


Entrant = int | WinnerOf


@dataclass(frozen=True, slots=True)
class Pairing:
    """`place` counts from 0 down the round as it is drawn; a bracket's first round leaves out the byes."""

    number: int
    round: int
    place: int
    red: Entrant
    yellow: Entrant


Draw = tuple[Pairing, ...]


def draw_cup(kind: Format, teams: int) -> Draw:
    return DRAWS[kind](teams)


def knock_out(teams: int) -> Draw:
    """Who loses is out. If the bracket has more places than teams, the first seeds begin a round later.

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
    """The seeds down a bracket that is large enough: 1, 4, 3, 2 for three or four teams."""
    places = [1]
    while len(places) < teams:
        both = 2 * len(places) + 1
        places = [seed for place in places for seed in (place, both - place)]
    return places


def _pair_round(seats: list[Entrant | None], pairings: list[Pairing], number: int) -> list[Entrant | None]:
    """Add the round's pairings; who has the seats of the next round."""
    after: list[Entrant | None] = []
    for place, (one, two) in enumerate(zip(seats[::2], seats[1::2], strict=True)):
        if one is None or two is None:
            after.append(one or two)
        else:
            pairings.append(Pairing(len(pairings) + 1, number, place, one, two))
            after.append(WinnerOf(len(pairings)))
    return after


def league(teams: int) -> Draw:
    """Everyone meets everyone once. All but one sit in a circle and move on by a chair each round.

    With an odd number one rests each round. Of two seeds next to each other, or three, five, ... apart, the
    better one plays red, else the other: so everyone plays as often on either side, give or take one.
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


DRAWS: Mapping[Format, Callable[[int], Draw]] = {"knockout": knock_out, "league": league}
