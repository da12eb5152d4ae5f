"""Lots that nobody can choose afterwards: the seed is committed to before the window, and told after it."""

from hashlib import sha256

from games.engine.game import Side


def commit_lot(seed: str) -> str:
    """What is told of the seed before anybody votes."""
    return sha256(f"crowdgame lot:{seed}".encode("ascii")).hexdigest()


def draw_lot(seed: str, side: Side, among: int) -> int:
    """A number from 0 below `among`; each side of a turn has a lot of its own."""
    return int.from_bytes(sha256(f"{seed}:{side}".encode("ascii")).digest(), "big") % among
