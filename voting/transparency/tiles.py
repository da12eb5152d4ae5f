"""Tiles and entry bundles (c2sp.org/tlog-tiles): the files that a log serves."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal

from voting.counting.commitments import hash_node
from voting.transparency.checkpoints import HASH_BYTES
from voting.transparency.merkle import Subtrees

HEIGHT, WIDTH = 8, 256
LENGTH_BYTES = 2
ENTRIES: Literal["entries"] = "entries"
Level = int | Literal["entries"]
TILE_PATH = re.compile(
    r"(?P<level>entries|0|[1-9]|[1-5][0-9]|6[0-3])/(?P<index>(?:x[0-9]{3}/){0,4}[0-9]{3})"
    r"(?:\.p/(?P<width>[1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?",
    re.ASCII,
)
#: Returns the hashes in a tile, given its level, index and width.
ReadTile = Callable[[int, int, int], bytes]


def tile_path(level: Level, index: int, width: int) -> str:
    """Return a tile's path below `tile/`."""
    groups = [f"{index % 1000:03}"]
    while index := index // 1000:
        groups.insert(0, f"x{index % 1000:03}")
    partial = "" if width == WIDTH else f".p/{width}"
    return f"{level}/{'/'.join(groups)}{partial}"


def parse_tile_path(path: str) -> tuple[Level, int, int] | None:
    """Return the level, index and width; None unless it is the one path of a tile."""
    match = TILE_PATH.fullmatch(path)
    if match is None:
        return None
    level: Level = ENTRIES if match["level"] == ENTRIES else int(match["level"])
    tile = level, int(re.sub("[x/]", "", match["index"])), int(match["width"] or WIDTH)
    return tile if tile_path(*tile) == path else None


def tile_width(level: int, index: int, size: int) -> int:
    """Return how many hashes the tile has in a tree of this size."""
    return max(0, min(WIDTH, (size >> HEIGHT * level) - index * WIDTH))


def tile_subtrees(read_tile: ReadTile, size: int) -> Subtrees:
    """Look up subtrees in the tiles of a tree of this size, and read each tile once."""
    read = cache(read_tile)

    def subtree(height: int, index: int) -> bytes:
        level, levels_above = divmod(height, HEIGHT)
        tile, first = divmod(index << levels_above, WIDTH)
        hashes = read(level, tile, tile_width(level, tile, size))
        row = [
            hashes[number * HASH_BYTES : (number + 1) * HASH_BYTES]
            for number in range(first, first + (1 << levels_above))
        ]
        while len(row) > 1:
            row = [hash_node(*pair) for pair in zip(row[::2], row[1::2], strict=True)]
        return row[0]

    return subtree


def encode_bundle(entries: Iterable[bytes]) -> bytes:
    return b"".join(len(entry).to_bytes(LENGTH_BYTES) + entry for entry in entries)


def decode_bundle(bundle: bytes) -> list[bytes]:
    """Raises ValueError."""
    entries = []
    while bundle:
        end = LENGTH_BYTES + int.from_bytes(bundle[:LENGTH_BYTES])
        if not LENGTH_BYTES <= end <= len(bundle):
            raise ValueError("an entry bundle is cut off")
        entries.append(bundle[LENGTH_BYTES:end])
        bundle = bundle[end:]
    return entries
