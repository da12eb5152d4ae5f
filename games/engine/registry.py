"""The game registry. Third parties add games through the entry point group `crowdgame.games`.

A game that cannot be loaded is logged and left out.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from reprlib import repr as short_repr
from typing import Any

import msgspec

from games.engine.errors import BadOptions, UnknownGame
from games.engine.game import Game
from games.engine.plugins import BrokenPlugin, InvalidPlugin, find_entries, load_plugin

GROUP = "crowdgame.games"
EXTRAS = ("openspiel",) if find_spec("pyspiel") else ()
BUILT_IN: Mapping[str, EntryPoint] = {
    slug: EntryPoint(slug, f"games.rules.{slug.replace('-', '_')}:GAME", GROUP)
    for slug in (
        "simultaneous-captains-mistress",
        "single-selector",
        "captains-mistress",
        "goofspiel",
        "trails",
        *EXTRAS,
    )
}


@cache
def all_games() -> Mapping[str, Game[Any]]:
    """Return every game by its slug, except for those that cannot be loaded."""
    loaded = {slug: load_plugin(point, _check_game) for slug, point in _entries().items()}
    return {slug: game for slug, game in loaded.items() if not isinstance(game, BrokenPlugin)}


def broken_games() -> list[BrokenPlugin]:
    """Return the games that cannot be loaded."""
    loaded = (load_plugin(point, _check_game) for point in _entries().values())
    return [game for game in loaded if isinstance(game, BrokenPlugin)]


@cache
def _entries() -> Mapping[str, EntryPoint]:
    return find_entries(GROUP, BUILT_IN)


def _check_game(game: Any) -> None:
    if isinstance(game, type) or not isinstance(game, Game):
        raise InvalidPlugin("it is not a game")
    if not issubclass(game.options, msgspec.Struct):
        raise InvalidPlugin("its options are not a msgspec Struct")
    read_options(game, {})


def find_game(slug: object) -> Game[Any]:
    """Return the game with this slug. Raises UnknownGame."""
    if not isinstance(slug, str) or slug not in _entries():
        raise UnknownGame(f"there is no game called {short_repr(slug)}")
    game: Game[Any] | BrokenPlugin = load_plugin(_entries()[slug], _check_game)
    if isinstance(game, BrokenPlugin):
        raise UnknownGame(f"the game {short_repr(slug)} cannot be loaded")
    return game


def read_options(game: Game[Any], raw: object, *, strict: bool = True) -> msgspec.Struct:
    """Convert plain JSON values to the game's options. Raises BadOptions.

    If not `strict`, strings are also converted to the option's type, as for the query of an address.
    """
    try:
        return msgspec.convert(raw, game.options, strict=strict)
    except msgspec.ValidationError as refusal:
        raise BadOptions(str(refusal)) from refusal


def game_title(slug: str) -> str:
    """Return the game's title in English, or its slug if the game is not installed any more."""
    try:
        return find_game(slug).title
    except UnknownGame:
        return slug
