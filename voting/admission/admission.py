"""Admission keys of an event: ticket codes, rotating join codes, projector keys, and a limit on guesses.

A rotating code and a projector key are HMACs of the event's code, so nothing is stored. They are made with
SECRET_KEY. Those of SECRET_KEY_FALLBACKS are accepted, too.
"""

from functools import lru_cache

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from games.matches import CODE_LETTERS

CODE_PERIOD_MS = 30_000
ROTATING_LENGTH = 5
TICKET_LENGTH, ROSTER_LENGTH = 8, 6
PROJECTOR_KEY_LENGTH = 24
STALE_PERIODS = 20
CODE_CACHE_SIZE = 1_000
WRONG_KEY_BURST = 200
WRONG_KEYS_PER_SECOND = 2.0
_IGNORED = str.maketrans("", "", " -\u2010\u2011\u2012\u2013\u00a0\t")


def normalize_key(text: str) -> str:
    """Return a typed key as it is stored: upper case, without spaces and dashes."""
    return text.translate(_IGNORED).upper()


def format_key(key: str) -> str:
    """Return a key as it is printed: a ticket code in two halves, ABCD-EFGH."""
    return f"{key[:4]}-{key[4:]}" if len(key) == TICKET_LENGTH else key


def is_ticket_code(key: str) -> bool:
    """Whether the normalized key has the form of a ticket code or a roster code. Does not query."""
    return len(key) in {TICKET_LENGTH, ROSTER_LENGTH} and set(key) <= set(CODE_LETTERS)


def rotating_code(event: str, now: int) -> tuple[str, int]:
    """The rotating code of an event at `now`, and when its period ends. Both times are in milliseconds."""
    period = now // CODE_PERIOD_MS
    return _rotating_code(event, period, settings.SECRET_KEY), (period + 1) * CODE_PERIOD_MS


def is_rotating_code(event: str, key: str, now: int) -> bool:
    """Whether the key is the current rotating code, or the last one, which people may still be typing."""
    period = now // CODE_PERIOD_MS
    return _is_code_of(event, key, range(period - 1, period + 1))


def is_stale_code(event: str, key: str, now: int) -> bool:
    """Whether the key was a rotating code some minutes ago (STALE_PERIODS). It is late, not a guess."""
    period = now // CODE_PERIOD_MS
    return _is_code_of(event, key, range(period - STALE_PERIODS, period - 1))


def projector_key(event: str) -> str:
    """The key in an organizer's display link. It stays the same for the lifetime of the event."""
    return _projector_key(event, settings.SECRET_KEY)


def is_projector_key(event: str, key: str | None) -> bool:
    """Display login: whether the key is the event's projector key. Compares in constant time."""
    return key is not None and any(_is_equal(key, _projector_key(event, secret)) for secret in _secrets())


def _is_equal(one: str, other: str) -> bool:
    return constant_time_compare(one.encode(), other.encode())


def _secrets() -> list[str]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _is_code_of(event: str, key: str, periods: range) -> bool:
    return any(
        _is_equal(key, _rotating_code(event, period, secret)) for period in periods for secret in _secrets()
    )


def _projector_key(event: str, secret: str) -> str:
    mac = salted_hmac("crowdgame.projector", event, secret, algorithm="sha256")
    return mac.hexdigest()[:PROJECTOR_KEY_LENGTH]


@lru_cache(CODE_CACHE_SIZE)
def _rotating_code(event: str, period: int, secret: str) -> str:
    digest = salted_hmac("crowdgame.moment", f"{event}.{period}", secret, algorithm="sha256").digest()
    number, chars = int.from_bytes(digest, "big"), []
    for _ in range(ROTATING_LENGTH):
        number, char = divmod(number, len(CODE_LETTERS))
        chars.append(CODE_LETTERS[char])
    return "".join(chars)


class GuessLimiter:
    """Token-bucket rate limit on wrong keys: WRONG_KEY_BURST tokens, refilled at WRONG_KEYS_PER_SECOND.

    While it is exhausted no key is checked, not even a right one; otherwise it could still be guessed.
    A batch may hold more wrong keys than are left. The bucket then goes below 0 and must refill first.
    """

    def __init__(self) -> None:
        self._left = float(WRONG_KEY_BURST)
        self._counted_at = 0.0

    def is_exhausted(self, now: float) -> bool:
        """Whether no key may be checked now. `now` is a monotonic time in seconds."""
        self._left = min(WRONG_KEY_BURST, self._left + (now - self._counted_at) * WRONG_KEYS_PER_SECOND)
        self._counted_at = now
        return self._left < 1

    def count(self, wrong: int) -> None:
        self._left -= wrong
