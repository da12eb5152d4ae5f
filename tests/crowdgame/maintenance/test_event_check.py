"""`manage.py doctor --event CODE` names each planted fault with its remedy, and none on a stack in order."""

import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.laptop.paths import ROOT
from tests.doctor import run_doctor, wrong
from tests.machines.nginx import running_nginx
from tests.monitoring.probes import paused
from tests.run_folder import DATABASE, static_files
from tests.server import Server, running_server
from voting.ballot_box.stores import connect

pytestmark = pytest.mark.nightly

CLOSED = f"{LOOPBACK}:1"
NAMESPACE = ("unshare", "--map-root-user", "--mount", "sh", "-c")
BACKUP = 'mount -t tmpfs none /var/backups && mkdir -p /var/backups/crowdgame/"$0" && exec "$@"'
SLOW_CLOCK = "import time\nnow = time.time\ntime.time = lambda: now() - 90\n"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A stack with everything that an event needs."""
    data = tmp_path_factory.mktemp("ready")
    (data / "static").symlink_to(static_files())
    with running_server(data, gateways=2, analyzes=False) as server:
        yield server


@contextmanager
def setting(server: Server, _folder: Path, **values: str) -> Iterator[dict[str, str]]:
    yield values


@contextmanager
def pending_migration(server: Server, folder: Path) -> Iterator[dict[str, str]]:
    shutil.copy(server.stack.data / DATABASE, folder)
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.execute("DELETE FROM django_migrations WHERE app = 'cups'")
    yield {"CROWDGAME_DATA": str(folder)}


@contextmanager
def slow_clock(server: Server, folder: Path) -> Iterator[dict[str, str]]:
    (folder / "sitecustomize.py").write_text(SLOW_CLOCK)
    yield {"PYTHONPATH": f"{folder}:{ROOT}"}


@contextmanager
def few_files(server: Server, folder: Path) -> Iterator[dict[str, str]]:
    pid = server.supervisor.pid("gateway-1")
    assert pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (250, before[1]))
    yield {"PUBLIC_URL": f"http://play.localhost:{server.stack.port}"}
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


@contextmanager
def frozen(server: Server, _folder: Path, part: str) -> Iterator[dict[str, str]]:
    with paused(server, part):
        yield {}


@contextmanager
def store_without_file(server: Server, _folder: Path) -> Iterator[dict[str, str]]:
    with connect(server.stack.redis) as redis:
        redis.config_set("appendonly", "no")
        yield {}
        redis.config_set("appendonly", "yes")


@contextmanager
def proxy(server: Server, _folder: Path, old: str, new: str) -> Iterator[dict[str, str]]:
    """A proxy with a wrong line in its configuration."""

    def spoil(folder: Path) -> None:
        path = folder / "nginx.conf"
        path.write_text(path.read_text().replace(old, new))

    with running_nginx([server.stack.port], spoil=spoil) as nginx:
        yield {"PUBLIC_URL": f"http://{LOOPBACK}:{nginx.port}"}


@contextmanager
def expired_certificate(server: Server, _folder: Path) -> Iterator[dict[str, str]]:
    with running_nginx([server.stack.port], tls=True, spoil=write_expired_certificate) as nginx:
        trusted = str(nginx.folder / "fullchain.pem")
        yield {"PUBLIC_URL": f"https://{LOOPBACK}:{nginx.tls_port}", "SSL_CERT_FILE": trusted}


def write_expired_certificate(folder: Path) -> None:
    """Sign the certificate of this folder again, for last month."""
    made = x509.load_pem_x509_certificate((folder / "fullchain.pem").read_bytes())
    key = serialization.load_pem_private_key((folder / "privkey.pem").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    now = datetime.now(UTC)
    old = x509.CertificateBuilder(made.issuer, made.subject, made.public_key(), made.serial_number)
    old = old.not_valid_before(now - timedelta(days=60)).not_valid_after(now - timedelta(days=30))
    for extension in made.extensions:
        old = old.add_extension(extension.value, extension.critical)
    signed = old.sign(key, hashes.SHA256())
    (folder / "fullchain.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))


Plant = Callable[..., AbstractContextManager[dict[str, str]]]
FAULTS: dict[str, tuple[Plant, dict[str, str], str, str]] = {
    "closed port": (
        setting,
        {"PUBLIC_URL": f"http://{CLOSED}"},
        f"public address: http://{CLOSED} cannot be reached",
        "Check the DNS name",
    ),
    "mail server down": (
        setting,
        {"EMAIL_URL": f"smtp://{CLOSED}"},
        f"e-mail: {CLOSED} refuses e-mail",
        "Check host, port",
    ),
    "no webhook worker": (
        setting,
        {"WEBHOOKS": "public"},
        "workers: no Celery worker answers that sends webhooks",
        "--queues webhooks",
    ),
    "database down": (
        setting,
        {"DATABASE_URL": f"postgresql://{CLOSED}/none"},
        "services: database: unavailable",
        "correct DATABASE_URL",
    ),
    "pending migration": (
        pending_migration,
        {},
        "services: database: migrations pending",
        "manage.py migrate",
    ),
    "slow clock": (slow_clock, {}, "clocks: the clock of 127.0.0.1:", "Run NTP"),
    "few open files": (few_files, {}, "processes: gateway ", "Raise `LimitNOFILE=`"),
    "worker hangs": (
        frozen,
        {"part": "worker"},
        "workers: no Celery worker answers that closes turns",
        "--queues celery",
    ),
    "store hangs": (frozen, {"part": "valkey"}, "services: ballot box: ", "Start Valkey"),
    "store without append-only file": (store_without_file, {}, "store: 127.0.0.1:", "Set `appendonly yes`"),
    "no WebSockets": (
        proxy,
        {"old": "proxy_set_header Upgrade $http_upgrade;", "new": ""},
        "public address: http",
        "Let the proxy pass `Upgrade`",
    ),
    "static files missing": (
        proxy,
        {"old": "location /static/ {", "new": "location /static/ { return 404;"},
        "static files: http",
        "collectstatic",
    ),
    "certificate expired": (
        expired_certificate,
        {},
        "public address: the certificate is not valid (certificate has expired)",
        "certbot renew",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_event_check_names_a_planted_fault(fault: str, ready: Server, tmp_path: Path) -> None:
    plant, arguments, problem, remedy = FAULTS[fault]
    with plant(ready, tmp_path, **arguments) as environment:
        found = wrong(run_doctor(ready.stack, **environment), machine=("✗ kernel",))
    assert any(line.startswith(f"✗ {problem}") and remedy in line for line in found), found


def test_event_check_finds_nothing_wrong_with_a_stack_in_order(ready: Server) -> None:
    code = ready.ask("event", owner="doris", lobby="open")["code"]
    with running_nginx([ready.stack.port], tls=True) as nginx:
        secure = {
            "PUBLIC_URL": f"https://{LOOPBACK}:{nginx.tls_port}",
            "SSL_CERT_FILE": str(nginx.folder / "fullchain.pem"),
        }
        found = run_doctor(ready.stack, "--event", code, "--people", "100", **secure)
    assert [line for line in wrong(found, machine=("✗ kernel",)) if "expires in" not in line] == []
    assert f"✓ event {code}" in found.splitlines()
    found = run_doctor(ready.stack, "--event", code, "--people", "201")
    assert (
        f"✗ event {code}: the gateways have room for 200 phones of an event, but 201 people will come"
        in found
    )


def test_event_check_finds_a_full_disk(ready: Server, tmp_path: Path) -> None:
    mount = 'mount -t tmpfs -o size=16m,mode=700 none "$0" && cp "$1" "$0" && shift && exec "$@"'
    database = str(ready.stack.data / DATABASE)
    found = run_doctor(
        ready.stack, inside=(*NAMESPACE, mount, str(tmp_path), database), CROWDGAME_DATA=str(tmp_path)
    )
    [line] = [line for line in found.splitlines() if line.startswith("✗ disk: ")]
    assert f" MB are free in {tmp_path}. Free space: " in line


@pytest.mark.parametrize(("days", "is_old"), [(1.9, False), (2.1, True)])
def test_event_check_finds_an_old_backup(days: float, is_old: bool, ready: Server) -> None:
    name = f"{datetime.now(UTC) - timedelta(days=days):%Y%m%dT%H%M%SZ}"
    found = run_doctor(ready.stack, inside=(*NAMESPACE, BACKUP, name)).splitlines()
    problem = f"✗ backups: the newest backup in /var/backups/crowdgame is {name}. Run `systemctl start "
    assert any(line.startswith(problem) for line in found) is is_old
    assert ("✓ backups" in found) is not is_old
