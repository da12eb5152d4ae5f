"""Conformance cases and golden playthroughs, run through the pure API."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.engine.game import SIDES, Board, Drop, Picks, Resolution, Result, Side, insert_team_names
from games.engine.record import GameRecord, read_record, replay
from games.engine.registry import find_game, read_options
from games.engine.replay_answer import build_answer
from games.rules.columns import Grid

HERE = Path(__file__).parent
CASES = [
    msgspec.json.decode(line)
    for file in (HERE.parent / "rules.ndjson", HERE / "single_selector.ndjson")
    for line in file.read_bytes().splitlines()
]
GOLDEN = (HERE / "golden.ndjson").read_text().splitlines()
NAMES: dict[Side, str] = {"red": "Rooks", "yellow": "Doves"}
SIMULTANEOUS = find_game("simultaneous-captains-mistress")
CLASSIC = find_game("captains-mistress")


class Golden(msgspec.Struct):
    """A playthrough that was reviewed by hand, of a game that draws its own board.

    `boards` is a digest of every drawing before a turn and of the last board.
    """

    game: str
    sentences: list[str]
    words: str
    result: Result
    boards: str


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['game']}: {case['name']}")
def test_conformance_case(case: dict[str, Any]) -> None:
    assert len(CASES) == 91 + 18
    answer = build_answer(replay(read_record(msgspec.json.encode(case))))
    reply, expected = msgspec.json.decode(msgspec.json.encode(answer)), dict(case["expect"])
    refusal, expected_refusal = reply.pop("error"), expected.pop("error", None)
    assert reply == expected
    assert (refusal and refusal["turn"]) == (expected_refusal and expected_refusal["turn"])


@pytest.mark.parametrize("line", GOLDEN, ids=lambda line: msgspec.json.decode(line, type=Golden).game)
def test_golden_playthrough_matches_approved_text(line: str) -> None:
    golden, played = msgspec.json.decode(line, type=Golden), replay(read_record(line))
    assert (played.error, played.result) == (None, golden.result)
    sentences = [" ".join(resolution.sentences) for resolution in played.resolutions]
    assert [insert_team_names(text, NAMES) for text in sentences] == golden.sentences
    assert played.board.drawing
    assert insert_team_names(played.board.drawing.words, NAMES) == golden.words
    boards = [*(turn.before for turn in played.resolutions), played.board]
    assert sha256(msgspec.json.encode(boards, enc_hook=str)).hexdigest()[:16] == golden.boards
    for choice, name in enumerate(played.board.choices, 1):
        assert played.board.action_name(choice) == name
    assert Board(kind="columns", columns=7).action_name(4) == "4"
    if played.result != "open":
        assert [played.game.legal_actions(played.state, side) for side in SIDES] == [(), ()]


@pytest.mark.parametrize(
    ("prizes", "lot", "order"),
    [("rising", 7, (1, 2, 3, 4, 5)), ("falling", 7, (5, 4, 3, 2, 1)), ("lot", 25, (2, 1, 3, 5, 4))],
)
def test_goofspiel_lot_draws_order_of_prizes(prizes: str, lot: int, order: tuple[int, ...]) -> None:
    game = find_game("goofspiel")
    drawn = game.draw_lots(read_options(game, {"cards": 5, "prizes": prizes}), lot)
    assert tuple(msgspec.to_builtins(drawn)["order"]) == order


@pytest.mark.parametrize("lot", range(4))
def test_lot_decides_open_options(lot: int) -> None:
    for game in (SIMULTANEOUS, find_game("single-selector")):
        drawn = game.draw_lots(read_options(game, {"token": "lot"}), lot)
        assert game.view(game.start(drawn), None).token == SIDES[lot % 2]
    first = CLASSIC.draw_lots(CLASSIC.options(), lot)
    assert CLASSIC.to_move(CLASSIC.start(first)) == (SIDES[lot % 2],)


def replayed_turns(slug: str, *turns: dict[str, Any], **options: str) -> tuple[Resolution, ...]:
    return tuple(replay(GameRecord(slug, options, turns)).resolutions)


def test_winning_line_is_reported_at_full_length() -> None:
    columns = ((1, 7), (2, 7), (3, 7), (5, 6), (4, 0))
    turns: list[dict[str, Any]] = [
        {side: column} for pair in columns for side, column in zip(SIDES, pair, strict=True) if column
    ]
    last = replayed_turns(CLASSIC.slug, *turns, first="red")[-1]
    assert (last.result, last.lines) == ("red", (((1, 1), (2, 1), (3, 1), (4, 1), (5, 1)),))


def test_lines_of_both_sides_in_one_turn_are_a_double_win() -> None:
    turns = replayed_turns(SIMULTANEOUS.slug, *[{"red": 1, "yellow": 7}] * 4)
    assert [turn.double_win for turn in turns] == [False, False, False, True]
    assert (turns[-1].result, turns[-1].lines) == ("red", (((1, 1), (1, 2), (1, 3), (1, 4)),))
    assert turns[-1].losing_lines == (((7, 1), (7, 2), (7, 3), (7, 4)),)


def test_grid_from_board_equals_state_grid() -> None:
    for game in (SIMULTANEOUS, CLASSIC):
        state = game.start(game.draw_lots(game.options(), 0))
        for column in (1, 1, 4):
            state, _ = game.resolve(state, Picks(**{game.to_move(state)[0]: column}))
        assert Grid.from_board(game.view(state, None)) == state.grid


def test_block_is_a_ball_in_the_other_sides_winning_cell() -> None:
    grid = Grid(6, ("R", "R", "R", "", "", "", ""))
    block = Drop("yellow", 4, 1)
    assert grid.find_block([Drop("red", 6, 1), block]) == block
    assert grid.find_block([Drop("red", 4, 1), Drop("yellow", 4, 2)]) is None
    assert grid.find_block([Drop("yellow", 4, None)]) is None


def test_turn_with_block_reports_it() -> None:
    block = Drop("yellow", 4, 1)
    alternating = [{"red": 1}, {"yellow": 7}, {"red": 2}, {"yellow": 7}, {"red": 3}, {"yellow": 4}]
    together = [{"red": red, "yellow": yellow} for red, yellow in ((1, 7), (2, 7), (3, 6), (5, 4))]
    for turns in (
        replayed_turns(CLASSIC.slug, *alternating, first="red"),
        replayed_turns(SIMULTANEOUS.slug, *together),
    ):
        assert [turn.block for turn in turns[-2:]] == [None, block]
