from functools import partial
from reprlib import repr as short_repr
from typing import Any, Literal, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.errors import IllegalPick
from games.engine.game import (
    GAME_OVER,
    SIDES,
    Board,
    Drawing,
    Game,
    Mark,
    Picks,
    Resolution,
    Side,
    check_picks,
    insert_team_names,
    other_side,
)
from games.engine.registry import BUILT_IN, find_game, read_options
from games.engine.texts import GameText, gettext_noop, translate_drawing, translate_text
from games.rules.columns import SIDE_MARK

LONGEST = 200
NAMES: dict[Side, str] = {"red": "Rooks", "yellow": "Doves"}
games = st.sampled_from(sorted(BUILT_IN)).map(find_game)
anything = st.one_of(st.integers(-3, 99), st.booleans(), st.floats(), st.text(max_size=2), st.just([1]))
GERMAN = {"Trails": "Spuren", "%(red)s bid %(bid)s.": "%(bid)s hat %(red)s geboten."}
SIMULTANEOUS = find_game("simultaneous-captains-mistress")
CLASSIC = find_game("captains-mistress")
SELECTOR = find_game("single-selector")
LOTS = {SIMULTANEOUS.slug: "token", CLASSIC.slug: "first"}
columns, sides, ties = st.sampled_from([7, 6]), st.sampled_from(SIDES), st.sampled_from(["holder", "other"])
selector_options = st.fixed_dictionaries({"columns": columns, "token": sides, "tie": ties})


def draw_picks(data: st.DataObject, game: Game[Any], state: Any, passes: bool) -> Picks:
    """One legal action for each side to move, or sometimes a pass."""
    legal = {side: game.legal_actions(state, side) for side in game.to_move(state)}
    assert all(own and {*own} <= {*range(1, game.view(state, None).columns + 1)} for own in legal.values())
    nothing = (None,) if passes else ()
    return Picks(**{side: data.draw(st.sampled_from((*own, *nothing))) for side, own in legal.items()})


@given(st.data(), games, st.integers(0, 10**12), st.booleans())
def test_legal_play_is_valid_and_ends(data: st.DataObject, game: Game[Any], lot: int, passes: bool) -> None:
    state = game.start(game.draw_lots(read_options(game, {}), lot))
    first, turns = game.view(state, None), 0
    while game.to_move(state) and turns < LONGEST:
        before, earlier = game.view(state, None), state
        state, resolution = game.resolve(state, draw_picks(data, game, state, passes))
        check_board(game.view(state, None), first)
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


def check_board(board: Board, first: Board) -> None:
    """`first` is the first board of the match."""
    assert (board.columns, board.choices) == (first.columns, first.choices)
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


class Play(NamedTuple):
    game: Game[Any]
    options: dict[str, Any]
    states: list[Any]
    steps: list[tuple[Board, Picks, Resolution, Board]]  # each turn with the boards before and after it


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """A play of either game, with legal joint actions drawn turn by turn."""
    game = draw(st.sampled_from([SIMULTANEOUS, CLASSIC]))
    options: dict[str, Any] = {"columns": draw(columns), LOTS[game.slug]: draw(sides)}
    if game is SIMULTANEOUS:
        options["tie"] = draw(ties)
    state, length = game.start(read_options(game, options)), draw(st.integers(0, 60))
    played = Play(game, options, [state], [])
    while game.result(state) == "open" and len(played.steps) < length:
        choices = {side: [*game.legal_actions(state, side), None] for side in game.to_move(state)}
        picks = Picks(**{side: draw(st.sampled_from(own)) for side, own in choices.items()})
        after, resolution = game.resolve(state, picks)
        played.states.append(after)
        played.steps.append((game.view(state, None), picks, resolution, game.view(after, None)))
        state = after
    return played


def cells(board: Board) -> dict[tuple[int, int], str]:
    rows = enumerate(reversed(board.grid), 1)
    return {(column, row): char for row, line in rows for column, char in enumerate(line, 1)}


def cells_in_fours(board: Board, char: str) -> set[tuple[int, int]]:
    grid, found = cells(board), set[tuple[int, int]]()
    for column, row in grid:
        for dc, dr in ((0, 1), (1, 0), (1, 1), (-1, 1)):
            four = [(column + dc * i, row + dr * i) for i in range(4)]
            if all(grid.get(cell) == char for cell in four):
                found.update(four)
    return found


@given(plays())
def test_picks_drop_onto_their_columns_and_change_nothing_else(played: Play) -> None:
    for before, picks, resolution, after in played.steps:
        chosen = {side: column for side in SIDES if (column := picks.of(side))}
        assert {drop.side: drop.column for drop in resolution.drops} == chosen
        grid = cells(before)
        for drop in resolution.drops:
            if drop.row is None:  # the other ball of a conflict filled the column
                assert resolution.conflict == drop.column
                assert resolution.drops[-1] == drop != resolution.drops[0]
                assert grid[drop.column, before.rows] != "."
            else:
                assert grid[drop.column, drop.row] == "."
                assert drop.row == 1 or grid[drop.column, drop.row - 1] != ".", "it floats"
                grid[drop.column, drop.row] = SIDE_MARK[drop.side]
        assert cells(after) == grid
        assert set(grid.values()) <= set(".RY")
        assert len(grid) == played.options["columns"] * after.rows


@given(plays())
def test_token_passes_only_on_conflict(played: Play) -> None:
    for _, picks, resolution, after in played.steps:
        conflict = picks.red if picks.red is not None and picks.red == picks.yellow else None
        assert resolution.conflict == conflict
        assert resolution.token_after == after.token
        if played.game is CLASSIC:
            assert after.token is None
            continue
        holder = resolution.token_before
        assert holder is not None
        assert resolution.token_after == (other_side(holder) if conflict else holder)
        assert not conflict or resolution.drops[0].side == holder


@given(plays())
def test_both_sides_see_the_board_and_pick_columns_with_space(played: Play) -> None:
    for state in played.states:
        board = played.game.view(state, None)
        assert all(played.game.view(state, side) == board for side in SIDES)
        open_columns = tuple(i for i, char in enumerate(board.grid[0], 1) if char == ".")
        movers = played.game.to_move(state)
        for side in SIDES:
            assert played.game.legal_actions(state, side) == (open_columns if side in movers else ())
        if played.game.result(state) != "open":
            assert movers == ()
        else:
            assert open_columns
            assert movers == (SIDES if played.game is SIMULTANEOUS else movers[:1])


@given(plays())
def test_result_matches_brute_force(played: Play) -> None:
    for (_, _, resolution, board), state in zip(played.steps, played.states[1:], strict=True):
        fours = {side: cells_in_fours(board, SIDE_MARK[side]) for side in SIDES}
        winners = [side for side in SIDES if fours[side]]
        result, holder = resolution.result, resolution.token_before
        assert played.game.result(state) == result
        if len(winners) == 2:
            assert holder is not None
            assert result == (holder if played.options["tie"] == "holder" else other_side(holder))
        elif winners:
            assert result == winners[0]
        else:
            assert result == ("open" if "." in board.grid[0] else "draw")
        won, lost = set[tuple[int, int]](), set[tuple[int, int]]()
        if result in ("red", "yellow"):
            won, lost = fours[result], fours[other_side(result)]
        assert (board.winning_cells, board.losing_cells) == (tuple(sorted(won)), tuple(sorted(lost)))
        assert {cell for line in resolution.lines for cell in line} == won
        assert {cell for line in resolution.losing_lines for cell in line} == lost


@given(plays())
def test_resolution_reports_each_full_line_once(played: Play) -> None:
    for _, _, resolution, board in played.steps:
        grid, lines = cells(board), (*resolution.lines, *resolution.losing_lines)
        assert len(set(lines)) == len(lines)
        for line in lines:
            (c, r), (c1, r1) = line[:2]
            beyond = [(c + (c1 - c) * i, r + (r1 - r) * i) for i in range(-1, len(line) + 1)]
            assert tuple(beyond[1:-1]) == line
            assert grid[c, r] not in (grid.get(beyond[0]), grid.get(beyond[-1])), "it is longer"


@given(st.data(), selector_options)
def test_two_half_turns_equal_one_simultaneous_turn(data: st.DataObject, chosen: dict[str, Any]) -> None:
    state = SELECTOR.start(read_options(SELECTOR, chosen))
    same = SIMULTANEOUS.start(read_options(SIMULTANEOUS, chosen))
    while SIMULTANEOUS.result(same) == "open":
        picks: dict[Side, int | None] = {}
        for vote in ("concealed", "open"):
            [side] = SELECTOR.to_move(state)
            assert side == SIMULTANEOUS.view(same, None).token if vote == "concealed" else side not in picks
            assert SELECTOR.view(state, None).vote == vote
            assert SELECTOR.legal_actions(state, side) == SIMULTANEOUS.legal_actions(same, side)
            picks[side] = data.draw(st.sampled_from([*SELECTOR.legal_actions(state, side), None]))
            state, resolution = SELECTOR.resolve(state, Picks(**{side: picks[side]}))
        same, expected = SIMULTANEOUS.resolve(same, Picks(**picks))
        assert resolution == expected
        assert msgspec.structs.replace(SELECTOR.view(state, None), vote=None) == SIMULTANEOUS.view(same, None)
        if all(pick is None for pick in picks.values()):
            return  # both sides could pass forever


def in_german(message: str) -> str:
    return GERMAN.get(message, message)


def mark(kind: Literal["text", "card"]) -> Mark:
    return Mark(name=kind, kind=kind, x=1, y=1, width=1, height=1, text="Trails")


def test_texts_and_drawings_are_translated_but_not_values() -> None:
    assert GameText("%(red)s bid %(bid)s, not %(yellow)s.", bid=3) == "{red} bid 3, not {yellow}."
    translated = translate_text(GameText("%(red)s bid %(bid)s.", bid=3), in_german)
    assert (translated, type(translated)) == ("3 hat {red} geboten.", str)
    assert insert_team_names(translated, {"red": "Möwen", "yellow": "Robben"}) == "3 hat Möwen geboten."
    plain = [translate_text(text, in_german) for text in (gettext_noop("Trails"), "Unknown")]
    assert plain == ["Spuren", "Unknown"]
    drawing = Drawing(width=2, height=2, marks=(mark("text"), mark("card")), words="Trails")
    shown = translate_drawing(drawing, in_german)
    assert ([one.text for one in shown.marks], shown.words) == (["Spuren", "Trails"], "Spuren")
