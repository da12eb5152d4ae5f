"""The names by which this house is reached, and whose pages may open a socket at it."""

from functools import lru_cache
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

HOST_CACHE_SIZE = 1024
DEBUG_HOSTS = [".localhost", "127.0.0.1", "[::1]"]  # as Django has it


@lru_cache(HOST_CACHE_SIZE)
def is_known_host(host: bytes) -> bool:
    """Whether a Host header, or what follows `//` in an Origin, names this house: see SERVER_NAMES."""
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


def has_known_host(scope: Any) -> bool:
    """HTTP/1.0 may say none; whoever says one says one only."""
    hosts = _header_values(scope, b"host")
    return len(hosts) <= 1 and all(map(is_known_host, hosts))


def is_allowed_origin(scope: Any) -> bool:
    """Or from no page at all: browsers always say an Origin, and nothing but browsers can be misled."""
    return all(_is_own_origin(origin) for origin in _header_values(scope, b"origin"))


def is_same_origin(scope: Any) -> bool:
    """Name and port and all: a cookie is sent to every port of a name, whatever answers there."""
    origins, hosts = _header_values(scope, b"origin"), _header_values(scope, b"host")
    if len(origins) != 1 or len(hosts) != 1 or not is_known_host(hosts[0]):
        return False
    here = {scheme + b"://" + hosts[0].lower() for scheme in _allowed_schemes()}
    return origins[0].lower() in here | {origin.encode() for origin in settings.CSRF_TRUSTED_ORIGINS}


def _is_own_origin(origin: bytes) -> bool:
    scheme, _, host = origin.partition(b"://")
    return scheme.lower() in _allowed_schemes() and is_known_host(host)


def _allowed_schemes() -> set[bytes]:
    """At a house with HTTPS whoever changes what a page over plain HTTP says could speak for it."""
    return {b"https"} if settings.HTTPS else {b"http", b"https"}


def _header_values(scope: Any, header: bytes) -> list[bytes]:
    return [value for name, value in scope["headers"] if name == header]
