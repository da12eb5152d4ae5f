"""The gateway: pages from memory, sockets, and Django behind them."""

import gc
import os
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")
django_application = get_asgi_application()
SEATS_ARE_SIGNED_WITH = settings.SECRET_KEY  # read here, so that a gateway without one does not start

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402

from crowdgame.front_door import front_door  # noqa: E402
from crowdgame.health import seen_from_outside  # noqa: E402
from voting.consumers.console import ConsoleConsumer  # noqa: E402
from voting.consumers.display import DisplayConsumer  # noqa: E402
from voting.consumers.phone import PhoneConsumer  # noqa: E402
from voting.consumers.unknown import refuse_socket  # noqa: E402
from voting.metrics import take_role  # noqa: E402

GC_THRESHOLD = 1_500_000
take_role("gateway")
PAGES = front_door(seen_from_outside(django_application))
SOCKETS: dict[str, Any] = {
    "/ws/phone": PhoneConsumer.as_asgi(),
    "/ws/display": DisplayConsumer.as_asgi(),
    "/ws/console": AllowedHostsOriginValidator(AuthMiddlewareStack(ConsoleConsumer.as_asgi())),
}


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        address = scope["path"].removeprefix(scope.get("root_path", ""))
        await SOCKETS.get(address, refuse_socket)(scope, receive, send)
    elif scope["type"] == "http":
        await PAGES(scope, receive, send)
    else:
        raise ValueError(f"this is no application for {scope['type']}")


# What is loaded by now stays, and sockets come and go without leaving cycles: looking through them again and
# again would cost a fifth of a join, and a fifth of a second at a time. A full gateway has fewer objects.
gc.collect()
gc.freeze()
gc.set_threshold(GC_THRESHOLD)
