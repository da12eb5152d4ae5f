from tests.server import server, servers
from tests.socket_clients import clients

__all__ = ["clients", "server", "servers"]
