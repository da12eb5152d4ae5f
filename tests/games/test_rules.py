import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from games.engine import plugins, registry
from games.engine.errors import BadOptions, UnknownGame
from games.engine.game import SIDES, Board, Drop, Picks, Resolution, Result, Side, insert_team_names
from games.engine.record import GameRecord, read_record, replay
from games.engine.registry import all_games, find_game, game_title, read_options
from games.engine.replay_answer import build_answer
from games.rules.columns import Grid

HERE = Path(__file__).parent
FILES = (HERE.parent / "rules.ndjson", HERE / "single_selector.ndjson")
CASES = [msgspec.json.decode(line) for file in FILES for line in file.read_bytes().splitlines()]
GOLDEN = (HERE / "golden.ndjson").read_text().splitlines()
NAMES: dict[Side, str] = {"red": "Rooks", "yellow": "Doves"}
SIMULTANEOUS = find_game("simultaneous-captains-mistress")
CLASSIC = find_game("captains-mistress")
GUIDE = Path(__file__).parents[2] / "docs" / "write-a-game.md"
ENTRY_POINT = "[crowdgame.games]\nstone = stone_game:GAME\n"
BROKEN_MODULES = {
    "garbled_game": "def",
    "failing_game": "1 / 0",
    "type_game": "from stone_game import Stone\nclass GAME(Stone): slug = 'type'",
    "untyped_game": "from stone_game import Stone\nGAME = Stone()\nGAME.slug, GAME.options = 'untyped', dict",
}
BROKEN_ENTRY_POINTS = f"""\
{ENTRY_POINT}captains-mistress = stone_game:GAME
gone = stone_game:gone
absent = absent_module_of_stone:GAME
misnamed = stone_game:GAME
garbled = garbled_game:GAME
failing = failing_game:GAME
type = type_game:GAME
untyped = untyped_game:GAME
"""
BROKEN = ["gone", "absent", "misnamed", "garbled", "failing", "type", "untyped"]


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
def test_lot_decides_open_options_before_the_start(lot: int) -> None:
    for game in (SIMULTANEOUS, find_game("single-selector")):
        drawn = game.draw_lots(read_options(game, {"token": "lot"}), lot)
        assert game.view(game.start(drawn), None).token == SIDES[lot % 2]
    first = CLASSIC.draw_lots(CLASSIC.options(), lot)
    assert CLASSIC.to_move(CLASSIC.start(first)) == (SIDES[lot % 2],)
    for game, options in ((SIMULTANEOUS, {"token": "lot"}), (CLASSIC, {})):
        with pytest.raises(BadOptions, match="not drawn yet"):
            game.start(read_options(game, options))


def replayed_turns(slug: str, *turns: Any, **options: str) -> tuple[Resolution, ...]:
    return tuple(replay(GameRecord(slug, options, turns)).resolutions)


def test_line_of_five_and_lines_of_both_sides_are_reported() -> None:
    columns = ((1, 7), (2, 7), (3, 7), (5, 6), (4, 0))
    turns = [{side: column} for pair in columns for side, column in zip(SIDES, pair, strict=True) if column]
    line = tuple((column, 1) for column in range(1, 6))
    assert replayed_turns(CLASSIC.slug, *turns, first="red")[-1].lines == (line,)
    replayed = replayed_turns(SIMULTANEOUS.slug, *[{"red": 1, "yellow": 7}] * 4)
    assert [turn.double_win for turn in replayed] == [False, False, False, True]


def test_grid_from_board_equals_state_grid() -> None:
    for game in (SIMULTANEOUS, CLASSIC):
        state = game.start(game.draw_lots(game.options(), 0))
        for column in (1, 1, 4):
            state, _ = game.resolve(state, Picks(**{game.to_move(state)[0]: column}))
        assert Grid.from_board(game.view(state, None)) == state.grid


def test_block_is_a_ball_in_the_other_sides_winning_cell_and_reported_with_its_turn() -> None:
    grid = Grid(6, ("R", "R", "R", "", "", "", ""))
    block = Drop("yellow", 4, 1)
    assert grid.find_block([Drop("red", 6, 1), block]) == block
    assert grid.find_block([Drop("red", 4, 1), Drop("yellow", 4, 2)]) is None
    assert grid.find_block([Drop("yellow", 4, None)]) is None
    alternating = [{"red": 1}, {"yellow": 7}, {"red": 2}, {"yellow": 7}, {"red": 3}, {"yellow": 4}]
    together = [{"red": red, "yellow": yellow} for red, yellow in ((1, 7), (2, 7), (3, 6), (5, 4))]
    replayed = replayed_turns(CLASSIC.slug, *alternating, first="red")
    for turns in (replayed, replayed_turns(SIMULTANEOUS.slug, *together)):
        assert [turn.block for turn in turns[-2:]] == [None, block]


def clear_registry_caches() -> None:
    registry.all_games.cache_clear()
    registry._entries.cache_clear()
    plugins.load_plugin.cache_clear()


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The example game of the guide as a package on the path, laid out as pip installs it."""
    info = tmp_path / "stone_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stone-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINT)
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[:1]
    (tmp_path / "stone_game.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    clear_registry_caches()
    yield info
    for name in ("stone_game", *BROKEN_MODULES):
        sys.modules.pop(name, None)
    clear_registry_caches()


def test_registry_lists_games_in_order_and_third_party_game_is_playable(third_party: Path) -> None:
    assert list(all_games()) == [*registry.BUILT_IN, "stone"]
    assert all(game.slug == slug for slug, game in all_games().items())
    assert (game_title("trails"), game_title("removed-game")) == ("Trails", "removed-game")
    game, rng = find_game("stone"), Random(1)
    state = game.start(game.options())
    while sides := game.to_move(state):
        board = game.view(state, None)
        assert msgspec.json.decode(msgspec.json.encode(board), type=Board) == board
        picks = {side: rng.choice(game.legal_actions(state, side)) for side in sides}
        state, resolution = game.resolve(state, Picks(**picks))
        assert resolution.result == game.result(state)
    assert 3 in (state.red, state.yellow)
    with pytest.raises(BadOptions):
        read_options(game, {"points": 0})


def test_registry_logs_broken_packages_and_leaves_them_out(
    third_party: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (third_party / "entry_points.txt").write_text(BROKEN_ENTRY_POINTS)
    for name, code in BROKEN_MODULES.items():
        (third_party.parent / f"{name}.py").write_text(code)
    clear_registry_caches()
    assert list(all_games()) == [*registry.BUILT_IN, "stone"]
    assert find_game("captains-mistress").title == "Captain's Mistress", "not that of the package"
    assert [game.slug for game in registry.broken_games()] == BROKEN
    for slug in BROKEN:
        with pytest.raises(UnknownGame, match=f"^the game '{slug}' cannot be loaded$"):
            find_game(slug)
    logged = [f"crowdgame.games {slug} of the package stone-game cannot be loaded" for slug in BROKEN]
    assert caplog.messages == logged, "once each"


@pytest.mark.parametrize("slug", ["", "chess", None, 3, ["captains-mistress"], {}, "x" * 10_000])
def test_find_game_refuses_unknown_slug_with_short_error(slug: object) -> None:
    with pytest.raises(UnknownGame, match=r"^there is no game called ") as refusal:
        find_game(slug)
    assert len(str(refusal.value)) < 100


@pytest.mark.parametrize("slug", ["simultaneous-captains-mistress", "captains-mistress"])
@pytest.mark.parametrize(
    "raw",
    [
        *(None, [], "columns", {"columns": 8}, {"columns": "7"}, {"columns": 7.0}, {"columns": True}),
        *({"rows": 5}, {"colour": "red"}, {"token": "blue"}, {"first": None}, {"tie": "both"}),
    ],
    ids=repr,
)
def test_read_options_refuses_invalid_options(slug: str, raw: object) -> None:
    with pytest.raises(BadOptions, match=r"[a-z] "):
        read_options(find_game(slug), raw)
