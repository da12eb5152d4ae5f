"""Where things lie on this machine."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("CROWDGAME_DATA") or ROOT / ".play").absolute()
LOGS = DATA / "logs"


def display_path(path: Path) -> str:
    """`path` as somebody in the project's folder would type it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
