"""Cup draws: properties that hold for every number of teams."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from crowdgame.organizer.cups.pairing import Draw, Pairing, WinnerOf, knock_out, league

numbers_of_teams = st.integers(2, 32)


def round_of(draw: Draw, number: int) -> list[Pairing]:
    return [pairing for pairing in draw if pairing.round == number]


def seeds_in(pairings: list[Pairing]) -> list[int]:
    return [seat for pairing in pairings for seat in (pairing.red, pairing.yellow) if isinstance(seat, int)]


def fed_into(pairing: Pairing) -> list[int]:
    return [seat.pairing for seat in (pairing.red, pairing.yellow) if isinstance(seat, WinnerOf)]


def play_out(draw: Draw) -> dict[int, list[int]]:
    """Who meets in each pairing if the better seed always wins."""
    met: dict[int, list[int]] = {}
    for pairing in draw:
        met[pairing.number] = seeds_in([pairing]) + [min(met[number]) for number in fed_into(pairing)]
    return met


@given(numbers_of_teams)
def test_knockout_draw_feeds_every_winner_onward_once(teams: int) -> None:
    draw = knock_out(teams)
    assert [pairing.number for pairing in draw] == list(range(1, teams))
    assert sorted(seeds_in(list(draw))) == list(range(1, teams + 1))
    assert sorted(seat for one in draw for seat in fed_into(one)) == list(range(1, teams - 1))
    assert all(seat < one.number for one in draw for seat in fed_into(one))


@given(numbers_of_teams)
def test_knockout_draw_gives_byes_to_top_seeds(teams: int) -> None:
    draw = knock_out(teams)
    first = sorted(seeds_in(round_of(draw, 1)))
    byes = teams - len(first)
    assert first == list(range(byes + 1, teams + 1))
    assert len(first) + 2 * byes == 2 ** draw[-1].round
    assert set(range(1, byes + 1)) <= set(seeds_in(round_of(draw, 2)))


@given(numbers_of_teams)
def test_knockout_draw_separates_better_seeds_longest(teams: int) -> None:
    draw = knock_out(teams)
    met = play_out(draw)
    for pairing in draw:
        left = 2 ** (draw[-1].round - pairing.round + 1)
        assert sum(met[pairing.number]) == left + 1
        places = [draw[number - 1].place for number in fed_into(pairing)]
        assert all(place // 2 == pairing.place for place in places)


def test_knockout_draws_of_one_and_four_teams() -> None:
    assert knock_out(1) == league(1) == ()
    assert knock_out(4) == (
        Pairing(1, 1, 0, 1, 4),
        Pairing(2, 1, 1, 2, 3),
        Pairing(3, 2, 0, WinnerOf(1), WinnerOf(2)),
    )


@given(numbers_of_teams)
def test_league_draw_pairs_all_teams_once_with_balanced_sides(teams: int) -> None:
    draw = league(teams)
    pairs = Counter(frozenset(seeds_in([pairing])) for pairing in draw)
    assert pairs == Counter(map(frozenset, combinations(range(1, teams + 1), 2)))
    assert [pairing.number for pairing in draw] == list(range(1, len(pairs) + 1))
    assert draw[-1].round == teams - 1 + teams % 2
    for number in range(1, draw[-1].round + 1):
        playing = seeds_in(round_of(draw, number))
        assert len(playing) == len(set(playing)) == teams - teams % 2
    reds = Counter(pairing.red for pairing in draw)
    yellows = Counter(pairing.yellow for pairing in draw)
    assert all(abs(reds[seed] - yellows[seed]) <= 1 for seed in range(1, teams + 1))
