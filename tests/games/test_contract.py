"""The contract that every built-in game fulfills."""

from functools import partial
from reprlib import repr as short_repr
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.errors import IllegalPick
from games.engine.game import (
    GAME_OVER,
    SIDES,
    Board,
    Game,
    Picks,
    Resolution,
    Side,
    check_picks,
    insert_team_names,
    other_side,
)
from games.engine.registry import BUILT_IN, find_game, read_options

LONGEST = 200
NAMES: dict[Side, str] = {"red": "Rooks", "yellow": "Doves"}
games = st.sampled_from(sorted(BUILT_IN)).map(find_game)
anything = st.one_of(st.integers(-3, 99), st.booleans(), st.floats(), st.text(max_size=2), st.just([1]))


def draw_picks(data: st.DataObject, game: Game[Any], state: Any, passes: bool) -> Picks:
    """One legal action for each side to move, or sometimes a pass."""
    legal = {side: game.legal_actions(state, side) for side in game.to_move(state)}
    assert all(own and min(own) >= 1 for own in legal.values())
    nothing = (None,) if passes else ()
    return Picks(**{side: data.draw(st.sampled_from((*own, *nothing))) for side, own in legal.items()})


@given(st.data(), games, st.integers(0, 10**12), st.booleans())
def test_legal_play_is_valid_and_ends(data: st.DataObject, game: Game[Any], lot: int, passes: bool) -> None:
    state = game.start(game.draw_lots(read_options(game, {}), lot))
    turns = 0
    while game.to_move(state) and turns < LONGEST:
        before, earlier = game.view(state, None), state
        state, resolution = game.resolve(state, draw_picks(data, game, state, passes))
        check_board(game.view(state, None))
        assert resolution.result == game.result(state)
        assert resolution.before is None or resolution.before == before.drawing
        if before.vote == "concealed":
            check_secret(game, earlier, state)
            assert resolution == Resolution(result="open")
        assert all("{" not in insert_team_names(sentence, NAMES) for sentence in resolution.sentences)
        turns += 1
    assert passes or turns < LONGEST
    assert (game.result(state) == "open") == bool(game.to_move(state))
    if not game.to_move(state):
        check_closed(game, state)


def check_closed(game: Game[Any], state: Any) -> None:
    assert [game.legal_actions(state, side) for side in SIDES] == [(), ()]
    for picks in (Picks(), Picks(red=1), Picks(yellow=1), Picks(1, 1)):
        with pytest.raises(IllegalPick, match=rf"^{GAME_OVER}$"):
            game.resolve(state, picks)


def check_secret(game: Game[Any], before: Any, state: Any) -> None:
    """A concealed pick changes only which side is next; nothing reveals the pick."""
    (moved,) = game.to_move(before)
    other = other_side(moved)
    assert game.to_move(state) == (other,)
    assert game.legal_actions(state, other) == game.legal_actions(before, moved)
    assert game.legal_actions(state, moved) == ()
    for viewer in (None, *SIDES):
        assert game.view(state, viewer) == msgspec.structs.replace(game.view(before, None), vote="open")


def check_board(board: Board) -> None:
    assert msgspec.json.decode(msgspec.json.encode(board, enc_hook=str), type=Board) == board
    assert board.kind == ("drawn" if board.drawing else "columns")
    assert len(board.choices) in ((board.columns,) if board.drawing else (0,))
    if board.drawing:
        names = [mark.name for mark in board.drawing.marks]
        assert len(set(names)) == len(names)
        assert "{" not in insert_team_names(board.drawing.words, NAMES)


@given(st.data(), games, st.integers(0, 10**12), st.integers(0, 60), anything)
def test_illegal_pick_fails(data: st.DataObject, game: Game[Any], lot: int, turns: int, pick: Any) -> None:
    state = game.start(game.draw_lots(read_options(game, {}), lot))
    while game.to_move(state) and (turns := turns - 1) >= 0:
        state, _ = game.resolve(state, draw_picks(data, game, state, passes=True))
    before = game.view(state, None)
    for side in SIDES:
        if type(pick) is not int or pick not in game.legal_actions(state, side):
            for refuse in (game.resolve, partial(check_picks, game)):
                with pytest.raises(IllegalPick) as refusal:
                    refuse(state, Picks(**{side: pick}))
                assert str(refusal.value).startswith((f"{side} picks {short_repr(pick)}: ", GAME_OVER))
    assert game.view(state, None) == before


@given(games, st.integers(0, 10**12))
def test_game_drawn_lot_is_kept_in_options(game: Game[Any], lot: int) -> None:
    options = game.draw_lots(read_options(game, {}), lot)
    kept = read_options(game, msgspec.to_builtins(options))
    assert game.draw_lots(kept, lot + 1) == options
    assert game.view(game.start(kept), None) == game.view(game.start(options), None)
