"""`manage.py doctor` on a real stack: in order, and with some things wrong."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from crowdgame.maintenance.doctor.event import capacity_findings, memory_findings
from crowdgame.maintenance.doctor.machine import nginx_findings
from crowdgame.maintenance.doctor.stores import clock_findings, node_findings
from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.doctor import run_doctor, wrong
from tests.machines.nginx import running_nginx
from tests.monitoring.probes import paused
from tests.server import Server, running_server
from voting.ballot_box.stores import connect

NOBODY = "127.0.0.1:1"


@pytest.fixture(scope="module")
def stack_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("doctor")) as server:
        yield server


def test_doctor_finds_nothing_wrong_with_a_stack_in_order(server: Server) -> None:
    found = run_doctor(server.stack, EVENT_PHONES="2000000000")
    assert wrong(found) == []
    checked = {line.removeprefix("✓ ") for line in found.splitlines() if line.startswith("✓")}
    assert checked >= {"services", "store", "clocks", "workers", "public address"}
    [hint] = [line for line in found.splitlines() if "processes: " in line]
    assert hint.startswith("? processes: gateway ")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "settings",
    [
        {
            ("PUBLIC_URL", "http://play.example.org"): "settings: PUBLIC_URL is not https",
            ("SECRET_KEY", "short"): "security.W009",
            ("DEBUG", "1"): "security.W018",
            ("EMAIL_URL", "smtp+plain://0.0.0.0:1"): "e-mail: EMAIL_URL is not encrypted",
            ("EVENT_PHONES", "2000000000"): "but EVENT_PHONES=2000000000 needs",
        },
        {
            ("PUBLIC_URL", ""): "settings: PUBLIC_URL is not set",
            ("DATABASE_URL", f"postgresql://{NOBODY}/none"): "services: database: ",
        },
        {
            ("PUBLIC_URL", f"http://{NOBODY}"): f"public address: http://{NOBODY} cannot be reached",
            ("REDIS_URL", f"redis://{NOBODY}/0"): "services: ballot box: unavailable",
            ("EMAIL_URL", f"smtp://{NOBODY}"): f"e-mail: {NOBODY} refuses e-mail",
        },
    ],
    ids=["unsafe", "no database", "unreachable"],
)
def test_doctor_reports_wrong_settings(stack_server: Server, settings: Mapping[tuple[str, str], str]) -> None:
    found = wrong(run_doctor(stack_server.stack, **dict(settings.keys())))
    for finding in settings.values():
        assert any(finding in line for line in found), found


@pytest.mark.nightly
@pytest.mark.parametrize(
    "settings",
    [
        {
            ("appendfsync", "everysec"): "appendfsync is everysec",
            ("save", "60 1"): "save is 60 1",
            ("maxmemory-policy", "allkeys-lru"): "maxmemory-policy is allkeys-lru",
            ("maxclients", "15"): "clients are connected",
        },
        {("appendonly", "no"): "appendonly is no", ("maxmemory", "1mb"): "memory is nearly full"},
    ],
    ids=["running", "full"],
)
def test_doctor_reports_store_settings(stack_server: Server, settings: Mapping[tuple[str, str], str]) -> None:
    with connect(stack_server.stack.redis) as redis:
        before = {name: redis.config_get(name)[name] for name, _ in settings}
        try:
            for name, value in settings:
                redis.config_set(name, value)
            found = wrong(run_doctor(stack_server.stack))
        finally:
            for name, value in before.items():
                redis.config_set(name, value)
    for finding in settings.values():
        assert any(line.startswith("✗ store: ") and finding in line for line in found), (finding, found)


@pytest.mark.nightly
def test_doctor_reports_missing_processes_and_password(stack_server: Server, tmp_path: Path) -> None:
    found = wrong(run_doctor(stack_server.stack, PROMETHEUS_MULTIPROC_DIR=str(tmp_path)))
    assert [line.partition(". ")[0] for line in found] == [
        "✗ processes: no gateway is running",
        "✗ processes: no scheduler is running",
    ]
    elsewhere = stack_server.stack.redis.replace("127.0.0.1", "0.0.0.0")  # noqa: S104
    [finding] = wrong(run_doctor(stack_server.stack, REDIS_URL=elsewhere))
    assert "clients need no password" in finding


@pytest.mark.nightly
def test_doctor_reports_processes_that_hang(stack_server: Server) -> None:
    with paused(stack_server, "worker", *stack_server.stack.scheduler_names):
        wait_until(lambda: "no scheduler has checked" in run_doctor(stack_server.stack), within_s=60)
        assert "✗ workers: no Celery worker answers" in run_doctor(stack_server.stack)


@pytest.mark.nightly
def test_doctor_reports_readable_data(stack_server: Server, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    database = tmp_path / "db.sqlite3"
    database.touch()
    database.chmod(0o644)
    found = run_doctor(stack_server.stack, CROWDGAME_DATA=str(tmp_path))
    assert f"✗ disk: every user of this machine can read {database}" in found
    assert "migrations pending" in found


@pytest.mark.parametrize(("offset_s", "count"), [(0.9, 0), (-0.9, 0), (1.1, 1), (-60.0, 1)])
def test_doctor_reports_clock_over_a_second_off(offset_s: float, count: int) -> None:
    assert len(list(clock_findings("the store", offset_s))) == count


@pytest.mark.parametrize(
    ("offsets_s", "problems"),
    [
        ({"a": 0.5}, []),
        ({"a": 0.5, "b": 0.481, "c": 0.49}, []),
        ({"a": 0.011, "b": -0.011, "c": 0.0}, ["the clocks of b and a differ by 22 ms"]),
    ],
)
def test_doctor_refuses_nodes_whose_clocks_differ(offsets_s: dict[str, float], problems: list[str]) -> None:
    assert [finding.problem for finding in node_findings(offsets_s)] == problems


def test_doctor_checks_the_limits_of_nginx() -> None:
    supplied = (ROOT / "deploy" / "server" / "nginx.conf").read_text()
    assert list(nginx_findings(supplied)) == []
    stock = "events {\n    worker_connections 768;\n}\n"
    assert [finding.problem.split()[0] for finding in nginx_findings(stock)] == [
        "worker_connections",
        "worker_rlimit_nofile",
    ]


@pytest.mark.parametrize(
    ("people", "problems"),
    [
        (10_000, []),
        (10_001, ["running gateways: 2; needed for 10001 people, with a spare: 3"]),
        (19_600, ["running gateways: 2; needed for 19600 people, with a spare: 3"]),
        (19_601, ["the gateways have room for 19600 phones of an event, but 19601 people", "running"]),
    ],
)
def test_doctor_compares_people_with_the_room_of_gateways(people: int, problems: list[str]) -> None:
    """Each may open 10,000 files. The worker's don't count."""
    files = [({"role": role, "pid": "1"}, 10_000.0) for role in ("gateway", "gateway", "worker")]
    found = [finding.problem for finding in capacity_findings(people, {"process_max_fds": files})]
    assert [problem[: len(start)] for problem, start in zip(found, problems, strict=True)] == problems


def test_doctor_cannot_see_gateways_elsewhere_but_compares_people_with_free_memory() -> None:
    [finding] = capacity_findings(1, {"process_max_fds": []})
    assert (finding.problem, finding.is_wrong) == ("the gateways are not visible from here", False)
    meminfo = "MemTotal: 9999999 kB\nMemAvailable:     36864 kB\n"
    assert list(memory_findings(1_024, meminfo)) == []
    [finding] = memory_findings(1_100, meminfo)
    assert finding.problem == "36 MiB of memory are free, but 1100 phones need 38"


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


@pytest.mark.nightly
def test_doctor_reports_a_certificate_that_expires_soon(stack_server: Server) -> None:
    with running_nginx([stack_server.stack.port], tls=True) as nginx:
        trusted = {"SSL_CERT_FILE": str(nginx.folder / "fullchain.pem")}
        found = run_doctor(stack_server.stack, PUBLIC_URL=f"https://127.0.0.1:{nginx.tls_port}", **trusted)
    assert "✗ public address: the certificate expires in 2 days" in found
