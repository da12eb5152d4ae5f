from tests.server import server, servers

__all__ = ["server", "servers"]
