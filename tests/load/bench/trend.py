"""Trends of repeated measurements: whether a value stays constant."""

from collections.abc import Sequence
from statistics import fmean, linear_regression

import msgspec

WARMUP_SHARE = 1 / 3
HOUR_S = 3600.0


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
