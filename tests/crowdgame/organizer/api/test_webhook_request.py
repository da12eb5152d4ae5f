"""Webhooks can't be used to reach what only the server can reach."""

import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from crowdgame.organizer.api.webhook_request import post, sign
from crowdgame.server.web import outgoing_request
from crowdgame.server.web.outgoing_request import MAX_ANSWER_BYTES, RefusedAddress, check_url, is_public
from tests.crowdgame.organizer.api.conftest import Receiver, running_receiver, sending_slowly

SECRET = "whsec_MfKQ9r8GKYqTwjUPD8ILPZIo2LaLaSw="


def outcome(url: str) -> int | str:
    attempt = post(url, [SECRET], "msg_1", b"{}")
    return attempt.reason or attempt.status


def resolve_as(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    left = list(answers)

    def lookup(host: str, port: int, *_: Any) -> Any:
        return [(0, 0, 0, "", (address, port)) for address in left.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


def test_signature_is_that_of_the_specification() -> None:
    """The library `standardwebhooks` computes the same."""
    signature = sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,APzAMjTmGJD1CHe1l3psPWqHBNm7LdzUn7zexTcoEpk="


def test_only_public_addresses_are_public() -> None:
    public = ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
    others = (
        *("127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),  # noqa: S104
        *("255.255.255.255", "198.18.0.1", "::1", "::", "::7f00:1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"),
        *("64:ff9b:1::808:808", "2002:7f00:1::", "2002:808:808::", "2001:0:7f00:1::", "fe80::1", "fe80::1%2"),
        *("fec0::1", "fd00::1", "ff02::1", "ff0e::1"),
    )
    assert [address for address in (*public, *others) if is_public(address)] == public


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.org/", "http://example.org:8080/", "ftp://example.org/", "file:///etc/passwd"),
        *("https://user@example.org/", "https://user:password@example.org/", "https://:@example.org/"),
        *("https://example.org:25/", "https://example.org:0x50/", "https://example.org:99999/", "https://"),
        *("https://example.org/a b", "https://example.org/\r\nhost: other", "https://exämple.org/"),
        *("https://[::1/", "https://example.org/" + "a" * 500),
    ],
)
def test_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(RefusedAddress):
        check_url(url)
    for allowed in ("https://example.org", "https://example.org:8443/a?b=c", "https://[2606:4700::1111]/"):
        assert check_url(allowed).hostname


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "localhost"]
)
def test_loopback_is_not_called_however_it_is_written(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert outcome(f"https://{host}:{listener.getsockname()[1]}/") == "address not allowed"
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_no_address_of_a_host_may_be_private(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    resolve_as(monkeypatch, ["8.8.8.8", "10.0.0.1"], ["10.0.0.1", "8.8.8.8"], ["64:ff9b::a00:1"])
    assert {outcome("https://mixed.test/") for _ in range(3)} == {"address not allowed"}
    settings.WEBHOOKS = "private"
    resolve_as(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    assert outcome("http://printer.test:8080/") == "address not allowed"


def test_plain_http_is_limited(receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOKS = "public"
    assert outcome(receiver.url) == "address not allowed"
    settings.WEBHOOKS = "private"
    receiver.answers = [302]
    assert (outcome(receiver.url), len(receiver.requests)) == (302, 1)
    resolve_as(monkeypatch, ["127.0.0.1"], ["192.0.2.1"])  # a name server that changes its answer
    assert outcome(f"http://rebinding.test:{receiver.port}/") == 204
    assert receiver.requests[1][0]["host"] == f"rebinding.test:{receiver.port}"


@pytest.mark.parametrize(
    ("content", "every_s", "reason"),
    [
        pytest.param(b"", 10.0, "timeout", id="silent"),
        pytest.param(b"x", 0.02, "timeout", id="a byte now and then"),
        pytest.param(b"x" * MAX_ANSWER_BYTES * 2, 0.01, "unreadable answer", id="a long answer"),
    ],
)
def test_receiver_has_limited_time_and_space(
    content: bytes, every_s: float, reason: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOKS = "private"
    if reason == "timeout":
        monkeypatch.setattr(outgoing_request, "TIMEOUT_S", 0.2)
    with sending_slowly(content, every_s) as port:
        assert outcome(f"http://127.0.0.1:{port}/") == reason


def test_receiver_that_is_away_is_no_connection(settings: Any) -> None:
    settings.WEBHOOKS = "private"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert outcome(f"http://127.0.0.1:{port}/") == "no connection"
    assert outcome("https://" + "a" * 64 + ".test/") == "no connection"
    assert outcome("https://.test/") == "no connection"


def test_certificate_must_name_host(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOKS = "private"
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, encoding, plain = tmp_path / "server.pem", serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)
    pem.write_bytes(private + certificate.public_bytes(encoding))
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
