"""Properties of any sequence of legal joint actions, checked without the code of the rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from games.engine.game import SIDES, Board, Game, Picks, Resolution, Side, other_side
from games.engine.registry import find_game, read_options
from games.rules.columns import SIDE_MARK

SIMULTANEOUS = find_game("simultaneous-captains-mistress")
CLASSIC = find_game("captains-mistress")
SELECTOR = find_game("single-selector")
SWAP_COLORS = str.maketrans("RY", "YR")
LOTS = {SIMULTANEOUS.slug: "token", CLASSIC.slug: "first"}
columns, sides, ties = st.sampled_from([7, 6]), st.sampled_from(SIDES), st.sampled_from(["holder", "other"])
selector_options = st.fixed_dictionaries({"columns": columns, "token": sides, "tie": ties})


@dataclass
class Play:
    game: Game[Any]
    options: dict[str, Any]
    turns: list[Picks]
    states: list[Any]
    resolutions: list[Resolution]

    @property
    def boards(self) -> list[Board]:
        return [self.game.view(state, None) for state in self.states]

    @property
    def steps(self) -> Iterator[tuple[Board, Picks, Resolution, Board]]:
        """Each turn with the boards before and after it."""
        boards = self.boards
        return zip(boards[:-1], self.turns, self.resolutions, boards[1:], strict=True)


def play(game: Game[Any], options: dict[str, Any], turns: list[Picks]) -> Play:
    states, resolutions = [game.start(read_options(game, options))], []
    for picks in turns:
        state, resolution = game.resolve(states[-1], picks)
        states.append(state)
        resolutions.append(resolution)
    return Play(game, options, turns, states, resolutions)


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """A play of either game, with legal joint actions drawn turn by turn."""
    game = draw(st.sampled_from([SIMULTANEOUS, CLASSIC]))
    options: dict[str, Any] = {"columns": draw(columns), LOTS[game.slug]: draw(sides)}
    if game is SIMULTANEOUS:
        options["tie"] = draw(ties)
    turns: list[Picks] = []
    state, length = game.start(read_options(game, options)), draw(st.integers(0, 60))
    while game.result(state) == "open" and len(turns) < length:
        choices = {side: [*game.legal_actions(state, side), None] for side in game.to_move(state)}
        turns.append(Picks(**{side: draw(st.sampled_from(own)) for side, own in choices.items()}))
        state, _ = game.resolve(state, turns[-1])
    return play(game, options, turns)


def cells(board: Board) -> dict[tuple[int, int], str]:
    rows = enumerate(reversed(board.grid), 1)
    return {(column, row): char for row, line in rows for column, char in enumerate(line, 1)}


def cells_in_fours(board: Board, char: str) -> set[tuple[int, int]]:
    """Brute force over every window of four cells."""
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
    for state, board in zip(played.states, played.boards, strict=True):
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


@given(plays())
def test_resolve_is_deterministic_and_leaves_old_states_unchanged(played: Play) -> None:
    frozen = msgspec.json.encode(played.boards)
    again = play(played.game, played.options, played.turns)
    assert (again.states, again.resolutions) == (played.states, played.resolutions)
    assert msgspec.json.encode(played.boards) == frozen
    assert hash(played.states[0]) == hash(again.states[0])


@given(plays())
def test_mirrored_play_has_mirrored_result(played: Play) -> None:
    width = played.options["columns"]

    def flip(column: int | None) -> int | None:
        return column and width + 1 - column

    turns = [Picks(flip(picks.red), flip(picks.yellow)) for picks in played.turns]
    mirrored = play(played.game, played.options, turns)
    for board, image in zip(played.boards, mirrored.boards, strict=True):
        assert image.grid == tuple(line[::-1] for line in board.grid)
        assert image.token == board.token
        assert {(flip(c), r) for c, r in image.winning_cells} == set(board.winning_cells)
        assert {(flip(c), r) for c, r in image.losing_cells} == set(board.losing_cells)
    assert [turn.result for turn in mirrored.resolutions] == [turn.result for turn in played.resolutions]


@given(plays())
def test_color_swapped_play_has_swapped_result(played: Play) -> None:
    lot = LOTS[played.game.slug]
    options = played.options | {lot: other_side(played.options[lot])}
    turns = [Picks(red=picks.yellow, yellow=picks.red) for picks in played.turns]
    swapped = play(played.game, options, turns)
    for board, image in zip(played.boards, swapped.boards, strict=True):
        assert image.grid == tuple(line.translate(SWAP_COLORS) for line in board.grid)
        assert image.token == (board.token and other_side(board.token))
        assert (image.winning_cells, image.losing_cells) == (board.winning_cells, board.losing_cells)
    for resolution, image_resolution in zip(played.resolutions, swapped.resolutions, strict=True):
        result = resolution.result
        assert image_resolution.result == (other_side(result) if result in ("red", "yellow") else result)


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
