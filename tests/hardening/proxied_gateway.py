"""One more gateway of a running stack, which trusts the X-Forwarded-For of its clients."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.stack import gateway
from crowdgame.server.laptop.supervisor import Supervisor
from tests.server import Server

NAME = "proxied"


@contextmanager
def running_proxied_gateway(server: Server) -> Iterator[Server]:
    """Yield the stack as seen through the new gateway."""
    stack = replace(server.stack, port=free_port())
    started = gateway(stack, port=stack.port)
    with Supervisor(stack.logs) as supervisor:
        supervisor.start(replace(started, name=NAME, argv=[*started.argv, "--proxied"]))
        assert wait_for_http(LOOPBACK, stack.port, 60)
        yield replace(server, stack=stack, supervisor=supervisor)
