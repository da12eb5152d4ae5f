"""Webhooks can't be used to reach what only the server can reach."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from crowdgame.organizer.api.webhook_request import post, sign
from crowdgame.server.web import outgoing_request
from crowdgame.server.web.outgoing_request import (
    MAX_ANSWER_BYTES,
    Attempt,
    RefusedAddress,
    check_url,
    is_public,
)
from tests.crowdgame.organizer.api.receiver import Receiver, running_receiver, sending_slowly

SECRET = "whsec_MfKQ9r8GKYqTwjUPD8ILPZIo2LaLaSw="


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as running:
        yield running


def send(url: str) -> Attempt:
    return post(url, [SECRET], "msg_1", b"{}")


def outcome(url: str) -> int | str:
    attempt = send(url)
    return attempt.reason or attempt.status


def resolve_as(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Let the name server give these answers, one after the other."""
    left = list(answers)

    def lookup(host: str, port: int, *_: Any) -> Any:
        return [(0, 0, 0, "", (address, port)) for address in left.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


def test_signature_is_that_of_the_specification() -> None:
    """The library `standardwebhooks` computes the same."""
    signature = sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,APzAMjTmGJD1CHe1l3psPWqHBNm7LdzUn7zexTcoEpk="


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("198.18.0.1", False),
        ("::1", False),
        ("::", False),
        ("::7f00:1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b:1::808:808", False),
        ("2002:7f00:1::", False),
        ("2002:808:808::", False),
        ("2001:0:7f00:1::", False),
        ("fe80::1", False),
        ("fe80::1%2", False),
        ("fec0::1", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("ff0e::1", False),
    ],
)
def test_only_public_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) == public


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "http://example.org:8080/",
        "https://user@example.org/",
        "https://user:password@example.org/",
        "https://:@example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://",
        "https://example.org:25/",
        "https://example.org:0x50/",
        "https://example.org:99999/",
        "https://example.org/a b",
        "https://example.org/\r\nhost: other",
        "https://exämple.org/",
        "https://[::1/",
        "https://example.org/" + "a" * 500,
    ],
)
def test_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(RefusedAddress):
        check_url(url)
    for allowed in ("https://example.org", "https://example.org:8443/a?b=c", "https://[2606:4700::1111]/"):
        assert check_url(allowed).hostname


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::ffff:127.0.0.1]",
        "localhost",
    ],
)
def test_loopback_is_not_called_however_it_is_written(host: str, receiver: Receiver, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert outcome(f"https://{host}:{listener.getsockname()[1]}/") == "address not allowed"
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_no_address_may_be_private(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer in (["8.8.8.8", "10.0.0.1"], ["10.0.0.1", "8.8.8.8"], ["64:ff9b::a00:1"]):
        resolve_as(monkeypatch, answer)
        assert outcome("https://mixed.test/") == "address not allowed"


def test_host_is_resolved_once(receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that gives another address the second time changes nothing."""
    settings.WEBHOOKS = "private"
    resolve_as(monkeypatch, ["127.0.0.1"], ["192.0.2.1"])
    assert outcome(f"http://rebinding.test:{receiver.port}/") == 204
    assert receiver.requests[0][0]["host"] == f"rebinding.test:{receiver.port}"


def test_plain_http_is_for_loopback_only(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOKS = "private"
    resolve_as(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    assert outcome("http://printer.test:8080/") == "address not allowed"


def test_redirect_is_not_followed(receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOKS = "private"
    receiver.answers = [302]
    assert (outcome(receiver.url), len(receiver.requests)) == (302, 1)


def test_private_networks_are_reached_only_with_the_setting(receiver: Receiver, settings: Any) -> None:
    assert outcome(receiver.url) == "address not allowed"
    settings.WEBHOOKS = "private"
    assert outcome(receiver.url) == 204


@pytest.mark.parametrize(("byte", "every_s"), [(b"x", 0.02), (b"", 10.0)])
def test_receiver_has_limited_time(
    byte: bytes, every_s: float, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it sends a byte now and then."""
    settings.WEBHOOKS = "private"
    monkeypatch.setattr(outgoing_request, "TIMEOUT_S", 0.2)
    with sending_slowly(byte, every_s) as port:
        assert outcome(f"http://127.0.0.1:{port}/") == "timeout"


def test_long_answer_is_not_read(settings: Any) -> None:
    settings.WEBHOOKS = "private"
    with sending_slowly(b"x" * MAX_ANSWER_BYTES * 2, 0.01) as port:
        assert outcome(f"http://127.0.0.1:{port}/") == "unreadable answer"


def test_receiver_that_is_away_is_no_connection(settings: Any) -> None:
    settings.WEBHOOKS = "private"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert outcome(f"http://127.0.0.1:{port}/") == "no connection"
    assert outcome("https://" + "a" * 64 + ".test/") == "no connection"
    assert outcome("https://.test/") == "no connection"


def test_certificate_must_be_valid_for_the_host(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOKS = "private"
    key, certificate = _certificate("localhost")
    pem = tmp_path / "server.pem"
    pem.write_bytes(key + certificate)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(pem)
    with running_receiver(tls) as receiver:
        assert outcome(f"https://localhost:{receiver.port}/") == "TLS error"  # unknown to this machine
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        outgoing_request._tls.cache_clear()
        assert outcome(f"https://localhost:{receiver.port}/") == 204
        assert outcome(f"https://127.0.0.1:{receiver.port}/") == "TLS error"
    outgoing_request._tls.cache_clear()
    assert len(receiver.requests) == 1


def _certificate(name: str) -> tuple[bytes, bytes]:
    """A key with a certificate signed by itself, as PEM."""
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain), made.public_bytes(pem)
