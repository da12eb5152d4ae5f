import re
from pathlib import Path

from crowdgame.server.laptop.paths import ROOT

IMAGES = ROOT / "docs" / "images"
PAGES = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
LINK = re.compile(r"!\[[^\]]+\]\(([^)\s]+)\)")


def linked_files() -> set[Path]:
    links = ((page, LINK.findall(page.read_text(encoding="utf-8"))) for page in PAGES)
    return {(page.parent / link).resolve() for page, found in links for link in found}


def shown_screenshots() -> frozenset[str]:
    """The pictures in folders of docs/images, as FOLDER/NAME without suffix."""
    files = (path.relative_to(IMAGES) for path in linked_files() if path.is_relative_to(IMAGES))
    return frozenset(path.with_suffix("").as_posix() for path in files if len(path.parts) > 1)
