"""Who meets whom: properties that hold for every number of teams."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.cups.pairing import Draw, Pairing, WinnerOf, knock_out, league

numbers_of_teams = st.integers(2, 32)


def round_of(draw: Draw, number: int) -> list[Pairing]:
    return [pairing for pairing in draw if pairing.round == number]


def seeds_in(pairings: list[Pairing]) -> list[int]:
    return [seat for pairing in pairings for seat in (pairing.red, pairing.yellow) if isinstance(seat, int)]


def play_out(draw: Draw, teams: int) -> dict[int, tuple[int, int]]:
    """Who meets in each pairing if the better seed always wins."""
    met: dict[int, tuple[int, int]] = {}
    for pairing in draw:
        seats = [
            min(met[seat.pairing]) if isinstance(seat, WinnerOf) else seat
            for seat in (pairing.red, pairing.yellow)
        ]
        met[pairing.number] = (seats[0], seats[1])
    return met


@given(numbers_of_teams)
def test_a_knock_out_puts_all_but_one_out(teams: int) -> None:
    draw = knock_out(teams)
    assert [pairing.number for pairing in draw] == list(range(1, teams))
    assert sorted(seeds_in(list(draw))) == list(range(1, teams + 1))
    fed = [seat.pairing for one in draw for seat in (one.red, one.yellow) if isinstance(seat, WinnerOf)]
    assert sorted(fed) == list(range(1, teams - 1))
    assert all(seat < one.number for one in draw for seat in fed_into(one))


def fed_into(pairing: Pairing) -> list[int]:
    return [seat.pairing for seat in (pairing.red, pairing.yellow) if isinstance(seat, WinnerOf)]


@given(numbers_of_teams)
def test_the_top_seeds_have_the_byes(teams: int) -> None:
    draw = knock_out(teams)
    first = sorted(seeds_in(round_of(draw, 1)))
    byes = teams - len(first)
    assert first == list(range(byes + 1, teams + 1))
    assert len(first) + 2 * byes == 2 ** draw[-1].round
    assert set(range(1, byes + 1)) <= set(seeds_in(round_of(draw, 2)))


@given(numbers_of_teams)
def test_the_better_two_seeds_are_the_later_they_meet(teams: int) -> None:
    draw = knock_out(teams)
    met = play_out(draw, teams)
    for pairing in draw:
        left = 2 ** (draw[-1].round - pairing.round + 1)
        assert sum(met[pairing.number]) == left + 1


@given(numbers_of_teams)
def test_a_place_in_a_round_follows_from_the_places_before(teams: int) -> None:
    draw = knock_out(teams)
    for pairing in draw:
        places = [draw[number - 1].place for number in fed_into(pairing)]
        assert all(place // 2 == pairing.place for place in places)


def test_four_teams_by_name() -> None:
    assert knock_out(4) == (
        Pairing(1, 1, 0, 1, 4),
        Pairing(2, 1, 1, 2, 3),
        Pairing(3, 2, 0, WinnerOf(1), WinnerOf(2)),
    )


@given(numbers_of_teams)
def test_in_a_league_everyone_meets_everyone_once(teams: int) -> None:
    draw = league(teams)
    pairs = Counter(frozenset(seeds_in([pairing])) for pairing in draw)
    assert pairs == Counter(map(frozenset, combinations(range(1, teams + 1), 2)))
    assert [pairing.number for pairing in draw] == list(range(1, len(pairs) + 1))


@given(numbers_of_teams)
def test_in_a_round_of_a_league_nobody_plays_twice_and_at_most_one_rests(teams: int) -> None:
    draw = league(teams)
    assert draw[-1].round == teams - 1 + teams % 2
    for number in range(1, draw[-1].round + 1):
        playing = seeds_in(round_of(draw, number))
        assert len(playing) == len(set(playing)) == teams - teams % 2


@given(numbers_of_teams)
def test_everyone_plays_as_often_on_either_side(teams: int) -> None:
    reds = Counter(pairing.red for pairing in league(teams))
    yellows = Counter(pairing.yellow for pairing in league(teams))
    assert all(abs(reds[seed] - yellows[seed]) <= 1 for seed in range(1, teams + 1))


@pytest.mark.parametrize("drawn", [knock_out, league])
def test_of_one_team_nothing_is_drawn(drawn: object) -> None:
    assert callable(drawn)
    assert drawn(1) == ()
