"""Whether the values of a soak run stayed constant."""

from collections.abc import Callable
from itertools import chain
from operator import attrgetter

import msgspec

from tests.load.bench.soak_readings import Reading
from tests.load.bench.trend import Trend, fit_trend

MEMORY_GROWS = 0.02
FILES_GROW = 0.01
WORK_GROWS = 0.10

Of = Callable[[Reading], float]


class Verdict(msgspec.Struct, frozen=True):
    """The trend of a value over the last two thirds; `at_most` is the allowed growth, None for any."""

    what: str
    trend: Trend | None
    at_most: float | None

    @property
    def flat(self) -> bool | None:
        if self.trend is None or self.at_most is None:
            return None
        return self.trend.growth <= self.at_most


class Soak(msgspec.Struct, frozen=True):
    """A soak run; `readings` are evenly spaced."""

    server: str
    gateways: int
    phones: int
    readings: list[Reading]

    @property
    def lost(self) -> int:
        """Ballots without an answer in time, or acknowledged and in no tally."""
        return self.readings[-1].crowd.lost + max(one.crowd.missing for one in self.readings)

    @property
    def passed(self) -> bool:
        return self.lost == 0 and all(verdict.flat is not False for verdict in self.verdicts())

    def verdicts(self) -> list[Verdict]:
        """Valkey and the database may grow, since they keep turns for an hour and permanently."""
        named = chain(self._must_stay(), self._may_grow())
        times = [reading.at_s for reading in self.readings]
        return [
            Verdict(what, fit_trend(times, list(map(of, self.readings))), most) for what, of, most in named
        ]

    def _must_stay(self) -> list[tuple[str, Of, float | None]]:
        return [
            ("gateways: KiB per phone", lambda one: one.gateway_kib / self.phones, MEMORY_GROWS),
            ("worker: KiB", lambda one: one.rss_kib["worker"], MEMORY_GROWS),
            ("schedulers: KiB", attrgetter("scheduler_kib"), MEMORY_GROWS),
            ("all: open files", lambda one: sum(one.files.values()), FILES_GROW),
            ("gateways: CPU µs per ballot, with broadcasts", attrgetter("gateway_us_per_ballot"), WORK_GROWS),
            ("all but the crowd: CPU µs per ballot", attrgetter("server_us_per_ballot"), WORK_GROWS),
        ]

    def _may_grow(self) -> list[tuple[str, Of, float | None]]:
        return [
            ("valkey: KiB in use", attrgetter("valkey_kib"), None),
            ("valkey: keys", attrgetter("valkey_keys"), None),
            ("database: KiB", attrgetter("database_kib"), None),
        ]
