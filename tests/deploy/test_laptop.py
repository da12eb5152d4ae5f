import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from crowdgame.server.laptop.stamps import Stamp, fingerprint
from crowdgame.server.laptop.steps import StepFailed
from deploy.laptop import frontend, virtualenv
from deploy.laptop.release import ReleaseRefused, release

TODAY = date(2026, 12, 1)
CHANGES = "### Added\n\n- A wheel.\n"
CHANGELOG = f"# Changelog\n\n## 0.2.0 (unreleased)\n\n{CHANGES}\n## 0.1.0 (2026-01-01)\n\nFirst.\n"
PACKAGE = """{"name": "small", "version": "0.1.0", "scripts": {"build": "echo built >> dist/builds"}}"""
LOCK = """{"name": "small", "version": "0.1.0", "lockfileVersion": 3, "packages": {"": {"name": "small"}}}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def git(root: Path, *words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=root, text=True)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


def test_release_dates_the_changelog_and_tags_its_section_but_refuses_unfinished_work(root: Path) -> None:
    (root / "new").touch()
    with pytest.raises(ReleaseRefused, match="not committed"):
        release(root, TODAY, lambda: None)
    (root / "new").unlink()
    (root / "CHANGELOG.md").write_text("# Changelog\n")
    git(root, "commit", "--quiet", "--all", "--message", "Empty the changelog")
    with pytest.raises(ReleaseRefused, match=r"CHANGELOG\.md has nothing"):
        release(root, TODAY, lambda: None)
    assert git(root, "tag") == ""
    git(root, "reset", "--quiet", "--hard", "HEAD~1")
    assert release(root, TODAY, (root / "dist").mkdir) == "v0.2.0"
    assert (root / "CHANGELOG.md").read_text() == CHANGELOG.replace("unreleased", "2026-12-01")
    assert git(root, "log", "-1", "--format=%s") == "Release 0.2.0\n"
    notes = git(root, "tag", "--list", "--format=%(contents)", "v0.2.0")
    assert notes == f"## 0.2.0 (2026-12-01)\n\n{CHANGES}\n"
    with pytest.raises(ReleaseRefused, match=r"v0\.2\.0 is released"):
        release(root, TODAY, lambda: None)


def test_stamp_is_stale_after_changed_renamed_and_added_files_or_missing_output(tmp_path: Path) -> None:
    folder = tmp_path / "inputs"
    (folder / "deep").mkdir(parents=True)
    one, two, output = folder / "deep" / "one", folder / "deep" / "two", tmp_path / "output" / ".stamp"
    one.write_text("1")

    def is_fresh(*words: str) -> bool:
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


def use_project(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Install into `folder`, with the uv of this environment."""
    python = folder / ".venv" / "bin" / "python"
    for name, value in {
        "ROOT": folder,
        "VENV_DIR": folder / ".venv",
        "PYTHON": python,
        "PIP": (str(python), "-m", "pip"),
        "UV": (sys.executable, "-m", "uv", "pip", "install", "--python", str(python)),
        "TITLES": {"tiny": "install tiny", "forged": "install forged"},
    }.items():
        patch.setattr(virtualenv, name, value)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project with a .venv. Its pip is set to a folder of wheels and no index."""
    (tmp_path / "pip.conf").write_text(f"[global]\nno-index = true\nfind-links = {tmp_path / 'wheels'}\n")
    for name in ("requirements", "wheels"):
        (tmp_path / name).mkdir()
    (tmp_path / "requirements" / "uv.txt").touch()
    use_project(tmp_path, monkeypatch)
    monkeypatch.setattr(virtualenv, "HAS_PIP", False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    virtualenv.create_venv()
    Stamp(tmp_path / ".venv" / "stamps" / "uv", fingerprint([tmp_path / "requirements" / "uv.txt"])).set()
    return tmp_path


@pytest.mark.nightly
def test_package_is_installed_from_the_folder_that_pip_uses_unless_its_hash_differs(project: Path) -> None:
    wheel = project / "wheels" / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny.py", "")
        file.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        file.writestr("tiny-1.dist-info/WHEEL", WHEEL)
        file.writestr("tiny-1.dist-info/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (project / "requirements" / "forged.txt").write_text(f"tiny==1 --hash=sha256:{'0' * 64}\n")
    (project / "requirements" / "tiny.txt").write_text(f"tiny==1 --hash=sha256:{digest}\n")
    use = [str(virtualenv.PYTHON), "-c", "import tiny"]
    with pytest.raises(StepFailed, match="install forged: a download does not match its hash"):
        virtualenv.install("forged")
    assert subprocess.run(use, check=False).returncode != 0
    virtualenv.install("tiny")
    subprocess.run(use, check=True)


@pytest.mark.nightly
def test_virtualenv_is_replaced_only_if_moved_or_of_another_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(virtualenv, "HAS_PIP", True)
    use_project(tmp_path / "here", monkeypatch)
    virtualenv.create_venv()
    (tmp_path / "here" / ".venv" / "mine").touch()
    virtualenv.create_venv()
    assert (tmp_path / "here" / ".venv" / "mine").exists()
    (tmp_path / "here").rename(tmp_path / "there")
    use_project(tmp_path / "there", monkeypatch)
    virtualenv.create_venv()
    assert not (tmp_path / "there" / ".venv" / "mine").exists()
    [packages] = (tmp_path / "there" / ".venv" / "lib").iterdir()
    packages.rename(packages.with_name("python3.1"))
    virtualenv.create_venv()
    assert packages.exists()


def test_environment_of_pip_wins_over_its_files() -> None:
    listed = """:env:.index-url='https://env.test/simple'
global.index-url='https://file.test/simple'
global.trusted-host='a.test'
install.trusted-host='b.test c.test'
download.cert='/other'
"""
    used = {"index-url": "https://env.test/simple", "trusted-host": "b.test c.test"}
    assert virtualenv.read_pip_settings(listed) == used
