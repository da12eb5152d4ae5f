"""Health checks at `/healthz` and below `/readyz`, and metrics at `/metrics`, answered ahead of Django."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
from typing import Any

from django.conf import settings
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from crowdgame.server.config.database import is_disk_full
from crowdgame.server.monitoring.port import metrics_text
from crowdgame.server.monitoring.readiness import HEALTHY, readiness
from crowdgame.server.web.cached_pages import AsgiApplication
from crowdgame.server.web.cached_responses import CachedResponse

PROXY_HEADERS = {b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via"}
PLAIN_TEXT = "text/plain; charset=utf-8"
DISK_FULL = b"The disk is full. No turn can be closed until space is freed.\n"


def probe_response(status: HTTPStatus, kind: str, body: bytes) -> CachedResponse:
    headers = [
        (b"content-type", kind.encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    return CachedResponse(headers, body, None, status)


def serve_monitoring(next_app: AsgiApplication) -> AsgiApplication:
    """Answer GET and HEAD of the monitoring endpoints. Pass all other requests to `next_app`."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        handler = ENDPOINTS.get(scope["path"])
        if handler is None or scope["method"] not in {"GET", "HEAD"}:
            await next_app(scope, receive, send)
        else:
            response = await handler(scope)
            await response.send(scope, send)

    return application


async def render_health(scope: Any) -> CachedResponse:
    """Liveness: always 200, with a warning in the body if the disk is full."""
    full = is_disk_full(settings.DATABASES["default"])
    return probe_response(HTTPStatus.OK, PLAIN_TEXT, b"OK\n" + (DISK_FULL if full else b""))


async def render_readiness(scope: Any) -> CachedResponse:
    """Readiness as JSON: 200 if ready, 503 otherwise."""
    parts = await readiness.check()
    return _readiness_response(parts, is_ready=readiness.is_ready)


async def render_services(scope: Any) -> CachedResponse:
    """Whether each service answers now, for alerts: 503 while one doesn't, also from a ready gateway."""
    parts = await readiness.check()
    return _readiness_response(parts, is_ready=all(status == HEALTHY for status in parts.values()))


def _readiness_response(parts: dict[str, str], *, is_ready: bool) -> CachedResponse:
    status = HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
    return probe_response(status, "application/json", json.dumps({"ready": is_ready, **parts}).encode())


async def render_metrics(scope: Any) -> CachedResponse:
    """Prometheus metrics. Answers 404 to clients that may not read them."""
    if not may_read_metrics(scope):
        return probe_response(HTTPStatus.NOT_FOUND, PLAIN_TEXT, b"Not found.\n")
    text = await asyncio.get_running_loop().run_in_executor(None, metrics_text)
    return probe_response(HTTPStatus.OK, CONTENT_TYPE_PLAIN_0_0_4, text)


def may_read_metrics(scope: Any) -> bool:
    """Whether the request has the METRICS_TOKEN, or comes from this machine and not through a proxy."""
    headers = dict(scope["headers"])
    token = f"Bearer {settings.METRICS_TOKEN}".encode()
    if settings.METRICS_TOKEN and compare_digest(headers.get(b"authorization", b""), token):
        return True
    return not PROXY_HEADERS & headers.keys() and _is_loopback(scope.get("client"))


def _is_loopback(client: Any) -> bool:
    try:
        address = ip_address(client[0] if client else "")  # a Unix socket has no client address
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


ENDPOINTS: dict[str, Callable[[Any], Awaitable[CachedResponse]]] = {
    "/healthz": render_health,
    "/readyz": render_readiness,
    "/readyz/services": render_services,
    "/metrics": render_metrics,
}
