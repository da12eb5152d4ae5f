"""WebSocket frames on the wire, after the cases of the Autobahn test suite, to an echo of each message."""

import socket
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.server.serving.frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, FrameReader
from tests.crowdgame.server.serving.conftest import AsgiServer
from tests.crowdgame.server.serving.test_handshake import dial, head, read_to_end, read_until
from voting.gateway.text_frames import unmask
from voting.protocol import MAX_FRAME_BYTES, CloseCode

HELLO = b"\x81\x05hello"
GREEK = "κόσμε 😀".encode()
BYTES_ALONE = 20


def frame(
    kind: int, payload: bytes = b"", *, final: bool = True, flags: int = 0, mask: bytes = b"mask"
) -> bytes:
    """A frame of a client, or with an empty mask one of the server."""
    first, masked, size = final << 7 | flags << 4 | kind, bool(mask) << 7, len(payload)
    length = bytes((masked | size,)) if size < 126 else bytes((masked | 126,)) + size.to_bytes(2, "big")
    return bytes((first,)) + length + mask + (unmask(payload, mask) if mask else payload)


def fragments(kind: int, *parts: bytes) -> bytes:
    frames = [frame(CONTINUATION if number else kind, part, final=False) for number, part in enumerate(parts)]
    return b"".join(frames[:-1]) + bytes((frames[-1][0] | 0x80,)) + frames[-1][1:]


def echo(kind: int, payload: bytes) -> bytes:
    return frame(kind, payload, mask=b"")


def closed(code: int) -> bytes:
    return echo(CLOSE, code.to_bytes(2, "big"))


def closing(code: int, reason: bytes = b"") -> bytes:
    return frame(CLOSE, code.to_bytes(2, "big") + reason)


HELLO_ASKED = frame(TEXT, b"hello")
# What the client sends, and all that it receives.
ANSWERED = {
    "text": (HELLO_ASKED, HELLO),
    "empty text": (frame(TEXT), b"\x81\0"),
    "125 bytes": (frame(TEXT, b"x" * 125), echo(TEXT, b"x" * 125)),
    "126 bytes": (frame(TEXT, b"x" * 126), echo(TEXT, b"x" * 126)),
    "the largest text": (frame(TEXT, b"x" * MAX_FRAME_BYTES), echo(TEXT, b"x" * MAX_FRAME_BYTES)),
    "64-bit length": (b"\x81\xff" + (5).to_bytes(8, "big") + HELLO_ASKED[2:], HELLO),
    "binary": (frame(BINARY, b"\xff"), b"\x82\x01\xff"),
    "empty binary": (frame(BINARY), b"\x82\0"),
    "binary in fragments": (fragments(BINARY, b"\xff", b"\xfe"), b"\x82\x02\xff\xfe"),
    "empty ping": (frame(PING), b"\x8a\0"),
    "ping": (frame(PING, b"x" * 125), echo(PONG, b"x" * 125)),
    "ten pings": (frame(PING, b"a") * 10, b"\x8a\x01a" * 10),
    "pong that nobody asked for": (frame(PONG, b"a") + HELLO_ASKED, HELLO),
    "two fragments": (fragments(TEXT, b"hel", b"lo"), HELLO),
    "a fragment for each byte": (fragments(TEXT, *(b"%c" % byte for byte in b"hello")), HELLO),
    "empty fragments": (fragments(TEXT, b"", b"", b"hello", b""), HELLO),
    "ping between fragments": (
        frame(TEXT, b"hel", final=False) + frame(PING, b"a") + frame(CONTINUATION, b"lo"),
        b"\x8a\x01a" + HELLO,
    ),
    "UTF-8": (frame(TEXT, GREEK), echo(TEXT, GREEK)),
    "character in two fragments": (fragments(TEXT, GREEK[:1], GREEK[1:]), echo(TEXT, GREEK)),
}
NOT_UTF_8 = {
    "incomplete": b"\xce",
    "overlong, two bytes": b"\xc0\xaf",
    "overlong, three bytes": b"\xe0\x80\xaf",
    "surrogate": b"\xed\xa0\x80",
    "after valid text": GREEK + b"\xed\xa0\x80edited",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "above U+10FFFF": b"\xf4\x90\x80\x80",
    "no byte of UTF-8": b"\xfe",
}
VALID_CODES = (1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)
INVALID_CODES = (0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535)
REFUSED = {
    **{f"reserved bits {flags}": (frame(TEXT, b"a", flags=flags), 1002) for flags in range(1, 8)},
    "reserved bit of a ping": (frame(PING, flags=1), 1002),
    **{f"opcode {kind}": (frame(kind, b"a"), 1002) for kind in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    "ping above 125 bytes": (frame(PING, b"x" * 126), 1002),
    "ping in fragments": (fragments(PING, b"a", b"b"), 1002),
    "pong in fragments": (fragments(PONG, b"a", b"b"), 1002),
    "continuation of nothing": (frame(CONTINUATION, b"a"), 1002),
    "fragment of nothing": (frame(CONTINUATION, b"a", final=False) + HELLO_ASKED, 1002),
    "text within a text": (frame(TEXT, b"a", final=False) + HELLO_ASKED, 1002),
    "text begun twice": (frame(TEXT, b"a", final=False) * 2, 1002),
    "text without a mask": (frame(TEXT, b"hello", mask=b""), 1002),
    "ping without a mask": (frame(PING, b"a", mask=b""), 1002),
    "text too large": (frame(TEXT, b"x" * (MAX_FRAME_BYTES + 1)), CloseCode.FRAME_TOO_LARGE),
    "fragments too large": (fragments(TEXT, b"x" * MAX_FRAME_BYTES, b"x"), CloseCode.FRAME_TOO_LARGE),
    "length of 2^62": (b"\x81\xff" + (1 << 62).to_bytes(8, "big"), CloseCode.FRAME_TOO_LARGE),
    "length of 2^63": (b"\x81\xff" + (1 << 63).to_bytes(8, "big"), CloseCode.FRAME_TOO_LARGE),
    **{f"not UTF-8: {name}": (frame(TEXT, text), 1007) for name, text in NOT_UTF_8.items()},
    **{f"not UTF-8, long: {name}": (frame(TEXT, b"x" * 126 + bad), 1007) for name, bad in NOT_UTF_8.items()},
    "not UTF-8, in the first fragment": (fragments(TEXT, b"\xed\xa0\x80", b"x"), 1007),
    "close": (closing(1000), 1000),
    "close twice": (closing(1000) * 2, 1000),
    "ping after close": (closing(1000) + frame(PING), 1000),
    "text after close": (closing(1000) + HELLO_ASKED, 1000),
    "close between fragments": (frame(TEXT, b"a", final=False) + closing(1000), 1000),
    "close with a reason": (closing(1000, b"bye"), 1000),
    "close with the longest reason": (closing(1000, b"x" * 123), 1000),
    "close of one byte": (frame(CLOSE, b"a"), 1002),
    "close above 125 bytes": (closing(1000, b"x" * 124), 1002),
    "close with a reason that isn't UTF-8": (closing(1000, b"\xed\xa0\x80"), 1007),
    **{f"close {code}": (closing(code), code) for code in VALID_CODES},
    **{f"close {code}": (closing(code), 1002) for code in INVALID_CODES},
}


def connect(asgi_server: AsgiServer, *, kept: bool) -> socket.socket:
    """A new WebSocket; if `kept`, on a connection that has served a page."""
    connection = dial(asgi_server)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if kept:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        read_until(connection, b"\r\n\r\n")
    connection.sendall(head())
    read_until(connection, b"\r\n\r\n")
    return connection


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("case", ANSWERED)
def test_valid_frames_are_answered(asgi_server: AsgiServer, case: str, kept: bool) -> None:
    asked, expected = ANSWERED[case]
    with connect(asgi_server, kept=kept) as connection:
        connection.sendall(asked)
        assert read_until(connection, expected) == expected
        for byte in asked[:BYTES_ALONE]:
            connection.sendall(bytes((byte,)))  # most of them arrive alone
        connection.sendall(asked[BYTES_ALONE:])
        assert read_until(connection, expected) == expected
        connection.sendall(closing(1000))
        assert read_to_end(connection) == closed(1000)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("case", REFUSED)
def test_connection_is_closed_with_code_of_its_fault(asgi_server: AsgiServer, case: str, kept: bool) -> None:
    asked, code = REFUSED[case]
    with connect(asgi_server, kept=kept) as connection:
        connection.sendall(asked)
        assert read_to_end(connection) == closed(code)


def test_close_without_code_is_answered_alike_and_application_chooses_one(asgi_server: AsgiServer) -> None:
    with connect(asgi_server, kept=False) as connection:
        connection.sendall(frame(CLOSE))
        assert read_to_end(connection) == echo(CLOSE, b"")
    with connect(asgi_server, kept=False) as connection:
        connection.sendall(frame(TEXT, b"close 4321"))
        assert read_until(connection, closed(4321)) == closed(4321)


SIZES = st.one_of(st.integers(0, 130), st.integers(0, MAX_FRAME_BYTES))


@given(
    st.lists(st.tuples(st.sampled_from([TEXT, BINARY]), SIZES, st.lists(st.integers(0, 5_000), max_size=3))),
    st.lists(st.integers(0), max_size=10),
)
def test_reader_joins_any_pieces(messages: list[tuple[int, int, list[int]]], cuts: list[int]) -> None:
    data, expected = b"", []
    for kind, size, fragments in messages:
        payload = bytes(number % 251 for number in range(size))
        ends = [0, *sorted(cut % (size + 1) for cut in fragments), size]
        for number, (start, end) in enumerate(pairwise(ends)):
            data += frame(0 if number else kind, payload[start:end], final=number == len(ends) - 2)
            if number < len(ends) - 2:
                data += frame(PING, b"between")
                expected.append((PING, b"between"))
        expected.append((kind, payload))
    reader, ends = FrameReader(), [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    assert [one for start, end in pairwise(ends) for one in reader.read(data[start:end])] == expected
    assert reader.is_between_messages
