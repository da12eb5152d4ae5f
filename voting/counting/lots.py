"""Verifiable lots (commit and reveal): the seed is committed to before the window and published after it.

Nobody can choose a lot afterwards.
"""

from hashlib import sha256

from games.engine.game import Side


def commit_lot(seed: str) -> str:
    """Return the commitment to the seed, which is published before anyone votes."""
    return sha256(f"crowdgame lot:{seed}".encode("ascii")).hexdigest()


def draw_lot(seed: str, side: Side, among: int, number: int = 0) -> int:
    """Return a number from 0 to `among` - 1.

    Each side has its own lot, and so does each round of a runoff (`number`, from 1).
    """
    lot = f"{seed}:{side}:{number}" if number else f"{seed}:{side}"
    return int.from_bytes(sha256(lot.encode("ascii")).digest(), "big") % among
