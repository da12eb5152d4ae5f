"""What a newcomer shows where a device is not enough, and how it is held against what is right.

The code of the moment and a projector's key follow from the secret and the event: nothing is stored. New
ones are made with SECRET_KEY, those of SECRET_KEY_FALLBACKS are taken, too.
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
    """As it is stored: whoever types it may use spaces, dashes and small letters."""
    return text.translate(_IGNORED).upper()


def format_key(key: str) -> str:
    """As it is printed: a long one in two halves, ABCD-EFGH."""
    return f"{key[:4]}-{key[4:]}" if len(key) == TICKET_LENGTH else key


def is_ticket_code(key: str) -> bool:
    """Whether it could be one at all, ticket or pupil's code."""
    return len(key) in {TICKET_LENGTH, ROSTER_LENGTH} and set(key) <= set(CODE_LETTERS)


def rotating_code(event: str, now: int) -> tuple[str, int]:
    """The code by which an event's projector lets people in at `now`, and until when it is shown."""
    period = now // CODE_PERIOD_MS
    return _rotating_code(event, period, settings.SECRET_KEY), (period + 1) * CODE_PERIOD_MS


def is_rotating_code(event: str, key: str, now: int) -> bool:
    """Whether it is the code that is shown, or the one before: somebody may be typing it still."""
    period = now // CODE_PERIOD_MS
    return _is_code_of(event, key, range(period - 1, period + 1))


def is_stale_code(event: str, key: str, now: int) -> bool:
    """Whether it was the code some minutes ago: who shows it comes too late, and does not guess."""
    period = now // CODE_PERIOD_MS
    return _is_code_of(event, key, range(period - STALE_PERIODS, period - 1))


def projector_key(event: str) -> str:
    """What an organizer's link gives to a projector; it stays the same for the event's whole life."""
    return _projector_key(event, settings.SECRET_KEY)


def is_projector_key(event: str, key: str | None) -> bool:
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
    """The wrong keys of an event, so many at once and so many a second; times are in seconds.

    Beyond that no key is looked at, a right one neither, or else it could be guessed. Keys that are looked
    at together may be more than are left: their debt is paid before the next one is looked at.
    """

    def __init__(self) -> None:
        self._left = float(WRONG_KEY_BURST)
        self._counted_at = 0.0

    def is_exhausted(self, now: float) -> bool:
        self._left = min(WRONG_KEY_BURST, self._left + (now - self._counted_at) * WRONG_KEYS_PER_SECOND)
        self._counted_at = now
        return self._left < 1

    def count(self, wrong: int) -> None:
        self._left -= wrong
