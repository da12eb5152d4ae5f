import os
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.doctor import run_doctor, wrong
from tests.machines.nginx import running_nginx
from tests.monitoring.probes import paused
from tests.run_folder import DATABASE, static_files
from tests.server import Server, running_server
from voting.ballot_box.stores import connect

CLOSED = f"{LOOPBACK}:1"
NO_WORKER = "workers: no Celery worker answers that"
NAMESPACE = ("unshare", "--map-root-user", "--mount", "sh", "-c")
BACKUP = 'mount -t tmpfs none /var/backups && mkdir -p /var/backups/crowdgame/"$0" && exec "$@"'
SLOW_CLOCK = "import time\nnow = time.time\ntime.time = lambda: now() - 90\n"
Plant = Callable[[Server, Path], AbstractContextManager[dict[str, str] | None]]


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("ready")
    (data / "static").symlink_to(static_files())
    with running_server(data, gateways=2, analyzes=False) as server:
        yield server


def setting(**values: str) -> Plant:
    return lambda server, folder: nullcontext(values)


def address(host: str) -> Plant:
    return lambda server, folder: nullcontext({"PUBLIC_URL": f"http://{host}:{server.stack.port}"})


def frozen(part: str) -> Plant:
    return lambda server, folder: paused(server, part)


def database(change: str) -> Plant:
    """A copy of the database, changed by these statements."""

    @contextmanager
    def changed(server: Server, folder: Path) -> Iterator[dict[str, str]]:
        shutil.copy(server.stack.data / DATABASE, folder)
        with closing(sqlite3.connect(folder / DATABASE)) as copy, copy:
            copy.executescript(change)
        yield {"CROWDGAME_DATA": str(folder)}

    return changed


@contextmanager
def slow_clock(server: Server, folder: Path) -> Iterator[dict[str, str]]:
    (folder / "sitecustomize.py").write_text(SLOW_CLOCK)
    yield {"PYTHONPATH": f"{folder}:{ROOT}"}


@contextmanager
def broken_game(server: Server, folder: Path) -> Iterator[dict[str, str]]:
    info = folder / "chess-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: chess\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[crowdgame.games]\nchess = no_such_module:GAME\n")
    yield {"PYTHONPATH": f"{folder}:{ROOT}"}


@contextmanager
def unsynchronized(server: Server, folder: Path) -> Iterator[dict[str, str]]:
    program = folder / "timedatectl"
    program.write_text("#!/bin/sh\necho no\n")
    program.chmod(0o755)
    yield {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PUBLIC_URL": f"http://play.localhost:{server.stack.port}",
    }


@contextmanager
def few_files(server: Server, _folder: Path) -> Iterator[dict[str, str]]:
    pid = server.supervisor.pid("gateway-1")
    assert pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (250, before[1]))
    yield {"PUBLIC_URL": f"http://play.localhost:{server.stack.port}"}
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def store(name: str, value: str) -> Plant:
    @contextmanager
    def wrong_setting(server: Server, _folder: Path) -> Iterator[None]:
        with connect(server.stack.redis) as redis:
            before = redis.config_get(name)[name]
            redis.config_set(name, value)
            yield
            redis.config_set(name, before)

    return wrong_setting


@contextmanager
def proxy(server: Server, _folder: Path, old: str, new: str) -> Iterator[dict[str, str]]:
    """A proxy with a wrong line in its configuration."""

    def spoil(folder: Path) -> None:
        path = folder / "nginx.conf"
        path.write_text(path.read_text().replace(old, new))

    with running_nginx([server.stack.port], spoil=spoil) as nginx:
        yield {"PUBLIC_URL": f"http://{LOOPBACK}:{nginx.port}"}


@contextmanager
def certificate(server: Server, _folder: Path, *, is_trusted: bool = False) -> Iterator[dict[str, str]]:
    with running_nginx([server.stack.port], tls=True) as nginx:
        trusted = {"SSL_CERT_FILE": str(nginx.folder / "fullchain.pem")} if is_trusted else {}
        yield {"PUBLIC_URL": f"https://{LOOPBACK}:{nginx.tls_port}", **trusted}


FAULTS: dict[str, tuple[Plant, str, str]] = {
    "closed port": (setting(PUBLIC_URL=f"http://{CLOSED}"), "public address: http", "Check the DNS name"),
    "no address": (setting(PUBLIC_URL=""), "settings: PUBLIC_URL is not set", "Set it to the address"),
    "other server": (
        database("UPDATE voting_loghead SET key = zeroblob(32)"),
        "public address: another server answers",
        "Correct PUBLIC_URL",
    ),
    "unknown name": (address("127.1"), "public address: the gateways do not know the name", "ALLOWED_HOSTS"),
    "no https": (setting(PUBLIC_URL="http://a.example"), "settings: PUBLIC_URL is not https", "Use a cert"),
    "weak key": (setting(SECRET_KEY="short"), "", "security.W009"),
    "debugging": (setting(DEBUG="1"), "", "security.W018"),
    "mail server down": (setting(EMAIL_URL=f"smtp://{CLOSED}"), f"e-mail: {CLOSED} refuses", "Check host"),
    "plain e-mail": (setting(EMAIL_URL="smtp+plain://0.0.0.0:1"), "e-mail: EMAIL_URL is not encrypted", ""),
    "webhooks": (setting(WEBHOOKS="public"), f"{NO_WORKER} sends webhooks", "--queues"),
    "database down": (setting(DATABASE_URL=f"postgresql://{CLOSED}/a"), "services: database: ", "DATABASE"),
    "pending migration": (
        database("DROP TABLE voting_loghead; DELETE FROM django_migrations WHERE app = 'cups'"),
        "services: database: migrations pending",
        "crowdgame migrate",
    ),
    "slow clock": (slow_clock, "clocks: the clock of 127.0.0.1:", "Run NTP"),
    "broken plug-in": (
        broken_game,
        "plug-ins: crowdgame.games chess of the package chess cannot be loaded",
        "Update or uninstall",
    ),
    "clock not synchronized": (unsynchronized, "time: this machine's clock is not synchronized", "Run NTP"),
    "few open files": (few_files, "processes: gateway ", "Raise `LimitNOFILE=`"),
    "worker hangs": (frozen("worker"), f"{NO_WORKER} closes turns", "--queues celery"),
    "store hangs": (frozen("valkey"), "services: ballot box: ", "Start Valkey"),
    "store without file": (store("appendonly", "no"), "store: 127.0.0.1:", "Set `appendonly yes`"),
    "store syncs late": (store("appendfsync", "everysec"), "store: ", "appendfsync is everysec"),
    "store saves": (store("save", "60 1"), "store: ", "save is 60 1"),
    "store evicts": (store("maxmemory-policy", "allkeys-lru"), "store: ", "maxmemory-policy is allkeys-lru"),
    "store full": (store("maxmemory", "1mb"), "store: 127.0.0.1:", "memory is nearly full"),
    "no WebSockets": (
        partial(proxy, old="proxy_set_header Upgrade $http_upgrade;", new=""),
        "public address: http",
        "Let the proxy pass `Upgrade`",
    ),
    "static files missing": (
        partial(proxy, old="location /static/ {", new="location /static/ { return 404;"),
        "static files: http",
        "collectstatic",
    ),
    "unknown certificate": (certificate, "public address: the certificate is not valid", "certbot renew"),
    "old certificate": (partial(certificate, is_trusted=True), "public address: the certificate expires", ""),
}


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS)
def test_event_check_names_a_planted_fault(fault: str, ready: Server, tmp_path: Path) -> None:
    plant, problem, remedy = FAULTS[fault]
    event = ready.ask("event", owner="doris")["code"]
    with plant(ready, tmp_path) as environment:
        found = wrong(run_doctor(ready.stack, "--event", event, **environment or {}), machine=("✗ kernel",))
    assert any(line.startswith(f"✗ {problem}") and remedy in line for line in found), found


@pytest.mark.nightly
def test_event_check_finds_nothing_wrong_with_a_stack_in_order(ready: Server) -> None:
    code = ready.ask("event", owner="doris", lobby="open")["code"]
    with certificate(ready, ready.stack.data, is_trusted=True) as secure:
        found = run_doctor(ready.stack, "--event", code, "--people", "100", **secure)
    assert [line for line in wrong(found, machine=("✗ kernel",)) if "expires in" not in line] == []
    assert f"✓ event {code}" in found.splitlines()
    found = run_doctor(ready.stack, "--event", code, "--people", "201")
    room = "the gateways on this machine have room for 200 phones, but 201 people will come"
    assert f"✗ event {code}: {room}" in found


@pytest.mark.nightly
def test_event_check_finds_schedulers_that_hang(ready: Server) -> None:
    with paused(ready, *ready.stack.scheduler_names):
        wait_until(lambda: "no scheduler has checked" in run_doctor(ready.stack))


@pytest.mark.nightly
def test_event_check_finds_a_full_disk(ready: Server, tmp_path: Path) -> None:
    mount = 'mount -t tmpfs -o size=16m,mode=700 none "$0" && cp "$1" "$0" && shift && exec "$@"'
    database = str(ready.stack.data / DATABASE)
    inside = (*NAMESPACE, mount, str(tmp_path), database)
    found = run_doctor(ready.stack, inside=inside, CROWDGAME_DATA=str(tmp_path))
    [line] = [line for line in found.splitlines() if line.startswith("✗ disk: ")]
    assert f" MB are free in {tmp_path}. Free space: " in line


@pytest.mark.nightly
@pytest.mark.parametrize(("days", "is_old"), [(1.9, False), (2.1, True)])
def test_event_check_finds_an_old_backup(days: float, is_old: bool, ready: Server) -> None:
    name = f"{datetime.now(UTC) - timedelta(days=days):%Y%m%dT%H%M%SZ}"
    found = run_doctor(ready.stack, inside=(*NAMESPACE, BACKUP, name)).splitlines()
    problem = f"✗ backups: the newest backup in /var/backups/crowdgame is {name}. Run `systemctl start "
    assert any(line.startswith(problem) for line in found) is is_old
    assert ("✓ backups" in found) is not is_old


@pytest.mark.nightly
def test_event_check_reports_missing_processes_and_open_data(ready: Server, tmp_path: Path) -> None:
    found = wrong(run_doctor(ready.stack, PROMETHEUS_MULTIPROC_DIR=str(tmp_path)))
    assert [line.partition(". ")[0] for line in found] == [
        "✗ processes: no gateway is running",
        "✗ processes: no scheduler is running",
    ]
    elsewhere = ready.stack.redis.replace("127.0.0.1", "0.0.0.0")  # noqa: S104
    [finding] = wrong(run_doctor(ready.stack, REDIS_URL=elsewhere))
    assert "clients need no password" in finding
    tmp_path.chmod(0o755)
    database = tmp_path / "db.sqlite3"
    database.touch()
    database.chmod(0o644)
    found_there = run_doctor(ready.stack, CROWDGAME_DATA=str(tmp_path))
    assert f"✗ disk: every user of this machine can read {database}" in found_there
    assert "migrations pending" in found_there


def test_doctor_finds_nothing_wrong_with_a_stack_in_order(server: Server) -> None:
    found = run_doctor(server.stack, EVENT_PHONES="2000000000")
    assert wrong(found) == []
    checked = {line.removeprefix("✓ ") for line in found.splitlines() if line.startswith("✓")}
    assert checked >= {"services", "store", "clocks", "workers", "public address"}
    [hint] = [line for line in found.splitlines() if "processes: " in line]
    assert hint.startswith("? processes: gateway ")


def test_doctor_checks_an_event_before_it_begins(server: Server) -> None:
    code = server.ask("event", owner="doris", admission="tickets")["code"]
    found = run_doctor(server.stack, "--event", code.lower(), "--people", "3").splitlines()
    assert f"✗ event {code}: 0 people have a code to join. Make tickets, or add to the class list." in found
    ready = server.ask("event", owner="doris", lobby="open")["code"]
    found = run_doctor(server.stack, "--event", ready, "--people", "3").splitlines()
    about = [line for line in found if f"event {ready}" in line]
    assert about == [
        f"? event {ready}: running gateways: 1; needed for 3 people, with a spare: 2. "
        "Start more: see docs/performance.md, Capacity planning."
    ]
