"""The gateway: pages from memory, sockets, and Django behind them."""

import gc
import os
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")
django_application = get_asgi_application()
SEATS_ARE_SIGNED_WITH = settings.SECRET_KEY  # read here, so that a gateway without one does not start

from channels.sessions import SessionMiddlewareStack  # noqa: E402

from crowdgame.chat.consumer import ChatConsumer  # noqa: E402
from crowdgame.console.consumer import ConsoleConsumer  # noqa: E402
from crowdgame.duels import rematch_socket  # noqa: E402, F401  registers its hook
from crowdgame.monitoring.health import seen_from_outside  # noqa: E402
from crowdgame.web.hosts import comes_from_own_page, comes_from_this_very_site  # noqa: E402
from crowdgame.web.static_pages import at_known_hosts, static_pages  # noqa: E402
from voting.gateway.display import DisplayConsumer  # noqa: E402
from voting.gateway.gateway import gateway  # noqa: E402
from voting.gateway.page_preload import build_page_preload  # noqa: E402
from voting.gateway.phone import PhoneConsumer  # noqa: E402
from voting.gateway.unknown import refuse_socket  # noqa: E402
from voting.metrics.metrics import take_role  # noqa: E402

YOUNG, YOUNG_TIMES, MIDDLE_TIMES = 10_000, 10, 1_000
take_role("gateway")
PAGES = static_pages(
    seen_from_outside(at_known_hosts(django_application)),
    lambda code, team: build_page_preload(gateway(), code, team),
)
# Each with who may open it. A page of a stranger's can neither have its visitors vote here nor press buttons.
SOCKETS: dict[str, tuple[Any, Any]] = {
    "/ws/phone": (comes_from_own_page, PhoneConsumer.as_asgi()),
    "/ws/display": (comes_from_own_page, DisplayConsumer.as_asgi()),
    "/ws/chat": (comes_from_own_page, ChatConsumer.as_asgi()),
    "/ws/console": (comes_from_this_very_site, SessionMiddlewareStack(ConsoleConsumer.as_asgi())),
}
NO_SOCKET = (comes_from_own_page, refuse_socket)


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        address = scope["path"].removeprefix(scope.get("root_path", ""))
        may_open, socket = SOCKETS.get(address, NO_SOCKET)
        await (socket if may_open(scope) else refuse_socket)(scope, receive, send)
    elif scope["type"] == "http":
        await PAGES(scope, receive, send)
    else:
        raise ValueError(f"this is no application for {scope['type']}")


# What is loaded by now stays. What is new is looked through, as sockets that end badly leave cycles: it takes
# milliseconds. Looking through all of a full hall takes a fifth of a second, so it is put off and off.
gc.collect()
gc.freeze()
gc.set_threshold(YOUNG, YOUNG_TIMES, MIDDLE_TIMES)
