"""The wheel in a clean environment and an empty folder, without Node, make and the repository."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import AbstractContextManager, closing
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import Stack
from deploy.laptop.virtualenv import BIN, uv_settings
from tests.deploy.processes import Play, wait_until
from tests.deploy.processes import playing as run_play
from tests.e2e.screens import chromium
from tests.run_folder import migrated_database
from tests.upgrades.release import FINISHED, RELEASES

DIST = ROOT / "dist"
JOIN_MS = 120_000
NOT_SHIPPED = re.compile(
    r"(^|/)(tests?|deploy|node_modules|\.play)/|\.(pot?|c|map|stamp|pyc)$|/(generate_|train)"
)


@pytest.fixture(scope="module")
def wheel() -> Path:
    found = list(DIST.glob("crowdgame-*.whl"))
    assert len(found) == 1, "run `make wheel` first"
    return found[0]


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `crowdgame` of an environment with nothing but the wheel and what it needs."""
    venv = tmp_path_factory.mktemp("installed")
    options, env = uv_settings()
    subprocess.run([BIN / "uv", "venv", "--quiet", venv], check=True)
    uv = [str(BIN / "uv"), "pip", "install", "--quiet", "--python", str(venv / "bin" / "python"), *options]
    subprocess.run([*uv, "--constraint", str(DIST / "constraints.txt"), str(wheel)], env=env, check=True)
    return venv / "bin" / "crowdgame"


def run(program: Path, data: Path, *words: str) -> str:
    env, argv = {"HOME": str(data.parent), "PATH": "/nowhere"}, [str(program), "--data", str(data), *words]
    ended = subprocess.run(argv, cwd=data.parent, env=env, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def playing(program: Path, data: Path, *options: str) -> AbstractContextManager[Play]:
    env = {"HOME": str(data.parent), "PATH": "/nowhere"}
    return run_play([program], data, "--gateways", "1", *options, env=env)


def database_dump(path: Path) -> list[str]:
    """The statements that make the database, without times."""
    with closing(sqlite3.connect(path)) as database:
        return [re.sub(r"'\d{4}-\d\d-\d\d \d\d:.*?'", "", line) for line in database.iterdump()]


def test_wheel_holds_what_runs_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    version = wheel.name.split("-")[1]
    folders = {"crowdgame", "voting", "games", f"crowdgame-{version}.dist-info"}
    assert {name.partition("/")[0] for name in names} == folders
    assert [name for name in names if NOT_SHIPPED.search(name)] == []
    built = {name.removeprefix("crowdgame/built/") for name in names if name.startswith("crowdgame/built/")}
    assert {"docs/verify.py", "frontend/dist/verify.html", "locale/zh_Hans/LC_MESSAGES/django.mo"} <= built
    assert len([name for name in built if name.endswith(".mo")]) == 6
    assert wheel.name in (ROOT / "README.md").read_text()
    assert os.path.getsize(wheel) <= 6_000_000


def test_wheel_holds_the_database_that_migrations_make(wheel: Path, tmp_path: Path) -> None:
    included = tmp_path / "empty.sqlite3"
    included.write_bytes(zipfile.ZipFile(wheel).read("crowdgame/built/build/empty.sqlite3"))
    assert database_dump(included) == database_dump(migrated_database())


def test_wheel_has_the_weights_once_for_server_and_page(wheel: Path, program: Path, tmp_path: Path) -> None:
    files = zipfile.ZipFile(wheel)
    (worker,) = (name for name in files.namelist() if "/pickWorker-" in name)
    asked = set(re.findall(r"/static/(app/\d-\w+-[\w-]+\.gz)", files.read(worker).decode()))
    weights = [name for name in files.namelist() if "/weights/" in name and name.endswith(".gz")]
    assert {f"app/{Path(name).name}" for name in weights} == asked
    run(program, tmp_path, "shell", "--command", "from games.solver.weights import *; read_weights(6, True)")
    run(program, tmp_path, "collectstatic", "--noinput")
    for name in weights:
        assert (tmp_path / "static" / "app" / Path(name).name).read_bytes() == files.read(name)


def test_wheel_runs_a_match_with_a_valid_record_and_keeps_its_data(program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    data, record = folder / "data", folder / "record.json"
    with playing(program, data, "--phones", "6") as first:
        code = first.links["Phones"].rpartition("/")[2]
        with chromium() as browser:
            page = browser.new_page()
            page.goto(first.links["Phones"])
            side = re.compile("red|yellow")
            expect(page.locator("body")).to_have_attribute("data-side", side, timeout=JOIN_MS)
            login = browser.new_page(locale="de")
            login.goto(urljoin(first.links["Console"], "/console/login/"))
            expect(login.get_by_role("button", name="Anmelden", exact=True)).to_be_visible()
            expect(page.locator("body")).to_have_attribute("data-phase", "reveal", timeout=JOIN_MS)
        run(program, data, "export", code, "--output", str(record))
    assert "VALID" in run(program, data, "verify", str(record))
    with playing(program, data, "--phones", "6") as again:
        assert again.links["Phones"].rpartition("/")[2] == code
    assert {path.name for path in folder.iterdir()} == {"data", "record.json", "said"}


def test_wheel_upgrades_the_data_of_an_earlier_version(program: Path, tmp_path: Path) -> None:
    data, record = tmp_path / "data", tmp_path / "record.json"
    RELEASES[0].load_database(Stack(data=data, secret_key="", port=0))
    with playing(program, data, "--no-crowd", "--gateways", "1"):
        run(program, data, "export", FINISHED, "--output", str(record))
    assert "VALID: red won" in run(program, data, "verify", str(record))


def test_containerfile_steps_make_a_gateway_that_is_healthy(wheel: Path, tmp_path: Path) -> None:
    """Its instructions run in a virtual environment, since no container engine is at hand."""
    text = (ROOT / "deploy" / "container" / "Containerfile").read_text().replace("\\\n", "")
    steps = dict(re.findall(r"^(RUN|HEALTHCHECK CMD|CMD) (.+)$", text, re.MULTILINE))
    port = str(free_port())
    start, check = (json.loads(steps[name].replace("8000", port)) for name in ("CMD", "HEALTHCHECK CMD"))
    venv = tmp_path / "venv" / "bin"
    subprocess.run([sys.executable, "-m", "venv", venv.parent], check=True)
    for program in ("useradd", "chown"):  # of the image's user
        (venv / program).symlink_to("/bin/true")
    env = {**os.environ, "PATH": f"{venv}:{os.environ['PATH']}", "CROWDGAME_DATA": str(tmp_path / "data")}
    env |= {"SECRET_KEY": "of the test", "DJANGO_SETTINGS_MODULE": "crowdgame.settings"}
    run_step = steps["RUN"].replace("/opt/crowdgame", str(DIST))
    subprocess.run(["sh", "-ec", run_step], cwd=tmp_path, env=env, check=True)
    with subprocess.Popen([venv / start[0], *start[1:]], cwd=tmp_path, env=env) as gateway:
        try:
            wait_until(lambda: subprocess.run([venv / check[0], *check[1:]], check=False).returncode == 0)
        finally:
            gateway.kill()
