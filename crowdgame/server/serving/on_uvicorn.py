"""uvicorn as the HTTP server of a gateway."""

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from crowdgame.server.serving.event_loop import new_event_loop
from crowdgame.server.serving.front import Front
from crowdgame.server.serving.service import Service


class NoTransport(asyncio.Transport):
    def close(self) -> None:
        """Leave the connection open: it has become a WebSocket."""


def _detach(http: Any) -> None:
    http.transport = NoTransport()
    http.connection_lost(None)


def serve(service: Service) -> None:
    """Serve until a signal ends the process."""
    front = Front(service, lambda: HttpToolsProtocol(config, state, {}), _detach)
    config = uvicorn.Config(
        front.http_application,
        interface="asgi3",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=int(front.keep_alive_s),
    )
    config.load()
    state = ServerState()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(front.serve())
