"""Bots' picks: fixed forever in a version, legal, and without any source but the arguments.

`python -m tests.games.bots.test_bots` writes the picks again, after a change of the version. The
verifier page's tests read them too.
"""

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.bots.bots import STRENGTHS, VERSION, bot_pick, pick_action, weigh_columns
from games.engine.game import Picks, Side
from games.engine.record import GameRecord, replay
from games.engine.registry import all_games, find_game, read_options
from games.solver.positions import read_position
from tests.games.solver.sampling import CLASSIC, SIMULTANEOUS, SINGLE_SELECTOR, Sample, random_sample

FILE = Path(__file__).with_name("picks.ndjson")
FULL_STRENGTH = 5
strengths = st.sampled_from(sorted(STRENGTHS.keys() - {FULL_STRENGTH}))


class FixedPick(msgspec.Struct, frozen=True):
    """A pick after `turns`, and the weights of the columns that it is drawn from; empty if not compared."""

    game: str
    options: dict[str, Any]
    turns: tuple[dict[str, int], ...]
    side: Side
    strength: int
    seed: str
    pick: int
    weights: list[int]


def recompute(fixed: FixedPick) -> FixedPick:
    replayed = replay(GameRecord(fixed.game, fixed.options, fixed.turns))
    pick = pick_action(replayed.game, replayed.state, fixed.side, fixed.strength, fixed.seed)
    position = read_position(replayed.state)
    weights: list[int] = []
    if position and fixed.strength < FULL_STRENGTH:
        weights = weigh_columns(position, fixed.side, fixed.strength, fixed.seed)
    return msgspec.structs.replace(fixed, pick=pick, weights=weights)


def test_picks_of_version_2_never_change() -> None:
    assert VERSION == 2
    for line in FILE.read_bytes().splitlines():
        fixed = msgspec.json.decode(line, type=FixedPick)
        again = recompute(fixed)
        assert again.pick == fixed.pick
        assert again.weights == pytest.approx(fixed.weights, rel=0, abs=1)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    slug = draw(st.sampled_from([SIMULTANEOUS, SINGLE_SELECTOR, CLASSIC]))
    return random_sample(slug, draw(st.integers(6, 36)), Random(draw(st.integers(0))))


@given(samples(), samples(), strengths, st.integers(0, 2**32).map(str))
def test_pick_depends_on_its_arguments_only(sample: Sample, other: Sample, strength: int, seed: str) -> None:
    mover = sample.game.to_move(sample.state)[-1]
    first = bot_pick(sample.position, mover, strength, seed)
    bot_pick(other.position, other.game.to_move(other.state)[-1], 4, seed)  # fills the solver's table
    assert bot_pick(sample.position, mover, strength, seed) == first


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


if __name__ == "__main__":
    fixed_picks = [msgspec.json.decode(line, type=FixedPick) for line in FILE.read_bytes().splitlines()]
    FILE.write_bytes(b"".join(msgspec.json.encode(recompute(one)) + b"\n" for one in fixed_picks))
