"""Third-party games, found through package entry points."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from games.engine import registry
from games.engine.errors import BadOptions, UnknownGame
from games.engine.game import Board, Picks
from games.engine.record import read_record, replay
from games.engine.registry import all_games, find_game, game_title, read_options
from games.engine.replay_answer import build_answer

BUILT_IN = ["simultaneous-captains-mistress", "single-selector", "captains-mistress", "goofspiel", "trails"]
GUIDE = Path(__file__).parents[2] / "docs" / "write-a-game.md"
ENTRY_POINT = "[crowdgame.games]\nstone = stone_game:GAME\n"
BROKEN_ENTRY_POINTS = """\
captains-mistress = stone_game:GAME
gone = stone_game:gone
absent = absent_module_of_stone:GAME
misnamed = stone_game:GAME
"""


def clear_registry_caches() -> None:
    registry.all_games.cache_clear()
    registry._entries.cache_clear()
    registry._load.cache_clear()


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
    sys.modules.pop("stone_game", None)
    clear_registry_caches()


def test_registry_lists_built_in_games_in_order(third_party: Path) -> None:
    assert list(all_games()) == [*BUILT_IN, "stone"]
    assert all(game.slug == slug for slug, game in all_games().items())
    assert (game_title("trails"), game_title("removed-game")) == ("Trails", "removed-game")


def test_registry_third_party_game_is_playable(third_party: Path) -> None:
    """The example game in docs/write-a-game.md can be played as printed."""
    game, rng = find_game("stone"), Random(1)
    state = game.start(game.options())
    while sides := game.to_move(state):
        board = game.view(state, None)
        assert msgspec.json.decode(msgspec.json.encode(board), type=Board) == board
        picks = {side: rng.choice(game.legal_actions(state, side)) for side in sides}
        state, resolution = game.resolve(state, Picks(**picks))
        assert resolution.result == game.result(state)
    assert 3 in (state.red, state.yellow)


@pytest.mark.parametrize(
    ("red", "yellow", "winner"),
    [(1, 2, "red"), (2, 3, "red"), (3, 1, "red"), (2, 1, "yellow"), (1, 1, None), (None, 1, "yellow")],
)
def test_third_party_game_scores_the_winning_pick(
    third_party: Path, red: int | None, yellow: int, winner: str | None
) -> None:
    record = {"game": "stone", "options": {"points": 1}, "turns": [{"red": red, "yellow": yellow}]}
    played = replay(read_record(msgspec.json.encode(record)))
    assert build_answer(played).result == (winner or "open")
    (resolution,) = played.resolutions
    assert resolution.sentences == (
        f"{{{winner}}} takes the point." if winner else "Nobody takes the point.",
    )


@pytest.mark.parametrize("slug", ["gone", "absent", "misnamed"])
def test_registry_names_broken_package_and_keeps_other_games(third_party: Path, slug: str) -> None:
    (third_party / "entry_points.txt").write_text(ENTRY_POINT + BROKEN_ENTRY_POINTS)
    clear_registry_caches()
    with pytest.raises(UnknownGame, match=slug):
        find_game(slug)
    with pytest.raises(UnknownGame):
        all_games()
    assert find_game("captains-mistress").title == "Captain's Mistress", "not that of the package"


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


@pytest.mark.parametrize(
    ("slug", "raw"), [("simultaneous-captains-mistress", {"token": "lot"}), ("captains-mistress", {})]
)
def test_game_start_requires_drawn_lot(slug: str, raw: object) -> None:
    game = find_game(slug)
    with pytest.raises(BadOptions, match="not drawn yet"):
        game.start(read_options(game, raw))
