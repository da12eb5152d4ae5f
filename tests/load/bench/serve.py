"""`python -m tests.load.bench.serve SERVER PORT MODULE`: run another application under a gateway's server."""

import sys
from importlib import import_module

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.serving.listener import listen
from crowdgame.server.serving.service import Service


async def drain(within_s: float) -> None:
    """Nothing to drain."""


def main(server: str, port: int, module: str) -> None:
    application = import_module(module).application
    service = Service(application, listen(LOOPBACK, port), drain, drain_s=0)
    import_module(f"crowdgame.server.serving.on_{server}").serve(service)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
