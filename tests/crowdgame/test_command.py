import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from crowdgame import __main__ as command
from crowdgame.server.laptop import paths


def crowdgame(data: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, str(paths.ROOT / "manage.py"), *words, "--data", str(data)]
    return subprocess.run(
        argv, env={"SECRET_KEY": "of the test"}, capture_output=True, text=True, check=False
    )


def test_command_prints_help_with_the_data_folder_and_its_version(tmp_path: Path) -> None:
    ended = crowdgame(tmp_path / "elsewhere")
    assert ended.returncode == 0
    assert "crowdgame verify RECORD.json" in ended.stdout
    assert f"(default: {tmp_path}/elsewhere)" in ended.stdout
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    assert crowdgame(tmp_path, "--version").stdout == f"{project['version']}\n"


def test_command_without_database_fails_with_one_line(tmp_path: Path) -> None:
    ended = crowdgame(tmp_path / "missing", "export", "CODE")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("The database cannot be used: unable to open database file. ")
    assert len(ended.stderr.splitlines()) == 1


def test_command_on_windows_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="WSL2 or in a container"):
        command.main()


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".local/share/crowdgame"), ("darwin", "Library/Application Support/crowdgame")],
)
def test_installed_program_keeps_data_in_the_user_folder(
    platform: str, folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert paths.user_data_folder() == tmp_path / folder
