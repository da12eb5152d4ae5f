"""Checks of the settings that hold addresses. Each raises ImproperlyConfigured with what to write.

No message repeats the URL of a service, because it may contain a password.
"""

import re
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured

# The word ANY_ADDRESS in ALLOWED_HOSTS allows every IP address. That is safe against DNS rebinding, because
# a page of another origin can reach this server only by a host name.
ANY_ADDRESS = "ANY_ADDRESS"
HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?")
STORE_SCHEMES = frozenset({"redis", "rediss"})
CLUSTER_SCHEMES = frozenset({"redis+cluster", "rediss+cluster"})
SOCKET_SCHEME = "unix"


def public_origin(value: str, name: str = "PUBLIC_URL") -> str:
    """Return the server's public address as browsers write an origin: scheme, host and port.

    Empty if it is not set. `name` is the variable or option that holds the value.
    """
    if not value.strip():
        return ""
    parts = split_url(value.strip())
    if parts is None or parts.scheme not in {"http", "https"} or parts.path.strip("/") or "@" in parts.netloc:
        parts = None
    host = _host_name(parts.hostname or "") if parts else ""
    if not parts or not host or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{name} must be the scheme and the host of the server and nothing else, such as "
            f"https://play.example.org or http://192.0.2.7:8000. It is {value!r}."
        )
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def host_names(name: str, value: str) -> list[str]:
    """Return the host names in a variable as in a Host header, IPv6 addresses in brackets."""
    return list(_host_names(name, (part.strip() for part in value.split(",") if part.strip())))


def _host_names(variable: str, parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        name = part if part in {"*", ANY_ADDRESS} else _host_name(part.removeprefix(".").strip("[]"))
        if not name:
            raise ImproperlyConfigured(
                f"{variable} must list host names or IP addresses without scheme, port and path, such as "
                f"play.example.org,192.0.2.7. It contains {part!r}."
            )
        yield f".{name}" if part.startswith(".") else name


def store_url(name: str, value: str, *, may_be_cluster: bool = False) -> str:
    """Return the URL of a Redis server, or of a cluster if it may be one."""
    scheme, _, rest = value.partition("://")
    is_cluster = may_be_cluster and scheme in CLUSTER_SCHEMES
    nodes = rest.rpartition("@")[2].split(",") if is_cluster else [rest]
    urls = [split_url(f"{scheme}://{node}") for node in nodes]
    if scheme == SOCKET_SCHEME and urls[0] and urls[0].path:
        return value
    if (is_cluster or scheme in STORE_SCHEMES) and all(url and url.hostname for url in urls):
        return value
    cluster = ", or redis+cluster://HOST:PORT,HOST:PORT for a cluster" if may_be_cluster else ""
    raise ImproperlyConfigured(
        f"{name} must be redis://USER:PASSWORD@HOST:PORT/NUMBER (rediss:// with TLS, unix://PATH for a "
        f"socket){cluster}. In a password, write characters such as # / @ as %23 %2F %40."
    )


def provider_url(value: str) -> str:
    """Return OIDC_URL without a slash at the end. Empty if it is not set."""
    parts = split_url(value)
    is_valid = parts and parts.scheme in {"http", "https"} and _host_name(parts.hostname or "")
    if value and (not is_valid or urlsplit(value).query or urlsplit(value).fragment):
        raise ImproperlyConfigured(
            "OIDC_URL must be the address of the provider, such as https://login.example.org/realms/school, "
            f"without a query. It is {value!r}."
        )
    return value.rstrip("/")


def chat_server(value: str) -> tuple[str, int, bool]:
    """Return the host and port in TWITCH_CHAT_URL, and whether it uses TLS."""
    parts = split_url(value)
    if parts is None or parts.scheme not in {"irc", "ircs"} or not parts.hostname:
        raise ImproperlyConfigured(
            "TWITCH_CHAT_URL must be irc://HOST:PORT, or ircs:// with TLS, such as "
            f"ircs://irc.chat.twitch.tv:6697. It is {value!r}."
        )
    tls = parts.scheme == "ircs"
    return parts.hostname, parts.port or (6697 if tls else 6667), tls


def split_url(url: str) -> SplitResult | None:
    """Return the parts of a URL, or None if it is malformed or has no valid port."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  raises ValueError
    except ValueError:
        return None
    return parts


def _host_name(host: str) -> str:
    """Return the host as in a Host header, or an empty string if it is none."""
    try:
        address = ip_address(host)
    except ValueError:
        name = _ascii_name(host.lower())
        return name if HOST_NAME.fullmatch(name) else ""
    return f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004


def _ascii_name(host: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return ""
