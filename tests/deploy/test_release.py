"""Releases and their build stamps."""

import subprocess
from collections.abc import Callable
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
PACKAGE = """{"name": "small", "version": "0.1.0", "scripts": {"build": "echo built >> dist/builds"}}"""
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


def test_release_refuses_unfinished_work(root: Path) -> None:
    (root / "new").touch()
    with pytest.raises(ReleaseRefused, match="not committed"):
        release(root, TODAY, lambda: None)
    (root / "new").unlink()
    (root / "CHANGELOG.md").write_text("# Changelog\n")
    git(root, "commit", "--quiet", "--all", "--message", "Empty the changelog")
    with pytest.raises(ReleaseRefused, match=r"CHANGELOG\.md has nothing"):
        release(root, TODAY, lambda: None)
    assert git(root, "tag") == ""


def test_stamp_is_stale_after_changed_renamed_and_added_files_or_missing_output(tmp_path: Path) -> None:
    folder = tmp_path / "inputs"
    (folder / "deep").mkdir(parents=True)
    one, two, output = folder / "deep" / "one", folder / "deep" / "two", tmp_path / "output" / ".stamp"
    one.write_text("1")

    def is_fresh(*words: str) -> bool:
        """Set the stamp anew if it is stale."""
        stamp = Stamp(output, fingerprint([folder, tmp_path / "not there"], *words))
        if fresh := stamp.is_fresh():
            return fresh
        stamp.set()
        return False

    changes: tuple[Callable[[], object], ...] = (
        lambda: None,
        lambda: one.write_text("2"),
        lambda: one.rename(two),
        (folder / "three").touch,
        output.unlink,
    )
    for change in changes:
        change()
        assert (is_fresh(), is_fresh()) == (False, True)
    assert not is_fresh("word")


def test_frontend_is_built_only_after_source_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, solver = tmp_path / "frontend", tmp_path / "solver.wasm"
    for folder in ("src", "dist"):
        (home / folder).mkdir(parents=True)
    (home / "package.json").write_text(PACKAGE)
    (home / "package-lock.json").write_text(LOCK)
    solver.touch()
    monkeypatch.setattr(frontend, "FRONTEND_DIR", home)
    monkeypatch.setattr(frontend, "NODE_MODULES_DIR", home / "node_modules")
    monkeypatch.setattr(frontend, "DIST_DIR", home / "dist")
    monkeypatch.setattr(frontend, "SOLVER_FILES", [solver])
    builds = home / "dist" / "builds"
    for _ in range(2):
        frontend.install()
        frontend.build_pages()
    assert builds.read_text() == "built\n"
    for times, source in enumerate((home / "src" / "phone.ts", solver), 2):
        source.write_text("export {}")
        frontend.build_pages()
        assert builds.read_text() == times * "built\n"


def test_node_version_is_checked() -> None:
    assert all(map(frontend.is_new_enough, ("v20.19.0", "v22.12.0\n", "v24.19.0")))
    assert not any(map(frontend.is_new_enough, ("v18.20.4", "v20.18.3", "v21.7.3", "v22.11.0", "nonsense")))
