"""Packages are installed by hash, from the indexes that pip is set to use."""

import hashlib
import subprocess
import sys
import zipfile
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


def write_wheel(project: Path, name: str) -> None:
    """Write a wheel of the package `name` with one module, and pin it by its hash."""
    wheel = project / "wheels" / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(f"{name}.py", "")
        file.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        file.writestr(f"{name}-1.dist-info/WHEEL", WHEEL)
        file.writestr(f"{name}-1.dist-info/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (project / "requirements" / f"{name}.txt").write_text(f"{name}==1 --hash=sha256:{digest}\n")


def is_installed(name: str) -> bool:
    return subprocess.run([virtualenv.PYTHON, "-c", f"import {name}"], check=False).returncode == 0


def test_package_is_installed_from_the_folder_that_pip_uses_unless_its_hash_differs(project: Path) -> None:
    write_wheel(project, "tiny")
    virtualenv.install("tiny")
    write_wheel(project, "forged")
    (project / "requirements" / "forged.txt").write_text(f"forged==1 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(StepFailed, match="install forged: a download does not match its hash"):
        virtualenv.install("forged")
    assert (is_installed("tiny"), is_installed("forged")) == (True, False)


def test_virtualenv_is_replaced_only_if_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
