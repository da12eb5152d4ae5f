"""The gateway: pages from memory, sockets, and Django behind them."""

import gc
import os
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")
django_application = get_asgi_application()
SIGNING_KEY = settings.SECRET_KEY  # read here, so that a gateway without one does not start

from channels.sessions import SessionMiddlewareStack  # noqa: E402

from crowdgame.chat.consumer import ChatConsumer  # noqa: E402
from crowdgame.console.consumer import ConsoleConsumer  # noqa: E402
from crowdgame.duels import rematch_socket  # noqa: E402, F401  registers its hook
from crowdgame.monitoring.health import serve_monitoring  # noqa: E402
from crowdgame.web.cached_pages import require_known_host, static_pages  # noqa: E402
from crowdgame.web.hosts import is_allowed_origin, is_same_origin  # noqa: E402
from voting.gateway.display import DisplayConsumer  # noqa: E402
from voting.gateway.gateway import gateway  # noqa: E402
from voting.gateway.page_preload import build_page_preload  # noqa: E402
from voting.gateway.phone import PhoneConsumer  # noqa: E402
from voting.gateway.unknown import refuse_socket  # noqa: E402
from voting.metrics.metrics import set_process_role  # noqa: E402

GC_GEN0_THRESHOLD, GC_GEN1_THRESHOLD, GC_GEN2_THRESHOLD = 10_000, 10, 1_000
set_process_role("gateway")
HTTP_APPLICATION = static_pages(
    serve_monitoring(require_known_host(django_application)),
    lambda code, team: build_page_preload(gateway(), code, team),
)
# Each with who may open it. A page of a stranger's can neither have its visitors vote here nor press buttons.
SOCKET_ROUTES: dict[str, tuple[Any, Any]] = {
    "/ws/phone": (is_allowed_origin, PhoneConsumer.as_asgi()),
    "/ws/display": (is_allowed_origin, DisplayConsumer.as_asgi()),
    "/ws/chat": (is_allowed_origin, ChatConsumer.as_asgi()),
    "/ws/console": (is_same_origin, SessionMiddlewareStack(ConsoleConsumer.as_asgi())),
}
UNKNOWN_SOCKET = (is_allowed_origin, refuse_socket)


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        address = scope["path"].removeprefix(scope.get("root_path", ""))
        may_open, socket = SOCKET_ROUTES.get(address, UNKNOWN_SOCKET)
        await (socket if may_open(scope) else refuse_socket)(scope, receive, send)
    elif scope["type"] == "http":
        await HTTP_APPLICATION(scope, receive, send)
    else:
        raise ValueError(f"this is no application for {scope['type']}")


# What is loaded by now stays. What is new is looked through, as sockets that end badly leave cycles: it takes
# milliseconds. Looking through all of a full hall takes a fifth of a second, so it is put off and off.
gc.collect()
gc.freeze()
gc.set_threshold(GC_GEN0_THRESHOLD, GC_GEN1_THRESHOLD, GC_GEN2_THRESHOLD)
