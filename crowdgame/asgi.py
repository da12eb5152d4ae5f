"""ASGI application of a gateway: cached pages, WebSocket routes, and Django for all other requests."""

import gc
import os
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")
django_application = get_asgi_application()
SIGNING_KEY = settings.SECRET_KEY  # read here, so that a gateway without one does not start

from channels.sessions import SessionMiddlewareStack  # noqa: E402

from crowdgame.accounts.known_devices import find_known_user  # noqa: E402
from crowdgame.events.branding.logo_cache import cache_logos  # noqa: E402
from crowdgame.organizer.console.consumer import ConsoleConsumer  # noqa: E402
from crowdgame.play.chat.consumer import ChatConsumer  # noqa: E402
from crowdgame.results.reports.match_roots import cache_roots  # noqa: E402
from crowdgame.server.config.database import serves_page  # noqa: E402
from crowdgame.server.config.open_files import is_crowded  # noqa: E402
from crowdgame.server.monitoring.health import serve_monitoring  # noqa: E402
from crowdgame.server.web.cached_pages import require_known_host, static_pages  # noqa: E402
from crowdgame.server.web.hosts import is_allowed_origin, is_same_origin  # noqa: E402
from crowdgame.server.web.page_queue import queue_requests  # noqa: E402
from games.engine.errors import GameError  # noqa: E402
from voting.ballot_box.stores import STORE_ERRORS  # noqa: E402
from voting.gateway.connections import CONNECTION  # noqa: E402
from voting.gateway.display import DisplayConsumer  # noqa: E402
from voting.gateway.gateway import gateway  # noqa: E402
from voting.gateway.page_preload import build_display_preload, build_page_preload  # noqa: E402
from voting.gateway.phone import PhoneConsumer  # noqa: E402
from voting.gateway.socket import refuse_crowded, refuse_socket  # noqa: E402

GC_GEN0_THRESHOLD, GC_GEN1_THRESHOLD, GC_GEN2_THRESHOLD = 5_000, 10_000, 2


async def serve_page(scope: Any, receive: Any, send: Any) -> None:
    serves_page.set(True)
    await django_application(scope, receive, send)


async def load_embed_sites(code: str) -> str:
    """Return the sites that may embed the event: none if it can't be loaded."""
    with suppress(GameError, *STORE_ERRORS):
        if room := await gateway().room(code):
            return room.state.embed_sites
    return ""


PAGES = cache_logos(cache_roots(queue_requests(serve_page, find_known_user)))
HTTP_APPLICATION = static_pages(
    serve_monitoring(require_known_host(PAGES)),
    lambda code, team: build_page_preload(gateway(), code, team),
    lambda code, scope: build_display_preload(gateway(), code, scope),
    lambda code: room.state.language if (room := gateway().loaded_room(code)) else "",
    load_embed_sites=load_embed_sites,
)
CONSOLE_SOCKET = "/ws/console"
# Path: (origin check, consumer). The check prevents cross-site WebSocket hijacking: a page of another origin
# can neither vote for its visitors nor send organizer commands.
SOCKET_ROUTES: dict[str, tuple[Any, Any]] = {
    "/ws/phone": (is_allowed_origin, PhoneConsumer.as_asgi()),
    "/ws/display": (is_allowed_origin, DisplayConsumer.as_asgi()),
    "/ws/chat": (is_allowed_origin, ChatConsumer.as_asgi()),
    CONSOLE_SOCKET: (is_same_origin, SessionMiddlewareStack(ConsoleConsumer.as_asgi())),
}
UNKNOWN_SOCKET = (is_allowed_origin, refuse_socket)


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Route a request by scope type and path. Unknown WebSocket paths are refused.

    While the process is short of file descriptors, only consoles may open sockets.
    Raises ValueError for a scope other than `http` and `websocket`.
    """
    if scope["type"] == "websocket":
        address = scope["path"].removeprefix(scope.get("root_path", ""))
        may_open, socket = SOCKET_ROUTES.get(address, UNKNOWN_SOCKET)
        if not may_open(scope):
            socket = refuse_socket
        elif address != CONSOLE_SOCKET and is_crowded(scope["extensions"][CONNECTION].descriptor):
            socket = refuse_crowded
        await socket(scope, receive, send)
    elif scope["type"] == "http":
        await HTTP_APPLICATION(scope, receive, send)
    else:
        raise ValueError(f"unsupported scope type {scope['type']!r}")


# Garbage collection: freeze the objects loaded so far, so that no collection scans them again. Young objects
# are still collected, because sockets that end badly leave reference cycles. That takes 2 ms, in which no
# thread continues; 50,000 objects at once would take 15 to 35 ms. What a new connection creates stays, so the
# middle generation, which would scan it once more, is as rare as a full collection, which takes 0.2 s with a
# full event.
gc.collect()
gc.freeze()
gc.set_threshold(GC_GEN0_THRESHOLD, GC_GEN1_THRESHOLD, GC_GEN2_THRESHOLD)
