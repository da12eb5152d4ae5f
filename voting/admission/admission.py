"""Admission keys of an event: ticket codes, rotating join codes, projector keys, and a limit on guesses.

A rotating code and a projector key are HMACs of the event's code, so nothing is stored. They are made with
SECRET_KEY. Those of SECRET_KEY_FALLBACKS are accepted, too.

A rotating code is short, so that people can type it. The QR code holds a link key: the same code with
further letters. Only the typed code can be guessed, so only its guesses are limited.
"""

from functools import lru_cache

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from voting.events import CODE_LETTERS

CODE_PERIOD_MS = 30_000
ROTATING_LENGTH, LINK_KEY_LENGTH = 5, 13
TICKET_LENGTH = 8
PROJECTOR_KEY_LENGTH = 24
STALE_PERIODS = 20
CODE_CACHE_SIZE = 1_000
WRONG_KEY_BURST = 200
WRONG_KEYS_PER_SECOND = 10.0


def format_key(key: str) -> str:
    """Return a ticket code or roster code as it is printed: in two halves, ABCD-EFGH."""
    return f"{key[:4]}-{key[4:]}"


def is_ticket_code(key: str) -> bool:
    """Whether the normalized key has the form of a ticket code or a roster code. Does not query."""
    return len(key) == TICKET_LENGTH and set(key) <= set(CODE_LETTERS)


def rotating_code(event: str, now: int) -> tuple[str, int]:
    """The rotating code of an event at `now`, and when its period ends. Both times are in milliseconds."""
    return rotating_link_key(event, now)[:ROTATING_LENGTH], (now // CODE_PERIOD_MS + 1) * CODE_PERIOD_MS


def rotating_link_key(event: str, now: int) -> str:
    """The key in the display's QR code at `now`. It begins with the rotating code."""
    return _rotating_key(event, now // CODE_PERIOD_MS, settings.SECRET_KEY)


def is_rotating_code(event: str, key: str, now: int) -> bool:
    """Whether the key is the current rotating code or link key, or the last one, which may still be typed."""
    period = now // CODE_PERIOD_MS
    return _is_code_of(event, key, range(period - 1, period + 1))


def is_stale_code(event: str, key: str, now: int) -> bool:
    """Whether the key was a rotating code some minutes ago (STALE_PERIODS). It is late, not a guess."""
    period = now // CODE_PERIOD_MS
    return _is_code_of(event, key, range(period - STALE_PERIODS, period - 1))


def projector_key(event: str, version: int) -> str:
    """The key in an organizer's display link, for this `display_key_version` of the event."""
    return _projector_key(event, version, settings.SECRET_KEY)


def is_projector_key(event: str, version: int, key: str | None) -> bool:
    """Display login: whether the key is the event's projector key. Compares in constant time."""
    return key is not None and any(
        _is_equal(key, _projector_key(event, version, secret)) for secret in _secrets()
    )


def _is_equal(one: str, other: str) -> bool:
    return constant_time_compare(one.encode(), other.encode())


def _secrets() -> list[str]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _is_code_of(event: str, key: str, periods: range) -> bool:
    keys = (_rotating_key(event, period, secret) for period in periods for secret in _secrets())
    return len(key) in {ROTATING_LENGTH, LINK_KEY_LENGTH} and any(
        _is_equal(key, one[: len(key)]) for one in keys
    )


def _projector_key(event: str, version: int, secret: str) -> str:
    mac = salted_hmac("crowdgame.projector", f"{event}.{version}", secret, algorithm="sha256")
    return mac.hexdigest()[:PROJECTOR_KEY_LENGTH]


@lru_cache(CODE_CACHE_SIZE)
def _rotating_key(event: str, period: int, secret: str) -> str:
    digest = salted_hmac("crowdgame.moment", f"{event}.{period}", secret, algorithm="sha256").digest()
    number, chars = int.from_bytes(digest, "big"), []
    for _ in range(LINK_KEY_LENGTH):
        number, char = divmod(number, len(CODE_LETTERS))
        chars.append(CODE_LETTERS[char])
    return "".join(chars)


class GuessLimiter:
    """Token-bucket rate limit on wrong keys: WRONG_KEY_BURST tokens, refilled at WRONG_KEYS_PER_SECOND.

    While it is exhausted no key is checked, not even a right one; otherwise it could still be guessed.
    """

    def __init__(self) -> None:
        self._left = float(WRONG_KEY_BURST)
        self._counted_at = 0.0

    def is_exhausted(self, now: float) -> bool:
        """Whether no key may be checked now. `now` is a monotonic time in seconds."""
        self._left = min(WRONG_KEY_BURST, self._left + (now - self._counted_at) * WRONG_KEYS_PER_SECOND)
        self._counted_at = now
        return self._left < 1

    def count(self) -> None:
        self._left -= 1
