"""`daphne tests.load.stock.asgi:application`."""

from django.core.asgi import get_asgi_application

django_application = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import path  # noqa: E402

from tests.load.stock.consumers import VoteConsumer  # noqa: E402

urls = URLRouter([path("ws/vote", VoteConsumer.as_asgi())])
application = ProtocolTypeRouter(
    {"http": django_application, "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(urls))}
)
