"""Releases and their build stamps."""

import subprocess
from datetime import date
from pathlib import Path

import pytest

from crowdgame.server.laptop.stamps import Stamp, fingerprint
from deploy.laptop import frontend
from deploy.laptop.release import ReleaseRefused, release

TODAY = date(2026, 12, 1)
CHANGELOG = (
    "# Changelog\n\n## 0.2.0 (unreleased)\n\n### Added\n\n- A wheel.\n\n## 0.1.0 (2026-01-01)\n\nFirst.\n"
)
PACKAGE = (
    """{"name": "small", "version": "0.1.0", "private": true, "scripts": {"build": "echo built >> builds"}}"""
)
LOCK = """{"name": "small", "version": "0.1.0", "lockfileVersion": 3, "packages": {"": {"name": "small"}}}"""


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


def test_fingerprint_changes_with_edited_renamed_and_added_files(tmp_path: Path) -> None:
    folder = tmp_path / "inputs"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "one").write_text("1")
    seen = {fingerprint([folder])}
    (folder / "deep" / "one").write_text("2")
    seen.add(fingerprint([folder]))
    (folder / "deep" / "one").rename(folder / "deep" / "two")
    seen.add(fingerprint([folder]))
    (folder / "three").touch()
    seen |= {fingerprint([folder]), fingerprint([folder], "word")}
    assert len(seen) == 5
    assert fingerprint([folder]) == fingerprint([folder, tmp_path / "not there"])


def test_stamp_is_stale_after_new_fingerprint_or_missing_output(tmp_path: Path) -> None:
    stamp = Stamp(tmp_path / "outcome" / ".stamp", "a")
    assert not stamp.is_fresh()
    stamp.set()
    assert stamp.is_fresh()
    assert not Stamp(tmp_path / "outcome" / ".stamp", "b").is_fresh()
    (tmp_path / "outcome" / ".stamp").unlink()
    assert not stamp.is_fresh()


def test_frontend_is_rebuilt_only_after_source_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, builds = tmp_path / "frontend", tmp_path / "frontend" / "builds"
    (home / "src").mkdir(parents=True)
    (home / "package.json").write_text(PACKAGE.replace(">> builds", ">> dist/builds"))
    (home / "package-lock.json").write_text(LOCK)
    (home / "dist").mkdir()
    builds = home / "dist" / "builds"
    monkeypatch.setattr(frontend, "FRONTEND_DIR", home)
    monkeypatch.setattr(frontend, "NODE_MODULES_DIR", home / "node_modules")
    monkeypatch.setattr(frontend, "DIST_DIR", home / "dist")
    solver = tmp_path / "solver.wasm"
    solver.touch()
    monkeypatch.setattr(frontend, "SOLVER_FILES", [solver])
    for _ in range(2):
        frontend.install()
        frontend.build_pages()
    assert builds.read_text() == "built\n"
    for times, source in enumerate((home / "src" / "phone.ts", solver), 2):
        source.write_text("export {}")
        frontend.build_pages()
        assert builds.read_text() == times * "built\n"


@pytest.mark.parametrize(
    ("version", "new_enough"),
    [
        ("v18.20.4", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.3", False),
        ("v22.11.0", False),
        ("v22.12.0\n", True),
        ("v24.19.0", True),
        ("nonsense", False),
    ],
)
def test_node_version_is_checked(version: str, new_enough: bool) -> None:
    assert frontend.is_new_enough(version) == new_enough
