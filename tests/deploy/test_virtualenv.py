"""Packages are installed by hash, from the indexes that pip is set to use."""

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from crowdgame.server.laptop.stamps import Stamp, fingerprint
from crowdgame.server.laptop.steps import StepFailed
from deploy.laptop import virtualenv

pytestmark = pytest.mark.nightly

WHEEL = "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def use_project(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Install into `folder`, with the uv of this environment."""
    python = folder / ".venv" / "bin" / "python"
    patch.setattr(virtualenv, "ROOT", folder)
    patch.setattr(virtualenv, "VENV_DIR", folder / ".venv")
    patch.setattr(virtualenv, "PYTHON", python)
    patch.setattr(virtualenv, "PIP", (str(python), "-m", "pip"))
    patch.setattr(virtualenv, "UV", (sys.executable, "-m", "uv", "pip", "install", "--python", str(python)))
    patch.setattr(virtualenv, "TITLES", {"tiny": "install tiny", "forged": "install forged"})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty project with a .venv. Its pip is set to a folder of wheels and no index."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pip.conf").write_text(f"[global]\nno-index = true\nfind-links = {folder / 'wheels'}\n")
    for name in ("requirements", "wheels"):
        (folder / name).mkdir()
    (folder / "requirements" / "uv.txt").touch()
    with pytest.MonkeyPatch.context() as patch:
        use_project(folder, patch)
        patch.setattr(virtualenv, "HAS_PIP", False)
        patch.setenv("PIP_CONFIG_FILE", str(folder / "pip.conf"))
        patch.delenv("PIP_FIND_LINKS", raising=False)
        virtualenv.create_venv()
        Stamp(folder / ".venv" / "stamps" / "uv", fingerprint([folder / "requirements" / "uv.txt"])).set()
        yield folder


def write_wheel(project: Path, name: str) -> str:
    """Write a wheel of the package `name` with one module. Returns its SHA-256 hash."""
    wheel = project / "wheels" / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(f"{name}.py", "")
        file.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        file.writestr(f"{name}-1.dist-info/WHEEL", WHEEL)
        file.writestr(f"{name}-1.dist-info/RECORD", "")
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def pin(project: Path, name: str, digest: str) -> None:
    (project / "requirements" / f"{name}.txt").write_text(f"{name}==1 --hash=sha256:{digest}\n")


def is_installed(name: str) -> bool:
    return subprocess.run([virtualenv.PYTHON, "-c", f"import {name}"], check=False).returncode == 0


def test_package_is_installed_from_folder_that_pip_is_set_to_use(project: Path) -> None:
    pin(project, "tiny", write_wheel(project, "tiny"))
    virtualenv.install("tiny")
    assert is_installed("tiny")


def test_package_with_another_hash_is_not_installed(project: Path) -> None:
    write_wheel(project, "forged")
    pin(project, "forged", "0" * 64)
    with pytest.raises(StepFailed, match="install forged: a download does not match its hash"):
        virtualenv.install("forged")
    assert not is_installed("forged")


def test_virtual_environment_is_replaced_only_if_it_was_moved(
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


def test_environment_of_pip_wins_over_its_files() -> None:
    listed = (
        ":env:.index-url='https://env.test/simple'\n"
        "global.index-url='https://file.test/simple'\n"
        "global.trusted-host='a.test'\n"
        "install.trusted-host='b.test c.test'\n"
        "download.cert='/other'\n"
    )
    assert virtualenv.read_pip_settings(listed) == {
        "index-url": "https://env.test/simple",
        "trusted-host": "b.test c.test",
    }
