"""Paths of the project, its data directory (CROWDGAME_DATA) and its logs."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("CROWDGAME_DATA") or ROOT / ".play").absolute()
LOCALE_DIR = ROOT / "locale"
LOGS = DATA / "logs"


def display_path(path: Path) -> str:
    """Return `path` relative to the project root, or unchanged if it lies outside."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
