"""Third-party games, found through package entry points."""

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from games.engine import registry
from games.engine.errors import BadOptions, UnknownGame
from games.engine.record import read_record, replay
from games.engine.registry import all_games, find_game, read_options
from games.engine.replay_answer import build_answer

MODULE = """
    import msgspec
    from games.engine.game import Board, Picks, Resolution

    class Options(msgspec.Struct, frozen=True):
        columns: int = 1

    class OnePick:
        slug = "one-pick"
        title = "One pick"
        rules = ""
        options = Options

        def draw_lots(self, options, lot):
            return options

        def start(self, options):
            return ("open", options.columns)

        def to_move(self, state):
            return ("red",) if state[0] == "open" else ()

        def legal_actions(self, state, side):
            return tuple(range(1, state[1] + 1)) if side in self.to_move(state) else ()

        def resolve(self, state, picks):
            after = ("red", state[1])
            return after, Resolution(drops=(), conflict=None, token_before=None, token_after=None,
                                     lines=(), result="red")

        def result(self, state):
            return state[0]

        def view(self, state, side):
            return Board(kind="columns", columns=state[1], rows=1, grid=("." * state[1],), token=None,
                         winning_cells=())

    game = OnePick()
"""
BUILT_IN = ["simultaneous-captains-mistress", "single-selector", "captains-mistress", "goofspiel", "trails"]
ENTRY_POINTS = """
    [crowdgame.games]
    one-pick = one_pick_game:game
    captains-mistress = one_pick_game:game
    gone = one_pick_game:gone
    absent = absent_module_of_one_pick:game
    misnamed = one_pick_game:game
"""


def clear_registry_caches() -> None:
    registry.all_games.cache_clear()
    registry._entries.cache_clear()
    registry._load.cache_clear()


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package on the path, laid out as pip installs it."""
    info = tmp_path / "one_pick_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: one-pick-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(dedent(ENTRY_POINTS))
    (tmp_path / "one_pick_game.py").write_text(dedent(MODULE))
    monkeypatch.syspath_prepend(tmp_path)
    clear_registry_caches()
    yield info
    sys.modules.pop("one_pick_game", None)
    clear_registry_caches()


def test_registry_lists_built_in_games_in_order() -> None:
    assert list(all_games())[: len(BUILT_IN)] == BUILT_IN
    assert all(game.slug == slug for slug, game in all_games().items())


def test_registry_third_party_game_is_playable(third_party: Path) -> None:
    replayed = replay(read_record(b'{"game":"one-pick","options":{"columns":3},"turns":[{"red":2}]}'))
    assert find_game("one-pick").title == "One pick"
    assert (replayed.result, build_answer(replayed).grid) == ("red", ("...",))


def test_registry_lists_third_party_games_after_built_in(third_party: Path) -> None:
    (third_party / "entry_points.txt").write_text("[crowdgame.games]\none-pick = one_pick_game:game\n")
    clear_registry_caches()
    assert list(all_games()) == [*registry.BUILT_IN, "one-pick"]


def test_registry_third_party_cannot_override_built_in_game(third_party: Path) -> None:
    assert find_game("captains-mistress").title == "Captain's Mistress"


@pytest.mark.parametrize("slug", ["gone", "absent", "misnamed"])
def test_registry_names_broken_package_and_keeps_other_games(third_party: Path, slug: str) -> None:
    with pytest.raises(UnknownGame, match=slug):
        find_game(slug)
    with pytest.raises(UnknownGame):
        all_games()
    assert find_game("simultaneous-captains-mistress").slug == "simultaneous-captains-mistress"


@pytest.mark.parametrize("slug", ["", "chess", None, 3, ["captains-mistress"], {}, "x" * 10_000])
def test_find_game_refuses_unknown_slug_with_short_error(slug: object) -> None:
    with pytest.raises(UnknownGame) as refusal:
        find_game(slug)
    assert len(str(refusal.value)) < 100


@pytest.mark.parametrize("slug", ["simultaneous-captains-mistress", "captains-mistress"])
@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "columns",
        {"columns": 8},
        {"columns": "7"},
        {"columns": 7.0},
        {"columns": True},
        {"rows": 5},
        {"colour": "red"},
        {"token": "blue"},
        {"first": None},
        {"tie": "both"},
    ],
    ids=repr,
)
def test_read_options_refuses_invalid_options(slug: str, raw: object) -> None:
    with pytest.raises(BadOptions):
        read_options(find_game(slug), raw)


@pytest.mark.parametrize(
    ("slug", "raw"), [("simultaneous-captains-mistress", {"token": "lot"}), ("captains-mistress", {})]
)
def test_game_start_requires_drawn_lot(slug: str, raw: object) -> None:
    game = find_game(slug)
    with pytest.raises(BadOptions, match="not drawn yet"):
        game.start(read_options(game, raw))
