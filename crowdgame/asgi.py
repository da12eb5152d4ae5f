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
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import path  # noqa: E402

from crowdgame.front_door import front_door  # noqa: E402
from voting.consumers.console import ConsoleConsumer  # noqa: E402
from voting.consumers.display import DisplayConsumer  # noqa: E402
from voting.consumers.phone import PhoneConsumer  # noqa: E402
from voting.consumers.unknown import refuse_socket  # noqa: E402

GC_THRESHOLD = 50_000
SOCKETS: list[tuple[str, Any]] = [
    ("ws/phone", PhoneConsumer.as_asgi()),
    ("ws/display", DisplayConsumer.as_asgi()),
    ("ws/console", AllowedHostsOriginValidator(AuthMiddlewareStack(ConsoleConsumer.as_asgi()))),
    ("<path:anywhere>", refuse_socket),
]
application = ProtocolTypeRouter(
    {
        "http": front_door(django_application),
        "websocket": URLRouter([path(address, socket) for address, socket in SOCKETS]),
    }
)

# What is loaded by now stays: looking through it again and again would cost a third of a ballot's time.
gc.collect()
gc.freeze()
gc.set_threshold(GC_THRESHOLD)
