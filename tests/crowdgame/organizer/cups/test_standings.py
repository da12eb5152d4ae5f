from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.organizer.cups import pairing_status
from crowdgame.organizer.cups.league_table import champions, league_table
from crowdgame.organizer.cups.pairing import CupFormat, Draw, Pairing, WinnerOf, draw_cup, knock_out, league
from crowdgame.organizer.cups.pairing_status import PairingOutcome, PairingResult, PairingStatus, resolve_draw

ONE, TWO = PairingOutcome((1, 0), over=True, winner=1), PairingOutcome((0, 1), over=True, winner=2)
DRAWN = PairingOutcome((0, 0), over=True)


def seeds_in(*pairings: Pairing) -> list[int]:
    return [seat for pairing in pairings for seat in (pairing.red, pairing.yellow) if isinstance(seat, int)]


def fed_into(*pairings: Pairing) -> list[int]:
    seats = [seat for pairing in pairings for seat in (pairing.red, pairing.yellow)]
    return [seat.pairing for seat in seats if isinstance(seat, WinnerOf)]


@given(st.integers(2, 32))
def test_knockout_draw_has_byes_for_top_seeds_who_meet_last(teams: int) -> None:
    draw = knock_out(teams)
    assert [pairing.number for pairing in draw] == list(range(1, teams))
    assert sorted(seeds_in(*draw)) == list(range(1, teams + 1))
    assert sorted(fed_into(*draw)) == list(range(1, teams - 1)), "every winner goes on once"
    first, second = (seeds_in(*(one for one in draw if one.round == number)) for number in (1, 2))
    byes = teams - len(first)
    assert sorted(first) == list(range(byes + 1, teams + 1))
    assert len(first) + 2 * byes == 2 ** draw[-1].round
    assert set(range(1, byes + 1)) <= set(second)
    met: dict[int, list[int]] = {}  # in each pairing, if the better seed always wins
    for pairing in draw:
        met[pairing.number] = seeds_in(pairing) + [min(met[number]) for number in fed_into(pairing)]
        assert sum(met[pairing.number]) == 2 ** (draw[-1].round - pairing.round + 1) + 1
        assert all(draw[number - 1].place // 2 == pairing.place for number in fed_into(pairing))


@given(st.integers(2, 32))
def test_league_draw_pairs_all_teams_once_with_balanced_sides(teams: int) -> None:
    draw = league(teams)
    pairs = Counter(frozenset(seeds_in(pairing)) for pairing in draw)
    assert pairs == Counter(map(frozenset, combinations(range(1, teams + 1), 2)))
    assert [pairing.number for pairing in draw] == list(range(1, len(pairs) + 1))
    assert draw[-1].round == teams - 1 + teams % 2
    for number in range(1, draw[-1].round + 1):
        playing = seeds_in(*(pairing for pairing in draw if pairing.round == number))
        assert len(playing) == len(set(playing)) == teams - teams % 2
    reds, yellows = (Counter(getattr(one, side) for one in draw) for side in ("red", "yellow"))
    assert all(abs(reds[seed] - yellows[seed]) <= 1 for seed in range(1, teams + 1))


@pytest.mark.parametrize(
    ("winners", "best_of", "kind", "expected"),
    [
        ([], 1, CupFormat.KNOCKOUT, PairingOutcome()),
        ([1], 1, CupFormat.KNOCKOUT, ONE),
        ([None], 1, CupFormat.KNOCKOUT, PairingOutcome()),
        ([None, 2], 1, CupFormat.KNOCKOUT, TWO),
        ([None], 1, CupFormat.LEAGUE, DRAWN),
        ([1], 3, CupFormat.LEAGUE, PairingOutcome((1, 0))),
        ([1, 1], 3, CupFormat.LEAGUE, PairingOutcome((2, 0), over=True, winner=1)),
        ([1, None, None], 3, CupFormat.LEAGUE, PairingOutcome((1, 0), over=True, winner=1)),
        ([1, None, None], 3, CupFormat.KNOCKOUT, PairingOutcome((1, 0))),
        ([1, 2], 2, CupFormat.LEAGUE, PairingOutcome((1, 1), over=True)),
        ([1, 2, None], 3, CupFormat.LEAGUE, PairingOutcome((1, 1), over=True)),
    ],
)
def test_pairing_outcome_follows_from_match_winners(
    winners: list[int | None], best_of: int, kind: CupFormat, expected: PairingOutcome
) -> None:
    assert pairing_status.decide_pairing(winners, best_of, kind) == expected


@given(st.lists(st.sampled_from([1, 2, None]), max_size=12), st.integers(1, 7), st.sampled_from(CupFormat))
def test_later_matches_change_no_decision(winners: list[int | None], best_of: int, kind: CupFormat) -> None:
    for played in range(len(winners)):
        early = pairing_status.decide_pairing(winners[:played], best_of, kind)
        if early.over:
            assert pairing_status.decide_pairing(winners, best_of, kind) == early


def play(draw: Draw, rng: Random, kind: CupFormat) -> tuple[PairingStatus, ...]:
    held: dict[int, PairingResult] = {}
    while (due := pairing_status.next_pairing(meetings := resolve_draw(draw, held))) is not None:
        outcome = rng.choice([ONE, TWO] if kind == CupFormat.KNOCKOUT else [ONE, TWO, DRAWN])
        held[due.pairing.number] = PairingResult(due.red or 0, due.yellow or 0, outcome)
    return meetings


@given(st.integers(2, 32), st.randoms(use_true_random=False))
def test_knockout_has_one_unbeaten_champion(teams: int, rng: Random) -> None:
    meetings = play(knock_out(teams), rng, CupFormat.KNOCKOUT)
    (winner,) = champions(CupFormat.KNOCKOUT, range(1, teams + 1), meetings)
    lost = {seed for meeting in meetings for seed in meeting.teams if seed != meeting.winner}
    assert lost == set(range(1, teams + 1)) - {winner}


@given(st.integers(2, 10), st.randoms(use_true_random=False))
def test_league_awards_two_points_per_pairing(teams: int, rng: Random) -> None:
    draw = draw_cup(CupFormat.LEAGUE, teams)
    rows = league_table(range(1, teams + 1), play(draw, rng, CupFormat.LEAGUE))
    assert sum(row.points for row in rows) == 2 * len(draw)
    assert all(row.played == row.won + row.drawn + row.lost == teams - 1 for row in rows)
    assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
    assert all(row.place in {place, before.place} for place, (before, row) in enumerate(pairwise(rows), 2))


def league_of(*outcomes: tuple[int, int, PairingOutcome]) -> list[PairingStatus]:
    draw, held = draw_cup(CupFormat.LEAGUE, 4), {}
    numbers = {(pairing.red, pairing.yellow): pairing.number for pairing in draw}
    for one, two, outcome in outcomes:
        turned = PairingOutcome(outcome.won[::-1], True, outcome.winner and 3 - outcome.winner)
        if (one, two) in numbers:
            held[numbers[one, two]] = PairingResult(one, two, outcome)
        else:
            held[numbers[two, one]] = PairingResult(two, one, turned)
    return list(resolve_draw(draw, held))


def test_equal_points_are_decided_by_direct_pairing() -> None:
    """3 has won more matches than 1, but 1 has beaten 3."""
    clear = PairingOutcome((3, 0), True, 1)
    wins = [(1, 3, ONE), (2, 1, ONE), (3, 2, clear), (1, 4, ONE), (3, 4, ONE), (4, 2, ONE)]
    meetings = league_of(*wins)
    first, second, *_ = league_table(range(1, 5), meetings)
    assert [(row.team, row.place, row.points) for row in (first, second)] == [(1, 1, 4), (3, 2, 4)]
    assert champions(CupFormat.LEAGUE, range(1, 5), meetings) == (1,)


def test_tied_teams_share_a_place_and_unfinished_cup_has_no_champion() -> None:
    assert champions(CupFormat.LEAGUE, range(1, 5), league_of((1, 2, ONE))) == ()
    assert champions(CupFormat.KNOCKOUT, [1, 2], resolve_draw(knock_out(2), {})) == ()
    circle = league_of((1, 2, ONE), (2, 3, ONE), (3, 1, ONE), (1, 4, ONE), (2, 4, ONE), (3, 4, ONE))
    places = {row.team: row.place for row in league_table(range(1, 5), circle)}
    assert places == {1: 1, 2: 1, 3: 1, 4: 4}
    assert champions(CupFormat.LEAGUE, range(1, 5), circle) == (1, 2, 3)


def test_changed_result_reopens_next_round() -> None:
    draw = knock_out(4)
    semifinals = Pairing(1, 1, 0, 1, 4), Pairing(2, 1, 1, 2, 3)
    assert draw == (*semifinals, Pairing(3, 2, 0, WinnerOf(1), WinnerOf(2)))
    assert knock_out(1) == league(1) == ()
    held = {1: PairingResult(1, 4, ONE), 2: PairingResult(2, 3, ONE), 3: PairingResult(1, 2, TWO)}
    assert champions(CupFormat.KNOCKOUT, range(1, 5), resolve_draw(draw, held)) == (2,)
    again = resolve_draw(draw, held | {2: PairingResult(2, 3, TWO)})
    assert (again[2].teams, again[2].outcome) == ((1, 3), PairingOutcome())
    assert (again[2].held, again[2].superseded) == (False, True)
    assert pairing_status.next_pairing(again) == again[2]


def test_begun_pairing_comes_before_pairing_not_begun() -> None:
    draw = knock_out(4)
    meetings = resolve_draw(draw, {2: PairingResult(2, 3, PairingOutcome())})
    assert [meeting.due for meeting in meetings] == [True, True, False]
    assert pairing_status.next_pairing(meetings) == meetings[1]
    assert pairing_status.following_pairing(1, meetings) == meetings[2]
    assert pairing_status.following_pairing(3, meetings) is None
