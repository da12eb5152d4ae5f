"""Bots' picks: fixed forever in a version, legal, and without any source but the arguments."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.bots.bots import STRENGTHS, VERSION, bot_pick, pick_action
from games.engine.game import Picks, Side
from games.engine.registry import all_games, find_game, read_options
from tests.games.bots.fixed_picks import read_fixed_picks, recompute
from tests.games.solver.sampling import CLASSIC, SIMULTANEOUS, SINGLE_SELECTOR, Sample, random_sample

SLUGS = (SIMULTANEOUS, SINGLE_SELECTOR, CLASSIC)
seeds = st.integers(0, 2**32).map(str)
strengths = st.sampled_from(sorted(STRENGTHS.keys() - {5}))


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    return random_sample(draw(st.sampled_from(SLUGS)), draw(st.integers(6, 36)), Random(draw(st.integers(0))))


def mover(sample: Sample) -> Side:
    return sample.game.to_move(sample.state)[-1]


def test_picks_of_version_2_never_change() -> None:
    assert VERSION == 2
    for fixed in read_fixed_picks():
        again = recompute(fixed)
        assert again.pick == fixed.pick
        assert again.weights == pytest.approx(fixed.weights, rel=0, abs=1)


@given(samples(), samples(), strengths, seeds)
def test_bot_pick_depends_on_its_arguments_only(
    sample: Sample, other: Sample, strength: int, seed: str
) -> None:
    first = bot_pick(sample.position, mover(sample), strength, seed)
    bot_pick(other.position, mover(other), 4, seed)  # fills the solver's table
    assert bot_pick(sample.position, mover(sample), strength, seed) == first


@given(st.sampled_from(sorted(all_games())), st.integers(0), strengths)
def test_pick_is_legal_until_the_end_of_any_game(slug: str, lot: int, strength: int) -> None:
    game = find_game(slug)
    state = game.start(game.draw_lots(read_options(game, {}), lot))
    while to_move := game.to_move(state):
        picks = {side: pick_action(game, state, side, strength, f"{lot}") for side in to_move}
        assert all(pick in game.legal_actions(state, side) for side, pick in picks.items())
        state = game.resolve(state, Picks(**picks))[0]


def test_first_pick_of_single_selector_stays_unknown_to_the_bot() -> None:
    game = find_game(SINGLE_SELECTOR)
    start = game.start(game.options(token="red"))
    chosen = [game.resolve(start, Picks(red=column))[0] for column in range(1, 8)]
    assert len({pick_action(game, state, "yellow", 2, "seed") for state in chosen}) == 1
