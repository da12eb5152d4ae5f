"""`make release`: build dist/, date the version's section in the changelog, commit and tag."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from crowdgame.server.laptop.paths import ROOT


class ReleaseRefused(Exception):
    """The message is one line for the user."""


def release(root: Path, today: date, build: Callable[[], object]) -> str:
    """Release the version in pyproject.toml; return the name of its tag. Raises ReleaseRefused."""
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    tag = f"v{version}"
    if _git(root, "status", "--porcelain"):
        raise ReleaseRefused("there are changes that are not committed")
    if _git(root, "tag", "--list", tag):
        raise ReleaseRefused(f"{tag} is released. Set the next version in pyproject.toml and CHANGELOG.md")
    changelog = root / "CHANGELOG.md"
    dated, notes = date_section(changelog.read_text(), version, today)
    build()
    changelog.write_text(dated)
    (root / "dist" / "release-notes.md").write_text(notes)
    _git(root, "commit", "--quiet", "--all", "--message", f"Release {version}")
    _git(root, "tag", "--annotate", "--cleanup=whitespace", "--file", "dist/release-notes.md", tag)
    return tag


def date_section(changelog: str, version: str, today: date) -> tuple[str, str]:
    """Return the changelog with today's date for `version`, and that section. Raises ReleaseRefused."""
    section = re.compile(
        rf"^## {re.escape(version)} \(unreleased\)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL
    )
    found = section.search(changelog)
    if found is None or not found[1].strip():
        raise ReleaseRefused(f"CHANGELOG.md has nothing in a section “## {version} (unreleased)”")
    notes = f"## {version} ({today})\n{found[1].rstrip()}\n"
    return section.sub(lambda _: f"## {version} ({today})\n{found[1]}", changelog), notes


def _git(root: Path, *words: str) -> str:
    ended = subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    return ended.stdout.strip()


def main() -> None:
    try:
        today = datetime.now(UTC).date()
        tag = release(ROOT, today, lambda: subprocess.run(["make", "wheel"], cwd=ROOT, check=True))
    except ReleaseRefused as refusal:
        sys.exit(f"✗ {refusal}")
    print(
        f"✓ {tag} is committed, tagged and built in dist/. To publish: git push --follow-tags, upload dist/"
    )


if __name__ == "__main__":
    main()
