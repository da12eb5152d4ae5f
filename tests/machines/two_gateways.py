"""A stack as on a server: nginx in front of two gateways on separate ports, PostgreSQL and one Valkey."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.laptop import stack as children
from deploy.laptop.metrics_dir import reset_metrics_dir
from deploy.laptop.network import LOOPBACK, free_port, wait_for_http
from deploy.laptop.stack import Stack
from deploy.laptop.startup import migrate, start_ballot_box
from deploy.laptop.supervisor import Child, Supervisor
from tests.machines.nginx import Nginx, running_nginx
from tests.server import Server, organizer

GATEWAYS = ("gateway-1", "gateway-2")
WITHIN_S = 60


@dataclass
class ProxiedStack(Server):
    """A running stack. `ports` are the gateways' own ports, `said` the supervisor's messages."""

    nginx: Nginx
    ports: tuple[int, ...]
    said: list[str]

    def gateway_url(self, gateway: str) -> str:
        return f"http://{LOOPBACK}:{self.ports[GATEWAYS.index(gateway)]}"


@contextmanager
def running_proxied_stack(data: Path, server: str, database_url: str) -> Iterator[ProxiedStack]:
    """Run the stack, ready for requests through nginx."""
    ports = tuple(free_port() for _ in GATEWAYS)
    said: list[str] = []
    with running_nginx(ports) as nginx, Supervisor(data / "logs", said.append) as supervisor:
        stack = Stack(
            data=data,
            secret_key="of the tests",
            port=nginx.port,
            valkey_port=free_port(),
            server=server,
            gateways=len(ports),
            database_url=database_url,
        )
        _start(stack, supervisor, ports)
        with organizer(stack) as asked:
            yield ProxiedStack(stack, supervisor, asked, nginx, ports, said)


def _start(stack: Stack, supervisor: Supervisor, ports: tuple[int, ...]) -> None:
    start_ballot_box(stack, supervisor)
    migrate(stack)
    reset_metrics_dir(stack.metrics_dir)
    gateways = [_behind_a_proxy(children.gateway(stack, *place)) for place in enumerate(ports, 1)]
    supervisor.start(*gateways, children.worker(stack), *children.schedulers(stack))
    for port in ports:
        assert wait_for_http(LOOPBACK, port, WITHIN_S)


def _behind_a_proxy(gateway: Child) -> Child:
    return replace(gateway, argv=[*gateway.argv, "--proxied"])
