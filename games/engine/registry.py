"""The game registry. Third parties add games through the entry point group `crowdgame.games`.

The name of an entry point is the game's slug. Games are loaded on first use, so that a broken package affects
only its own game. A third-party entry point cannot replace a built-in game.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from reprlib import repr as short_repr
from typing import Any

import msgspec

from games.engine.errors import BadOptions, UnknownGame
from games.engine.game import Game

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
    """Return every game by its slug. Raises UnknownGame if a third party's game cannot be loaded."""
    return {slug: _load(point) for slug, point in _entries().items()}


@cache
def _entries() -> Mapping[str, EntryPoint]:
    third_party = {point.name: point for point in entry_points(group=GROUP)}
    return {**BUILT_IN, **third_party, **BUILT_IN}


@cache
def _load(point: EntryPoint) -> Game[Any]:
    try:
        game: Game[Any] = point.load()
    except (ImportError, AttributeError) as refusal:
        raise UnknownGame(f"the game {short_repr(point.name)} cannot be loaded: {refusal}") from refusal
    if getattr(game, "slug", None) != point.name:
        raise UnknownGame(f"what is registered as {short_repr(point.name)} is not a game of that slug")
    return game


def find_game(slug: object) -> Game[Any]:
    """Return the game with this slug. Raises UnknownGame."""
    if isinstance(slug, str) and slug in _entries():
        return _load(_entries()[slug])
    raise UnknownGame(f"there is no game called {short_repr(slug)}")


def read_options(game: Game[Any], raw: object) -> msgspec.Struct:
    """Convert plain JSON values to the game's options. Raises BadOptions."""
    try:
        return msgspec.convert(raw, game.options)
    except msgspec.ValidationError as refusal:
        raise BadOptions(str(refusal)) from refusal


def game_title(slug: str) -> str:
    """Return the game's title in English, or its slug if the game is not installed any more."""
    try:
        return find_game(slug).title
    except UnknownGame:
        return slug
