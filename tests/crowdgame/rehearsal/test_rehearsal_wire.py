"""A simulated phone's connection: its address, message decoding and server clock."""

import msgspec
import pytest

from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import decode, encode, phone_address
from tests.voting.fake_server import FakeServer
from voting.protocol import BallotCast, BallotCounted, PhoneWelcomed, You

encode_any = msgspec.json.encode


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8000", "ws://127.0.0.1:8000/ws/phone"),
        ("http://hall.local/", "ws://hall.local/ws/phone"),
        ("https://play.example:8443/", "wss://play.example:8443/ws/phone"),
        ("http://[::1]:8000", "ws://[::1]:8000/ws/phone"),
    ],
)
def test_phone_address_derives_from_server_url(url: str, address: str) -> None:
    assert phone_address(url) == address


@pytest.mark.parametrize(
    "url", ["", "hall.local", "ftp://hall.local", "http://", "http://hall:port", "http://h:99999"]
)
def test_phone_address_rejects_invalid_url(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        phone_address(url)


def test_decode_caches_broadcast_frames() -> None:
    frame = b'{"type":"turnout.counted","turn":1,"connected":[1,2],"voted":[0,0]}'
    assert decode(frame) is decode(bytes(bytearray(frame)))
    own = b'{"type":"ballot.counted","turn":1,"choice":2,"sequence":3}'
    assert decode(own) == BallotCounted(turn=1, choice=2, sequence=3)
    cast = BallotCast(turn=1, epoch=1, choice=2, sequence=3, blind="0a" * 16)
    ballot = b'"turn":1,"epoch":1,"choice":2,"sequence":3,"blind":"%b"' % (b"0a" * 16)
    assert encode(cast) == b'{"type":"ballot.cast",%b}' % ballot


def test_decode_shares_equal_state_between_welcomes() -> None:
    fake = FakeServer()
    welcomes = [
        PhoneWelcomed(now_at=7, seq=1, you=You(token=token, team=1), state=fake.state()) for token in "ab"
    ]
    read = [decode(encode_any(welcome)) for welcome in welcomes]
    assert read == welcomes
    assert isinstance(read[0], PhoneWelcomed)
    assert isinstance(read[1], PhoneWelcomed)
    assert read[0].state is read[1].state


def test_decode_rejects_invalid_frames() -> None:
    for frame in (
        b"",
        b"\xff",
        b'{"type":"phone.welcomed"}',
        b'{"type":"clock.synced"}',
        b'{"type":"nonsense"}',
    ):
        with pytest.raises(msgspec.DecodeError):
            decode(frame)


def test_server_clock_uses_shortest_round_trip() -> None:
    local = iter([0.0, 0.2, 0.2, 0.31, 1.0, 1.0])
    clock = ServerClock(lambda: next(local))
    clock.welcome(5_000)
    clock.sync(0.0, 5_080)
    assert clock.now_ms() == pytest.approx(200 + 4_980)
    clock.sync(300.0, 5_300)
    assert clock.now_ms() == pytest.approx(1000 + 4_995)
    assert clock.until(6_000) == pytest.approx(0.005)
