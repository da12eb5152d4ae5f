"""`manage.py generate_puzzles`: find puzzles in random matches, and store them."""

import random
from collections import Counter
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from crowdgame.play.puzzles.puzzle_file import FILE, GAME, OPTIONS, StoredPuzzle, pack_puzzles
from games.engine.game import SIDES, Picks, Side, other_side
from games.engine.registry import find_game, read_options
from games.solver.positions import Position, read_position
from games.solver.puzzles import find_puzzles

MOST_FREE_CELLS = 16  # more take long to solve


class Command(BaseCommand):
    help = "Write the puzzles of /puzzles. The same arguments write the same file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--file", default=FILE)
        parser.add_argument("--count", type=int, default=1200, help="of which at most 45% are of one kind")

    def handle(self, **options: Any) -> None:
        most = ceil(0.45 * options["count"])
        lots = random.Random(options["seed"])  # noqa: S311  repeatable
        found: list[StoredPuzzle] = []
        kinds = Counter[str]()
        for puzzle in _search(lots):
            if kinds[puzzle.kind] < most:
                kinds[puzzle.kind] += 1
                found.append(puzzle)
                if len(found) % 50 == 0:
                    self.stdout.write(f"{len(found)} {dict(kinds)}")
            if len(found) == options["count"]:
                break
        lots.shuffle(found)
        Path(options["file"]).write_bytes(pack_puzzles(found))


def _search(lots: random.Random) -> Iterator[StoredPuzzle]:
    """Yield puzzles without end, from positions of which no two are equivalent."""
    seen = set[Position]()
    game = find_game(GAME)
    while True:
        state, turns = game.start(read_options(game, OPTIONS)), ""
        while (position := read_position(state)) and game.to_move(state):
            if position.free_cells <= MOST_FREE_CELLS and position not in seen:
                seen |= position.equivalents()
                for puzzle in find_puzzles(position):
                    if puzzle.kind == "win" and not wins(
                        game, state, puzzle.side, puzzle.answer, puzzle.depth
                    ):
                        continue
                    fields = (puzzle.answer, puzzle.depth, puzzle.tempting, turns, puzzle.mixes)
                    yield StoredPuzzle(puzzle.kind, puzzle.side, *fields)
            picks = Picks(*(lots.choice(game.legal_actions(state, side)) for side in SIDES))
            state, _ = game.resolve(state, picks)
            turns += f"{picks.red}{picks.yellow}"


def wins(game: Any, state: Any, side: Side, column: int, turns: int) -> bool:
    """Return whether a column wins within so many turns, by the rules alone, whatever the opponent plays.

    The solver searches to the end once that seems as near, but a full column can make a match longer.
    """
    for reply in game.legal_actions(state, other_side(side)):
        after, _ = game.resolve(state, Picks(*((column, reply) if side == "red" else (reply, column))))
        if game.result(after) == side:
            continue
        follow_ups = game.legal_actions(after, side) if turns > 1 and game.to_move(after) else ()
        if not any(wins(game, after, side, each, turns - 1) for each in follow_ups):
            return False
    return True
