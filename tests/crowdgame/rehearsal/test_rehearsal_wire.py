"""A simulated phone's line: where it leads, what is read on it, and what time it tells."""

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
def test_the_phones_address_follows_from_the_servers(url: str, address: str) -> None:
    assert phone_address(url) == address


@pytest.mark.parametrize(
    "url", ["", "hall.local", "ftp://hall.local", "http://", "http://hall:port", "http://h:99999"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        phone_address(url)


def test_what_all_phones_hear_is_decoded_once() -> None:
    frame = b'{"type":"turnout.counted","turn":1,"connected":[1,2],"voted":[0,0]}'
    assert decode(frame) is decode(bytes(bytearray(frame)))
    own = b'{"type":"ballot.counted","turn":1,"choice":2,"sequence":3}'
    assert decode(own) == BallotCounted(turn=1, choice=2, sequence=3)
    cast = BallotCast(turn=1, epoch=1, choice=2, sequence=3, blind="0a" * 16)
    ballot = b'"turn":1,"epoch":1,"choice":2,"sequence":3,"blind":"%b"' % (b"0a" * 16)
    assert encode(cast) == b'{"type":"ballot.cast",%b}' % ballot


def test_phones_that_come_in_one_moment_share_the_state() -> None:
    fake = FakeServer()
    welcomes = [
        PhoneWelcomed(now_at=7, seq=1, you=You(token=token, team=1), state=fake.state()) for token in "ab"
    ]
    read = [decode(encode_any(welcome)) for welcome in welcomes]
    assert read == welcomes
    assert isinstance(read[0], PhoneWelcomed)
    assert isinstance(read[1], PhoneWelcomed)
    assert read[0].state is read[1].state


def test_what_is_no_message_is_none() -> None:
    for frame in (
        b"",
        b"\xff",
        b'{"type":"phone.welcomed"}',
        b'{"type":"clock.synced"}',
        b'{"type":"nonsense"}',
    ):
        with pytest.raises(msgspec.DecodeError):
            decode(frame)


def test_the_shortest_round_trip_tells_the_time() -> None:
    local = iter([0.0, 0.2, 0.2, 0.31, 1.0, 1.0])
    clock = ServerClock(lambda: next(local))
    clock.welcome(5_000)
    clock.sync(0.0, 5_080)
    assert clock.now_ms() == pytest.approx(200 + 4_980)
    clock.sync(300.0, 5_300)
    assert clock.now_ms() == pytest.approx(1000 + 4_995)
    assert clock.until(6_000) == pytest.approx(0.005)
