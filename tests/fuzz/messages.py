"""What an attacker sends: valid messages, frames and request headers, and corrupted ones."""

import json
import struct
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

ACTIONS = (
    *(f"turn.{action}" for action in ("pause", "resume", "extend", "void", "shorten")),
    *("lobby.open", "match.start", "match.abort", "hands.count", "notice.show", "part.hide"),
)
TYPES = (
    *(f"{kind}.join" for kind in ("phone", "display", "console", "chat")),
    *(f"{kind}.ask" for kind in ("receipt", "rematch", "clock", "action")),
    *("ballot.cast", "drop.show", "cheer.send"),
)
ODD_TEXTS = (
    *("", " ", "\u0000", "\ud800", "\u202e\u2066", "\ufeff", "e\u0301" * 40, "\u3000\u2028", "A" * 300),
    *("👩‍👩‍👧‍👦", "'; DROP TABLE games_event; --", "{{7*7}}${7*7}<script>alert(1)</script>", "__proto__"),
    *("redis.call('FLUSHALL')", "\r\nFLUSHALL\r\n", "../../etc/passwd"),
)
ODD_NUMBERS = (
    *(0, -1, 1, 255, 256, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 2**63, 2**64, -(2**63), 10**40, 10**400),
    *(0.5, -0.0, 1e308, 5e-324, 1e22),
)
# Not valid JSON, but accepted by many parsers.
ODD_WORDS = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "0x10",
    "01",
    "+1",
    "1.",
    ".5",
    "'a'",
    "tru",
    "nul",
    "//",
)
ODD_FIELDS = ("team", "voter", "side", "seq", "x" * 200, "type ", "Type", "\u0000")
ODD_BYTES = (b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x00", b"\xef\xbb\xbf")
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
FIN = 0x80
POST = b"POST /console/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
SOCKETS = ("/ws/phone", "/ws/display", "/ws/console", "/ws/chat")
FALSE_SIZES = (2_000, 2_049, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


class Known(NamedTuple):
    """What an attacker who joined the event knows."""

    code: str
    turn: int
    tokens: tuple[str, ...]


def valid(known: Known, rng: Random) -> dict[str, Any]:
    kind, turn = rng.choice(TYPES), {"turn": known.turn}
    cast = {"epoch": 1, "choice": rng.randint(1, 7), "sequence": rng.randint(1, 99)}
    asked = {"id": rng.randint(1, 9), "action": rng.choice(ACTIONS), "seconds": 5, "part": "code", "team": 2}
    code = {"code": known.code} if kind.endswith("join") else {}
    fields: dict[str, dict[str, Any]] = {
        "phone.join": {"token": rng.choice(known.tokens), "team": rng.choice([1, 2, None])},
        "ballot.cast": turn | cast | {"blind": rng.randbytes(16).hex()},
        "receipt.ask": turn,
        "drop.show": turn,
        "cheer.send": {"presses": rng.randint(1, 20)},
        "clock.ask": {"sent": rng.random() * 1e6},
        "action.ask": turn | asked | {"text": rng.choice(ODD_TEXTS)[:140], "hands": [0, 2, 1]},
    }
    return {"type": kind, **code, **fields.get(kind, {})}


def corrupt(message: dict[str, Any], rng: Random) -> bytes:
    """Corrupt some fields, then the text, then the bytes; sometimes nothing."""
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        _corrupt_field(message, rng)
    text = json.dumps(message, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.3:
        text = _corrupt_text(text, rng)
    data = text.encode("utf-8", "surrogatepass")
    return _corrupt_bytes(data, rng) if rng.random() < 0.3 else data


def odd(rng: Random) -> Any:
    nest: Any = rng.choice([[], {}, [{}], "x"])
    for _ in range(rng.choice((1, 3, 60))):
        nest = [nest] if rng.random() < 0.5 else {"a": nest}
    return rng.choice([rng.choice(ODD_TEXTS), rng.choice(ODD_NUMBERS), None, True, nest])


def _corrupt_field(message: dict[str, Any], rng: Random) -> None:
    name = rng.choice([*message] or ["type"])
    match rng.choice(("change", "change", "drop", "add", "retype", "stringify")):
        case "change":
            message[name] = odd(rng)
        case "drop":
            message.pop(name, None)
        case "add":
            message[rng.choice(ODD_FIELDS)] = odd(rng)
        case "retype":
            message["type"] = rng.choice([*TYPES, "turn.revealed", "phone.welcomed", "retry.after"])
        case "stringify":
            message[name] = str(message.get(name))


def _corrupt_text(text: str, rng: Random) -> str:
    match rng.choice(("cut", "wrap", "twice", "word", "pad")):
        case "cut":
            return text[: rng.randrange(len(text) + 1)]
        case "wrap":
            depth = rng.choice((1, 10, 900))
            return "[" * depth + text + "]" * rng.choice((depth, 0))
        case "twice":
            return text[:-1] + ", " + text[1:] if rng.random() < 0.5 else text + text
        case "word":
            head, colon, tail = text.rpartition(":")
            return head + colon + rng.choice(ODD_WORDS) + "}" * tail.endswith("}")
        case _:
            return text[:-1] + " " * rng.choice((100, 1_900, 2_100)) + text[-1:]


def _corrupt_bytes(data: bytes, rng: Random) -> bytes:
    match rng.choice(("flip", "flip", "insert", "replace")):
        case "flip":
            corrupted = bytearray(data)
            for _ in range(rng.randint(1, 4) if corrupted else 0):
                corrupted[rng.randrange(len(corrupted))] ^= 1 << rng.randrange(8)
            return bytes(corrupted)
        case "insert":
            at = rng.randrange(len(data) + 1)
            return data[:at] + rng.choice(ODD_BYTES) + data[at:]
        case _:
            return rng.randbytes(rng.choice((0, 1, 7, 125, 126, 1_000)))


def frame(payload: bytes, rng: Random, opcode: int = TEXT, first: int = FIN) -> bytes:
    """One masked frame; its first byte is `first | opcode`."""
    size, mask = len(payload), rng.randbytes(4)
    wide = 0 if size < 126 else 2 if size < 1 << 16 else 8
    code = {0: size, 2: 126, 8: 127}[wide]
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    head = bytes((first | opcode, 0x80 | code)) + (size.to_bytes(wide, "big") if wide else b"")
    return head + mask + masked


def handshake(path: str, port: int, *headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += [f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


def close_frame(rng: Random) -> bytes:
    return frame(struct.pack("!H", 1000), rng, CLOSE)


# ------------------------------------------------------------------ frames that a socket survives
def harmless(payload: bytes, rng: Random) -> list[bytes]:
    """Frames that keep the socket open: the text, whole or in fragments, or control frames."""
    roll = rng.random()
    if roll < 0.8:
        return [frame(payload, rng)]
    if roll < 0.85:
        sizes = rng.choices((0, 4, 125), k=3)
        return [frame(rng.randbytes(size), rng, rng.choice((PING, PONG))) for size in sizes]
    if roll < 0.95:
        return fragments(payload, rng)
    return [frame(b"", rng)]


def fragments(payload: bytes, rng: Random) -> list[bytes]:
    cuts = sorted(rng.randrange(len(payload) + 1) for _ in range(rng.randint(1, 4)))
    parts = [payload[a:b] for a, b in zip([0, *cuts], [*cuts, len(payload)], strict=True)]
    made = [frame(part, rng, 0 if number else TEXT, 0) for number, part in enumerate(parts[:-1])]
    made.insert(rng.randrange(len(made) + 1), frame(b"between", rng, PING))
    return [*made, frame(parts[-1], rng, 0)]


# ------------------------------------------------------------------ frames that end it
def _odd_close(rng: Random) -> bytes:
    code = rng.choice((0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535, 4500, 1000))
    reason = rng.choice((b"", b"\xff\xff", "ü".encode(), b"r" * 123))
    return frame(rng.choice((b"\x03", struct.pack("!H", code) + reason)), rng, CLOSE)


def _long_frame(size: int, payload: bytes, rng: Random) -> bytes:
    """A frame that claims this size in its longest form."""
    return struct.pack("!BBQ", FIN | TEXT, FIN | 127, size) + rng.randbytes(4) + payload


FATAL: tuple[Callable[[bytes, Random], bytes], ...] = (
    lambda payload, rng: frame(payload, rng, BINARY),
    # reserved opcodes and bits, and no mask
    lambda payload, rng: frame(payload, rng, rng.choice((3, 4, 7, 0xB, 0xF)), rng.choice((0, FIN))),
    lambda payload, rng: frame(payload, rng, TEXT, FIN | rng.choice((0x10, 0x20, 0x40, 0x70))),
    lambda payload, rng: bytes((FIN | TEXT, min(125, len(payload)))) + payload[:125],
    # a continuation of nothing, a message inside a message, and an endless one
    lambda payload, rng: frame(payload, rng, 0),
    lambda payload, rng: frame(payload, rng, TEXT, 0) + frame(payload, rng, TEXT, 0),
    lambda payload, rng: frame(b"x" * 200, rng, TEXT, 0) + frame(b"y" * 200, rng, 0, 0) * 15,
    # control frames that are long, in fragments, or close with an invalid code
    lambda payload, rng: frame(b"p" * 126, rng, rng.choice((PING, PONG, CLOSE))),
    lambda payload, rng: frame(b"p", rng, rng.choice((PING, CLOSE)), 0),
    lambda payload, rng: _odd_close(rng),
    # too much data, a false size, and a size in too many bytes
    lambda payload, rng: frame(b"x" * rng.choice((2_049, 4_096, 70_000)), rng),
    lambda payload, rng: _long_frame(rng.choice(FALSE_SIZES), payload, rng),
    lambda payload, rng: _long_frame(3, b"abc", rng),
    # no frame at all
    lambda payload, rng: rng.randbytes(rng.choice((1, 2, 14, 300))),
    lambda payload, rng: b"GET /console/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)


# ------------------------------------------------------------------ heads
def odd_head(port: int, rng: Random) -> bytes:
    usual = handshake(rng.choice(SOCKETS), port)
    return rng.choice(
        (
            usual[: rng.randrange(len(usual))],
            usual.replace(b"13", rng.choice((b"8", b"99", b"x", b"13, 8"))),
            usual.replace(KEY.encode(), rng.choice((b"", b"short", b"\xff" * 24, KEY.encode() * 50))),
            usual.replace(b"GET", rng.choice((b"POST", b"get", b"G\x00T", b"PRI", b"CONNECT"))),
            usual.replace(b"HTTP/1.1", rng.choice((b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9", b"HTTP/1.1 x", b""))),
            usual.replace(b"\r\n", b"\n"),
            usual.replace(b"Host: ", rng.choice((b"Host : ", b" Host: ", b"X: y\r\n folded\r\nHost: "))),
            usual.replace(
                b"127.0.0.1", rng.choice((b"evil.example", b"a\x00b", b"[::1", b"127.0.0.1\r\nHost: b"))
            ),
            usual.replace(
                b"/ws/", rng.choice((b"/ws/../", b"/%2e%2e/", b"/\xff/", b"http://x/", b"/" * 9_000))
            ),
            usual[:-2] + b"Origin: http://evil.example\r\n\r\n",
            usual[:-2] + b"X: " + b"y" * rng.choice((10_000, 70_000)) + b"\r\n\r\n",
            usual[:-2] + b"".join(b"X%d: y\r\n" % i for i in range(500)) + b"\r\n",
            usual[:-2]
            + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            usual[:-2] + b"Content-Length: -1\r\n\r\n",
            POST + b"Content-Length: 4\r\nContent-Length: 40\r\n\r\nabcd",
            POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\nx",
            POST + b"Transfer-Encoding: xchunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
            b"GET /%ff%fe/%00 HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: sessionid=\xff\xfe; =;\r\n\r\n",
            b"GET /?" + b"a" * rng.choice((100, 20_000)) + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(40),
            b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n",
            rng.randbytes(rng.choice((1, 40, 2_000))),
        )
    )
