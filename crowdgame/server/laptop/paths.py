"""Where the program and its data are: in a clone, or installed from the wheel."""

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
ROOT = PACKAGE.parent
# The wheel holds here what is compiled, or is outside the packages, under the same paths as in a clone.
BUILT = PACKAGE / "built"
INSTALLED = BUILT.is_dir()
EMPTY_DATABASE = BUILT / "build" / "empty.sqlite3"
SOURCE = BUILT if INSTALLED else ROOT
PLAY_COMMAND = "crowdgame play" if INSTALLED else "make play"


def user_data_folder() -> Path:
    """Return this user's folder for the data of an installed crowdgame."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "crowdgame"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "crowdgame"


DATA = Path(
    os.environ.get("CROWDGAME_DATA") or (user_data_folder() if INSTALLED else ROOT / ".play")
).absolute()
LOCALE_DIR = ROOT / "locale"
LOGS = DATA / "logs"


def display_path(path: Path) -> str:
    """Return `path` relative to the project root, or unchanged if it lies outside."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
