"""Lots that nobody can choose afterwards: the seed is committed to before the window, and told after it."""

from hashlib import sha256

from games.engine.game import Side


def commit_lot(seed: str) -> str:
    """What is told of the seed before anybody votes."""
    return sha256(f"crowdgame lot:{seed}".encode("ascii")).hexdigest()


def draw_lot(seed: str, side: Side, among: int, number: int = 0) -> int:
    """A number from 0 below `among`; each side has its own lot, and each round (from 1) of a runoff."""
    lot = f"{seed}:{side}:{number}" if number else f"{seed}:{side}"
    return int.from_bytes(sha256(lot.encode("ascii")).digest(), "big") % among
