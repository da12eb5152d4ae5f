"""Host header and Origin checks: allowed host names, and the origins that may open a WebSocket."""

from functools import lru_cache
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http.request import HttpRequest, split_domain_port, validate_host

HOST_CACHE_SIZE = 1024
DEBUG_HOSTS = [".localhost", "127.0.0.1", "[::1]"]  # Django's own default in DEBUG mode


@lru_cache(HOST_CACHE_SIZE)
def is_known_host(host: bytes) -> bool:
    """Whether a Host header, or the part of an Origin after `//`, is in SERVER_NAMES.

    ANY_ADDRESS in SERVER_NAMES allows every IP address.
    """
    known = settings.SERVER_NAMES or (DEBUG_HOSTS if settings.DEBUG else [])
    domain, _ = split_domain_port(host.decode("latin-1"))
    if not domain:
        return False
    return validate_host(domain, known) or (settings.ANY_ADDRESS in known and _is_ip_address(domain))


def _is_ip_address(domain: str) -> bool:
    try:
        ip_address(domain.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def server_url(request: HttpRequest) -> str:
    """Return PUBLIC_URL, or else the address in the request, without a slash at the end."""
    return str(settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}")


def has_known_host(scope: Any) -> bool:
    """Whether the Host header is known. HTTP/1.0 requests may omit it; more than one is refused."""
    hosts = _header_values(scope, b"host")
    return len(hosts) <= 1 and all(map(is_known_host, hosts))


def is_allowed_origin(scope: Any) -> bool:
    """Whether the Origin is this server, or there is none.

    Browsers always send an Origin with a WebSocket handshake, and only browsers can be tricked into one.
    """
    return all(_is_own_origin(origin) for origin in _header_values(scope, b"origin"))


def is_same_origin(scope: Any) -> bool:
    """Whether scheme, host and port of the Origin match the Host header or CSRF_TRUSTED_ORIGINS.

    Required for sockets authenticated by a cookie. Browsers send cookies to every port of a host, so a page
    served on another port must not be trusted.
    """
    origins, hosts = _header_values(scope, b"origin"), _header_values(scope, b"host")
    if len(origins) != 1 or len(hosts) != 1 or not is_known_host(hosts[0]):
        return False
    here = {scheme + b"://" + hosts[0].lower() for scheme in _allowed_schemes()}
    return origins[0].lower() in here | {origin.encode() for origin in settings.CSRF_TRUSTED_ORIGINS}


def _is_own_origin(origin: bytes) -> bool:
    scheme, _, host = origin.partition(b"://")
    return scheme.lower() in _allowed_schemes() and is_known_host(host)


def _allowed_schemes() -> set[bytes]:
    """With HTTPS, refuse http origins: an attacker can modify pages sent over plain HTTP."""
    return {b"https"} if settings.HTTPS else {b"http", b"https"}


def _header_values(scope: Any, header: bytes) -> list[bytes]:
    return [value for name, value in scope["headers"] if name == header]
