"""Properties of any sequence of legal joint actions, checked without the code of the rules."""

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
selector_options = st.fixed_dictionaries(
    {
        "columns": st.sampled_from([7, 6]),
        "token": st.sampled_from(SIDES),
        "tie": st.sampled_from(["holder", "other"]),
    }
)
LOTS = {SIMULTANEOUS.slug: "token", CLASSIC.slug: "first"}


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


def play(game: Game[Any], options: dict[str, Any], turns: list[Picks]) -> Play:
    states, resolutions = [game.start(read_options(game, options))], []
    for picks in turns:
        state, resolution = game.resolve(states[-1], picks)
        states.append(state)
        resolutions.append(resolution)
    return Play(game, options, turns, states, resolutions)


@st.composite
def plays(draw: st.DrawFn, passes: bool = True, to_the_end: bool = False) -> Play:
    """A play of either game, with legal joint actions drawn turn by turn."""
    game = draw(st.sampled_from([SIMULTANEOUS, CLASSIC]))
    options: dict[str, Any] = {"columns": draw(st.sampled_from([7, 6])), LOTS[game.slug]: draw(sides)}
    if game is SIMULTANEOUS:
        options["tie"] = draw(st.sampled_from(["holder", "other"]))
    turns: list[Picks] = []
    state = game.start(read_options(game, options))
    length = 60 if to_the_end else draw(st.integers(0, 60))
    while game.result(state) == "open" and len(turns) < length:
        picks = {}
        for side in game.to_move(state):
            choices = st.sampled_from(game.legal_actions(state, side))
            picks[side] = draw(st.one_of(choices, st.none()) if passes else choices)
        turns.append(Picks(**picks))
        state, _ = game.resolve(state, turns[-1])
    return play(game, options, turns)


sides = st.sampled_from(SIDES)


def cell(board: Board, column: int, row: int) -> str:
    return board.grid[board.rows - row][column - 1]


def cells_in_fours(board: Board, char: str) -> set[tuple[int, int]]:
    """Brute force over every window of four cells."""
    found: set[tuple[int, int]] = set()
    for column in range(1, board.columns + 1):
        for row in range(1, board.rows + 1):
            for dc, dr in ((0, 1), (1, 0), (1, 1), (-1, 1)):
                four = [(column + dc * i, row + dr * i) for i in range(4)]
                inside = all(1 <= c <= board.columns and 1 <= r <= board.rows for c, r in four)
                if inside and all(cell(board, c, r) == char for c, r in four):
                    found.update(four)
    return found


def count(board: Board, chars: str) -> int:
    return sum(line.count(char) for line in board.grid for char in chars)


@given(plays())
def test_board_has_no_floating_checkers(played: Play) -> None:
    for board in played.boards:
        assert all(len(line) == board.columns for line in board.grid)
        for column in range(1, board.columns + 1):
            stack = "".join(cell(board, column, row) for row in range(1, board.rows + 1))
            assert "." not in stack.rstrip(".")
            assert set(stack) <= set(".RY")


@given(plays())
def test_drop_adds_one_checker_and_changes_nothing_else(played: Play) -> None:
    for before, after, resolution in zip(played.boards, played.boards[1:], played.resolutions, strict=False):
        fallen = {(d.column, d.row): SIDE_MARK[d.side] for d in resolution.drops if d.row}
        for column in range(1, before.columns + 1):
            for row in range(1, before.rows + 1):
                expected = fallen.get((column, row), cell(before, column, row))
                assert cell(after, column, row) == expected
        assert count(after, "RY") == count(before, "RY") + len(fallen)


@given(plays())
def test_pick_drops_unless_conflict_filled_the_column(played: Play) -> None:
    for board, picks, resolution in zip(played.boards, played.turns, played.resolutions, strict=False):
        assert {d.side: d.column for d in resolution.drops} == {s: picks.of(s) for s in SIDES if picks.of(s)}
        for drop in resolution.drops:
            if drop.row is None:
                assert resolution.conflict == drop.column
                assert cell(board, drop.column, board.rows - 1) != "."
                assert resolution.drops[-1] == drop


@given(plays())
def test_token_passes_only_on_conflict(played: Play) -> None:
    for picks, resolution, board in zip(played.turns, played.resolutions, played.boards[1:], strict=True):
        conflict = picks.red if picks.red is not None and picks.red == picks.yellow else None
        assert resolution.conflict == conflict
        assert resolution.token_after == board.token
        if played.game is CLASSIC:
            assert board.token is None
            continue
        assert resolution.token_before is not None
        assert resolution.token_after == (
            other_side(resolution.token_before) if conflict else resolution.token_before
        )
        if conflict:
            assert resolution.drops[0].side == resolution.token_before


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
    for index, resolution in enumerate(played.resolutions):
        board = played.boards[index + 1]
        fours = {side: cells_in_fours(board, SIDE_MARK[side]) for side in SIDES}
        winners = [side for side in SIDES if fours[side]]
        result = resolution.result
        assert played.game.result(played.states[index + 1]) == result
        if len(winners) == 2:
            assert resolution.token_before is not None
            holds = played.options["tie"] == "holder"
            assert result == (resolution.token_before if holds else other_side(resolution.token_before))
        elif winners:
            assert result == winners[0]
        else:
            assert result == ("open" if "." in board.grid[0] else "draw")
        won, lost = (
            (fours[result], fours[other_side(result)]) if result in ("red", "yellow") else (set(), set())
        )
        assert (board.winning_cells, board.losing_cells) == (tuple(sorted(won)), tuple(sorted(lost)))
        assert {c for line in resolution.lines for c in line} == won
        assert {c for line in resolution.losing_lines for c in line} == lost


@given(plays())
def test_resolution_reports_each_full_line_once(played: Play) -> None:
    for resolution, board in zip(played.resolutions, played.boards[1:], strict=True):
        lines = (*resolution.lines, *resolution.losing_lines)
        assert len(set(lines)) == len(lines)
        for line in lines:
            (c0, r0), (c1, r1) = line[:2]
            step = (c1 - c0, r1 - r0)
            assert [(c0 + step[0] * i, r0 + step[1] * i) for i in range(len(line))] == list(line)
            char = cell(board, *line[0])
            for c, r in ((c0 - step[0], r0 - step[1]), (line[-1][0] + step[0], line[-1][1] + step[1])):
                if 1 <= c <= board.columns and 1 <= r <= board.rows:
                    assert cell(board, c, r) != char


@given(plays())
def test_resolve_is_deterministic_and_leaves_old_states_unchanged(played: Play) -> None:
    frozen = [msgspec.json.encode(board) for board in played.boards]
    again = play(played.game, played.options, played.turns)
    assert again.states == played.states
    assert again.resolutions == played.resolutions
    assert [msgspec.json.encode(board) for board in played.boards] == frozen
    assert len({hash(state) for state in (played.states[0], again.states[0])}) == 1


@given(plays())
def test_mirrored_play_has_mirrored_result(played: Play) -> None:
    width = played.options["columns"]

    def flip(column: int | None) -> int | None:
        return None if column is None else width + 1 - column

    turns = [Picks(flip(picks.red), flip(picks.yellow)) for picks in played.turns]
    mirrored = play(played.game, played.options, turns)
    for board, image in zip(played.boards, mirrored.boards, strict=True):
        assert image.grid == tuple(line[::-1] for line in board.grid)
        assert image.token == board.token
        for cells, image_cells in (
            (board.winning_cells, image.winning_cells),
            (board.losing_cells, image.losing_cells),
        ):
            assert set(image_cells) == {(width + 1 - c, r) for c, r in cells}
    assert [resolution.result for resolution in mirrored.resolutions] == [
        resolution.result for resolution in played.resolutions
    ]


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
        result = (
            other_side(resolution.result) if resolution.result in ("red", "yellow") else resolution.result
        )
        assert image_resolution.result == result


@given(plays(passes=False, to_the_end=True))
def test_play_without_passes_ends_within_board_size(played: Play) -> None:
    cells = played.options["columns"] * 6
    assert played.game.result(played.states[-1]) != "open"
    assert len(played.turns) <= cells
    assert count(played.boards[-1], "RY") <= cells


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
