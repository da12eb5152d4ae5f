from typing import Any

from django.db.backends.postgresql import base

from crowdgame.server.config.database import serves_page


class DatabaseWrapper(base.DatabaseWrapper):
    """Keeps pages from using up the connections that sockets need."""

    _pools_by_use: dict[bool, dict[str, Any]] = {True: {}, False: {}}

    @property
    def _connection_pools(self) -> dict[str, Any]:
        return self._pools_by_use[serves_page.get()]
