"""Valid messages and their corrupted variants."""

import json
from dataclasses import dataclass
from random import Random
from typing import Any

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
    *("NaN", "Infinity", "-Infinity", "1e999", "0x10", "01", "+1", "1.", ".5", "'a'", "tru", "nul", "//"),
)
ODD_FIELDS = ("team", "voter", "side", "seq", "x" * 200, "type ", "Type", "\u0000")
ODD_BYTES = (b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x00", b"\xef\xbb\xbf")


@dataclass(frozen=True)
class Known:
    """What an attacker who joined the event knows."""

    code: str
    turn: int
    tokens: tuple[str, ...]


def valid(known: Known, rng: Random) -> dict[str, Any]:
    """A message with the fields of its kind."""
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
