"""Several machines without Kubernetes: two only run gateways, in network namespaces of their own.

install.sh writes the settings and nginx's upstreams. Then one machine vanishes in the middle of a vote.
"""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from crowdgame.server.laptop import stack as children
from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import migrate, reset_metrics_dir, start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from deploy.laptop.system_tools import find_server
from tests.crowd_helpers import PHONES, TIMEOUT_S, connected, during_window, held, vote_during
from tests.deploy.processes import wait_until
from tests.machines.manifests import SERVER, env_file, run_install
from tests.machines.nginx import running_nginx
from tests.machines.postgres import Postgres, running_postgres
from tests.server import Server, organizer

MAIN, OTHERS = "10.99.73.1", ("10.99.73.2", "10.99.73.3")
PORT = 8001
START_S = 180
MACHINES = f"{MAIN} main\n" + "".join(f"{address} 1\n" for address in OTHERS)


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    (tmp_path / "machines").write_text(MACHINES)
    return tmp_path


def test_units_are_installed_again_over_masked_ones(etc: Path) -> None:
    """An earlier version masked crowdgame-migrate on machines that only run gateways."""
    (etc / "units").mkdir()
    migrate, valkey = (etc / "units" / f"crowdgame-{name}.service" for name in ("migrate", "valkey"))
    migrate.symlink_to("/dev/null")
    for _ in range(2):
        ended = run_install(etc, "systemctl() { :; }; sysctl() { :; }; install_units", OTHERS[0])
        assert ended.returncode == 0, ended.stderr
        assert ("migrate --noinput" in migrate.read_text(), migrate.is_symlink()) == (False, False)
        assert "collectstatic" in migrate.read_text()
        assert valkey.readlink() == Path("/dev/null")
    (etc / "machine.env").write_text(f"GATEWAY_ADDRESS={OTHERS[0]}\n")
    install = 'systemctl() { echo "$*"; }; sysctl() { :; }; remove_gateway_settings; install_units'
    for is_masked in (False, True):
        ended = run_install(etc, install)
        assert (valkey.is_symlink(), "crowdgame-valkey" in ended.stdout) == (is_masked, not is_masked)
        valkey.unlink()
        valkey.symlink_to("/dev/null")  # the operator uses another one


def test_main_machine_shares_its_services_and_gateways_take_them_once(etc: Path) -> None:
    early = run_install(etc, "write_gateway_settings", OTHERS[0])
    assert (early.returncode, "from the main machine first" in early.stderr) == (1, True)
    ended = run_install(etc, "write_settings; share_services; share_services; gateway_upstreams")
    assert ended.returncode == 0, ended.stderr
    own, shared = env_file(etc / "crowdgame.env"), env_file(etc / "gateways.env")
    assert shared["SECRET_KEY"] == own["SECRET_KEY"]
    assert shared["REDIS_URL"] == own["REDIS_URL"].replace("127.0.0.1", MAIN)
    assert shared["DATABASE_URL"].startswith("postgresql://crowdgame:")
    assert shared["DATABASE_URL"].endswith(f"@{MAIN}/crowdgame")
    assert own["DATABASE_URL"] == "postgresql://%2Frun%2Fpostgresql/crowdgame"
    assert env_file(etc / "machine.env") == {"SHARED_ADDRESS": MAIN}
    remote = [line for line in ended.stdout.splitlines() if "127.0.0.1" not in line]
    assert remote == [f"server {address}:{PORT} max_fails=3 fail_timeout=5s;" for address in OTHERS]
    ended = run_install(etc, 'systemctl() { echo "$1"; }; share_services; start_valkey; start_valkey')
    assert ended.stdout.split() == ["restart", "start"], "the run before ended without a restart"
    (etc / "crowdgame.env").unlink()
    for _ in range(2):
        assert run_install(etc, "write_gateway_settings", OTHERS[0]).returncode == 0
        assert env_file(etc / "crowdgame.env") == shared
    assert env_file(etc / "machine.env") == {"GATEWAY_ADDRESS": OTHERS[0]}
    unlisted = run_install(etc, "write_gateway_settings", "10.99.73.9")
    assert (unlisted.returncode, "10.99.73.9" in unlisted.stderr) == (2, True)


def test_services_elsewhere_keep_their_addresses_and_single_machines_share_nothing(etc: Path) -> None:
    elsewhere = "DATABASE_URL=postgresql://a:b@db.internal/c\nREDIS_URL=redis://valkey.internal:6379/0\n"
    (etc / "crowdgame.env").write_text(elsewhere)
    assert run_install(etc, "share_services").returncode == 0
    assert (etc / "gateways.env").read_text() == elsewhere
    for path in etc.iterdir():
        path.unlink()
    ended = run_install(etc, "write_settings; share_services; gateway_upstreams")
    assert (ended.returncode, [path.name for path in etc.iterdir()]) == (0, ["crowdgame.env"])
    assert all(line.startswith("server 127.0.0.1:") for line in ended.stdout.splitlines())


@pytest.mark.parametrize(
    ("number", "arguments", "kept"), [("", (), 3), ("2", (), 2), ("4", (), 4), ("", OTHERS[:1], 1)]
)
def test_upgrade_keeps_the_number_of_gateways_and_stops_surplus_ones(
    number: str, arguments: tuple[str, ...], kept: int, etc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAYS", number)
    enabled = etc / "units" / "crowdgame.target.wants"
    enabled.mkdir(parents=True)
    for port in (8001, 8002, 8003):
        (enabled / f"crowdgame-gateway@{port}.service").touch()
    ended = run_install(etc, 'systemctl() { echo "$*"; }; echo $ports; stop_surplus_gateways', *arguments)
    ports, *stopped = ended.stdout.splitlines()
    assert ports.split() == [str(8001 + index) for index in range(kept)]
    surplus = range(8001 + kept, 8004)
    assert sorted(stopped) == [f"disable -q --now crowdgame-gateway@{port}" for port in surplus]


def test_machine_that_only_runs_gateways_has_no_backup_folder(etc: Path) -> None:
    """An earlier version created an empty one."""
    folder = etc / "backups"
    for address, exists in ((None, True), (OTHERS[0], False), (OTHERS[0], False)):
        ended = run_install(etc, 'install() { mkdir "$8"; }; create_backup_folder', *filter(None, [address]))
        assert (ended.returncode, folder.exists()) == (0, exists), ended.stderr


# ------------------------------------------------------------------ three hosts
def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@contextmanager
def private_network() -> Iterator[tuple[str, ...]]:
    """This machine at MAIN, and a network namespace for each of OTHERS; yields their names."""
    names = tuple(f"crowdgame{number}" for number in range(len(OTHERS)))
    with ExitStack() as held:
        ip("link", "add", "crowdgame", "type", "bridge")
        held.callback(ip, "link", "del", "crowdgame")
        ip("addr", "add", f"{MAIN}/24", "dev", "crowdgame")
        ip("link", "set", "crowdgame", "up")
        for name, address in zip(names, OTHERS, strict=True):
            ip("netns", "add", name)
            held.callback(ip, "netns", "del", name)
            ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", name, "master", "crowdgame", "up")
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield names


@contextmanager
def kernel_settings() -> Iterator[None]:
    """The times of sysctl.conf after which this machine notices that another one has vanished."""
    rows = [line.split(" = ") for line in (SERVER / "sysctl.conf").read_text().splitlines() if " = " in line]
    named = {name: value for name, value in rows if ".tcp_k" in name or ".tcp_r" in name}
    values = {Path("/proc/sys", *name.split(".")): value for name, value in named.items()}
    before = {path: path.read_text() for path in values}
    for path, value in values.items():
        path.write_text(value)
    try:
        yield
    finally:
        for path, value in before.items():
            path.write_text(value)


def share_postgres(postgres: Postgres) -> None:
    """What `share_database` of install.sh does; these tests need no password."""
    with (postgres.folder / "data" / "pg_hba.conf").open("a") as rules:
        rules.writelines(f"host all postgres {address}/32 trust\n" for address in OTHERS)
    postgres.listen = f"127.0.0.1,{MAIN}"
    postgres.restart()


@contextmanager
def running_hosts(data: Path) -> Iterator[tuple[Server, str]]:
    """The complete server on the main machine, and a gateway in each namespace; and the first of these."""
    assert find_server("ip"), "there is no ip on this machine: make test-deploy installs it"
    upstreams = run_install(data, "write_settings; gateway_upstreams").stdout.splitlines()
    remote = [line for line in upstreams if "127.0.0.1" not in line]
    with ExitStack() as running:
        running.enter_context(kernel_settings())
        namespaces = running.enter_context(private_network())
        postgres = running.enter_context(running_postgres())
        share_postgres(postgres)
        own = free_port()
        nginx = running.enter_context(running_nginx([own], others="\n".join(remote)))
        supervisor = running.enter_context(Supervisor(data / "logs", print))
        stack = Stack(data, "of the tests", nginx.port, valkey_port=free_port(), gateways=1 + len(OTHERS))
        stack = replace(stack, database_url=postgres.new_database())
        start_ballot_box(stack, supervisor)
        with Redis.from_url(stack.redis) as redis:
            redis.config_set("protected-mode", "no")
            redis.config_set("bind", f"127.0.0.1 {MAIN}")
        migrate(stack)
        reset_metrics_dir(stack.metrics_dir)
        away = replace(
            stack,
            redis_url=stack.redis.replace("127.0.0.1", MAIN),
            database_url=stack.database_url.replace("127.0.0.1", MAIN),
        )
        for number, (name, address) in enumerate(zip(namespaces, OTHERS, strict=True), 2):
            child = children.gateway(replace(away, host=address), number, PORT)
            argv = ["ip", "netns", "exec", name, *child.argv, "--proxied"]
            supervisor.start(replace(child, argv=argv))
        here = children.gateway(stack, 1, own)
        supervisor.start(replace(here, argv=[*here.argv, "--proxied"]))
        supervisor.start(children.worker(stack), *children.schedulers(stack))
        for address, port in ((LOOPBACK, own), *((address, PORT) for address in OTHERS)):
            assert wait_for_http(address, port, START_S)
        yield Server(stack, supervisor, running.enter_context(organizer(stack))), namespaces[0]


def test_vote_survives_a_machine_that_vanishes_without_a_word_and_returns(etc: Path) -> None:
    with running_hosts(etc) as (server, namespace):

        def fail(event: int) -> list[int]:
            wait_until(lambda: connected(server, event) == PHONES, TIMEOUT_S)
            assert all(held(server, event)), "each machine has phones"
            with during_window(server, event) as lost:
                ip("link", "set", namespace, "down")
            wait_until(
                lambda: len(held(server, event)) == 2 and connected(server, event) == PHONES, TIMEOUT_S
            )
            with during_window(server, event) as back:
                ip("link", "set", namespace, "up")
            return [lost, back]

        vote_during(fail, server)
