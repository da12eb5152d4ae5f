"""Settings, HTTPS, e-mail, and the public address as a client sees it."""

import asyncio
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPSConnection
from ipaddress import ip_address
from smtplib import SMTPException
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import WARNING, run_checks
from django.core.mail import get_connection
from django.templatetags.static import static

from crowdgame.maintenance.doctor.finding import Finding, not_visible
from crowdgame.maintenance.doctor.stores import is_local
from crowdgame.server.monitoring.readiness import HEALTHY, Readiness
from voting.transparency.log import load_log

HTTP_TIMEOUT_S = 5.0
HTTPS_PORT, DAY_S = 443, 86_400
MIN_CERTIFICATE_DAYS = 14
# nginx redirects to HTTPS; subdomains and preloading are the operator's decision.
IGNORED_CHECKS = frozenset({"security.W005", "security.W008", "security.W021"})
# Consequences of a PUBLIC_URL without HTTPS, which is reported once.
HTTPS_CHECKS = frozenset({"security.W004", "security.W012", "security.W016"})
SERVICES_TIMEOUT_S = 10.0
HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}
REMEDIES = {
    "database": "Start it, correct DATABASE_URL, or run `crowdgame migrate`.",
    "ballot_box": "Start Valkey, or correct BALLOT_BOX_URL or REDIS_URL and its password.",
    "channel_layer": "Start Valkey, or correct REDIS_URL and its password.",
}


def check_services() -> Iterator[Finding]:
    """The checks of /readyz, with more time: on a busy machine, loading the migrations takes a second."""
    for name, status in asyncio.run(Readiness(SERVICES_TIMEOUT_S).check()).items():
        if status != HEALTHY:
            yield Finding(f"{name.replace('_', ' ')}: {status}", REMEDIES[name])


def check_settings() -> Iterator[Finding]:
    """The checks of `manage.py check --deploy`, and HTTPS."""
    ignored = IGNORED_CHECKS if settings.HTTPS else IGNORED_CHECKS | HTTPS_CHECKS
    for message in run_checks(include_deployment_checks=True):
        if message.level >= WARNING and message.id not in ignored and not message.is_silenced():
            text = " ".join(f"{message.msg}".split())
            yield Finding(f"{text} ({message.id})", message.hint or "See the checklist in docs/security.md.")
    yield from _https()


def _https() -> Iterator[Finding]:
    if not settings.PUBLIC_URL:
        yield Finding("PUBLIC_URL is not set", "Set it to the address at which people reach the server.")
    elif not settings.HTTPS:
        finding = Finding(
            "PUBLIC_URL is not https: passwords and ballots are sent in plain text, cookies are not secure",
            "Use a certificate, and set PUBLIC_URL=https://…",
        )
        # A laptop in a local network cannot get a certificate.
        yield finding._replace(is_wrong=not is_in_local_network())


def check_public_address() -> Iterator[Finding]:
    """Request pages at PUBLIC_URL, through the proxy if there is one."""
    if not settings.PUBLIC_URL:
        return
    try:
        yield from _certificate()
        status = _status("/healthz")
    except ssl.SSLCertVerificationError as error:
        problem = f"the certificate is not valid ({error.verify_message})"
        yield Finding(problem, "Run `certbot renew`: see docs/operations.md, Server.")
        return
    except OSError as error:
        problem = f"{settings.PUBLIC_URL} cannot be reached from here ({error})"
        yield Finding(problem, "Check the DNS name, the certificate, the proxy and the gateways.")
        return
    if status != HTTPStatus.OK:
        yield Finding(
            f"{settings.PUBLIC_URL}/healthz answers {status}",
            "Check the proxy, ALLOWED_HOSTS and the gateways.",
        )
        return
    if wrong := _wrong_server():
        yield wrong
        return
    if not _opens_sockets():
        yield Finding(
            f"{settings.PUBLIC_URL} accepts no WebSockets",
            "Let the proxy pass `Upgrade` and `Connection`, as deploy/server/nginx.conf does.",
        )
    if not is_local(urlsplit(settings.PUBLIC_URL).hostname or "") and _status("/metrics") == HTTPStatus.OK:
        problem = f"{settings.PUBLIC_URL}/metrics is public"
        yield Finding(problem, "Block it in the proxy, or let the proxy set X-Forwarded-For.")


def _wrong_server() -> Finding | None:
    """Compare the key of the log at PUBLIC_URL with the database's: each installation has its own."""
    status, body = _get("/log/key")
    if status == HTTPStatus.BAD_REQUEST:
        problem = f"the gateways do not know the name in {settings.PUBLIC_URL}"
        return Finding(problem, "Add it to ALLOWED_HOSTS and restart them, or correct PUBLIC_URL.")
    if body.decode(errors="replace").strip() != str(load_log().verifier_key):
        problem = f"another server answers at {settings.PUBLIC_URL}"
        return Finding(problem, "Correct PUBLIC_URL, the DNS name or the proxy.")
    return None


def check_static_files() -> Iterator[Finding]:
    """Request the phone page and a style sheet of the console at PUBLIC_URL, like a browser."""
    for path in ("/", static("console/console.css")) if settings.PUBLIC_URL else ():
        try:
            status = _status(path)
        except OSError as error:
            yield not_visible(f"not checked: {error}", "Correct the other findings first.")
            return
        if status != HTTPStatus.OK:
            problem = f"{settings.PUBLIC_URL}{path} answers {status}"
            yield Finding(
                problem, "Run the installer again or `crowdgame collectstatic`, restart the gateways."
            )


def _opens_sockets() -> bool:
    address = urlsplit(settings.PUBLIC_URL)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    with closing(kind(address.netloc, timeout=HTTP_TIMEOUT_S)) as connection:
        connection.request("GET", "/ws/phone", headers=HANDSHAKE)
        return connection.getresponse().status == HTTPStatus.SWITCHING_PROTOCOLS


def _certificate() -> Iterator[Finding]:
    address = urlsplit(settings.PUBLIC_URL)
    if address.scheme != "https" or not address.hostname:
        return
    where = address.hostname, address.port or HTTPS_PORT
    with (
        socket.create_connection(where, HTTP_TIMEOUT_S) as plain,
        ssl.create_default_context().wrap_socket(plain, server_hostname=address.hostname) as encrypted,
    ):
        certificate = encrypted.getpeercert() or {}
    days = (ssl.cert_time_to_seconds(str(certificate["notAfter"])) - time.time()) / DAY_S
    if days < MIN_CERTIFICATE_DAYS:
        yield Finding(
            f"the certificate expires in {days:.0f} days", "Renew it: see docs/operations.md, Server."
        )


def check_mail() -> Iterator[Finding]:
    """Log in to the mail server, if one is configured. Sends nothing."""
    if not settings.EMAIL_ENABLED:
        yield not_visible("no e-mail is sent", "To notify players of duels, set EMAIL_URL and PUBLIC_URL.")
        return
    if not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL or is_local(settings.EMAIL_HOST)):
        yield Finding("EMAIL_URL is not encrypted", "Use smtp:// (STARTTLS) or smtps://.")
    try:
        with get_connection():
            pass
    except (OSError, SMTPException) as error:
        problem = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT} refuses e-mail ({error})"
        yield Finding(problem, "Check host, port, user and password in EMAIL_URL.")


def _status(path: str) -> int:
    return _get(path)[0]


def _get(path: str) -> tuple[int, bytes]:
    """Return the status and the body of the answer at PUBLIC_URL."""
    try:
        with urllib.request.urlopen(settings.PUBLIC_URL + path, timeout=HTTP_TIMEOUT_S) as answer:  # noqa: S310
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def is_in_local_network() -> bool:
    """Whether PUBLIC_URL is an address of a local network or of this machine: a laptop, not a server."""
    host = urlsplit(settings.PUBLIC_URL).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith(".local")
