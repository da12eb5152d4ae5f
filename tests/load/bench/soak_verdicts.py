"""Whether the values of a soak run stayed constant."""

from collections.abc import Sequence
from operator import attrgetter
from statistics import fmean, linear_regression

import msgspec

from tests.load.bench.soak_readings import Reading

WARMUP_SHARE = 1 / 3
HOUR_S = 3600.0
MEMORY_GROWS = 0.02
FILES_GROW = 0.01
WORK_GROWS = 0.10


class Trend(msgspec.Struct, frozen=True):
    """A straight line through the last two thirds. `growth` is its growth as a share of the mean."""

    mean: float
    per_hour: float
    growth: float


def fit_trend(at_s: Sequence[float], values: Sequence[float]) -> Trend | None:
    """Fit by least squares; None for fewer than three readings."""
    first = round(len(values) * WARMUP_SHARE)
    times, judged = at_s[first:], values[first:]
    if len(judged) < 3 or times[0] == times[-1]:
        return None
    slope = linear_regression(times, judged).slope
    mean = fmean(judged)
    return Trend(mean, slope * HOUR_S, slope * (times[-1] - times[0]) / mean if mean else 0.0)


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
        return self.readings[-1].crowd.lost + max(reading.crowd.missing for reading in self.readings)

    @property
    def passed(self) -> bool:
        return self.lost == 0 and all(verdict.flat is not False for verdict in self.verdicts())

    def verdicts(self) -> list[Verdict]:
        """Valkey and the database may grow, since they keep turns for an hour and permanently."""
        times = [reading.at_s for reading in self.readings]
        return [
            Verdict(what, fit_trend(times, list(map(of, self.readings))), most)
            for what, of, most in (
                ("gateways: KiB per phone", lambda reading: reading.gateway_kib / self.phones, MEMORY_GROWS),
                ("worker: KiB", lambda reading: reading.rss_kib["worker"], MEMORY_GROWS),
                ("schedulers: KiB", attrgetter("scheduler_kib"), MEMORY_GROWS),
                ("all: open files", lambda reading: sum(reading.files.values()), FILES_GROW),
                (
                    "gateways: CPU µs per ballot, with broadcasts",
                    attrgetter("gateway_us_per_ballot"),
                    WORK_GROWS,
                ),
                ("all but the crowd: CPU µs per ballot", attrgetter("server_us_per_ballot"), WORK_GROWS),
                ("valkey: KiB in use", attrgetter("valkey_kib"), None),
                ("valkey: keys", attrgetter("valkey_keys"), None),
                ("database: KiB", attrgetter("database_kib"), None),
            )
        ]
