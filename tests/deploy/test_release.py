import subprocess
from datetime import date
from pathlib import Path

import pytest

from deploy.laptop.release import ReleaseRefused, release

TODAY = date(2026, 12, 1)
CHANGELOG = (
    "# Changelog\n\n## 0.2.0 (unreleased)\n\n### Added\n\n- A wheel.\n\n## 0.1.0 (2026-01-01)\n\nFirst.\n"
)


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of version 0.2.0."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / ".gitignore").write_text("/dist/\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Start")
    return tmp_path


def test_release_dates_the_changelog_and_tags_its_section(root: Path) -> None:
    assert release(root, TODAY, (root / "dist").mkdir) == "v0.2.0"
    assert (root / "CHANGELOG.md").read_text() == CHANGELOG.replace("unreleased", "2026-12-01")
    assert git(root, "log", "-1", "--format=%s") == "Release 0.2.0\n"
    notes = "## 0.2.0 (2026-12-01)\n\n### Added\n\n- A wheel.\n"
    assert git(root, "tag", "--list", "--format=%(contents)", "v0.2.0") == f"{notes}\n"
    with pytest.raises(ReleaseRefused, match=r"v0\.2\.0 is released"):
        release(root, TODAY, lambda: None)


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("new", "", "not committed"),
        ("CHANGELOG.md", "# Changelog\n", "CHANGELOG.md has nothing"),
    ],
)
def test_release_refuses_unfinished_work(root: Path, file: str, content: str, reason: str) -> None:
    (root / file).write_text(content)
    if file == "CHANGELOG.md":
        git(root, "commit", "--quiet", "--all", "--message", "Empty the changelog")
    with pytest.raises(ReleaseRefused, match=reason):
        release(root, TODAY, lambda: None)
    assert git(root, "tag") == ""
