"""What a simulated crowd votes for, and when."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.rehearsal.profile import PROFILES, Profile, draw_moments
from crowdgame.rehearsal.verdict import draw_mood
from games.engine.game import SIDES, Side
from games.engine.registry import find_game, read_options
from tests.voting.positions import SIMULTANEOUS, a_turn, after
from voting.counting.methods.voting_method import METHODS


@pytest.mark.parametrize("moves", [((1, 7), (1, 7), (1, 6)), ((7, 1), (7, 1), (6, 1))])
def test_crowd_completes_its_own_four_and_blocks_its_opponents(moves: tuple[tuple[int, int], ...]) -> None:
    """Most of a hundred crowds, each picking by plurality."""
    state, picks = after(*moves), Counter[int]()
    for seed in range(100):
        rng = Random(seed)
        mood = draw_mood(SIMULTANEOUS.view(state, None), a_turn(state), "red", rng)
        picks[Counter(mood.choose(rng) for _ in range(50)).most_common(1)[0][0]] += 1
    assert picks.most_common(1)[0][0] == 1


@given(st.integers(0, 2**32), st.sampled_from(SIDES))
def test_mood_weights_every_legal_column(seed: int, side: Side) -> None:
    rng = Random(seed)
    state = after(*(((1, 1),) * 3), *(((4, 3),) * rng.randrange(3)))
    mood = draw_mood(SIMULTANEOUS.view(state, None), a_turn(state), side, rng)
    assert mood.columns == (2, 3, 4, 5, 6, 7)
    assert all(weight > 0 for weight in (*mood.board_weights, *mood.random_weights))
    assert mood.choose(rng) in mood.columns


@given(st.integers(0, 2**32), st.sampled_from(sorted(METHODS)))
def test_mood_votes_by_the_tally_method(seed: int, name: str) -> None:
    rng, state = Random(seed), after((1, 7))
    mood = draw_mood(SIMULTANEOUS.view(state, None), a_turn(state), "red", rng)
    choices = [mood.vote(rng, name) for _ in range(20)]
    assert all(METHODS[name].accepts(choice, mood.columns, may_resign=False) for choice in choices)
    assert (max(choices) > 7) is METHODS[name].allows(mood.columns[:2])


@given(st.sampled_from(PROFILES), st.floats(0, 1e13), st.floats(0, 3e9), st.randoms(use_true_random=False))
def test_draw_moments_returns_sorted_moments_within_window(
    profile: Profile, begins: float, length: float, rng: Random
) -> None:
    moments = draw_moments(profile, begins, begins + length, rng)
    assert len(moments) in (1, 2)
    assert moments == sorted(moments)
    assert all(begins <= moment <= begins + length for moment in moments)


def test_profiles_vote_early_late_or_spread() -> None:
    rng = Random(1)
    drawn = {p: sorted(m for _ in range(500) for m in draw_moments(p, 0, 20_000, rng)) for p in PROFILES}
    assert drawn["burst"][-1] <= 2_000
    assert drawn["burst"][len(drawn["burst"]) // 2] > 700
    assert drawn["last-second"][0] > 18_500
    assert drawn["spread"][50] < 5_000
    assert drawn["spread"][-50] > 12_000


@pytest.mark.parametrize("slug", ["goofspiel", "trails"])
def test_mood_covers_all_legal_actions_of_custom_boards(slug: str) -> None:
    game = find_game(slug)
    state = game.start(game.draw_lots(read_options(game, {}), 1))
    mood = draw_mood(game.view(state, None), a_turn(state, game=game), "red", Random(1))
    assert mood.columns == game.legal_actions(state, "red")
    assert {mood.choose(Random(seed)) for seed in range(200)} == set(mood.columns)
