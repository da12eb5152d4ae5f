"""The verdicts of a soak run, on made-up readings."""

import pytest

from tests.load.bench.soak import LIMITS, find_growing, fit_growth

MINUTES = [float(minute) for minute in range(30)]


@pytest.mark.parametrize(
    ("name", "growth", "is_growing"),
    [
        ("gateways: KiB per phone", 0.01, False),
        ("gateways: KiB per phone", 0.03, True),
        ("all: open files", 0.02, True),
        ("gateways: CPU µs per ballot, with broadcasts", 0.09, False),
        ("gateways: CPU µs per ballot, with broadcasts", 0.11, True),
        ("database: KiB", 1.0, False),
    ],
)
def test_soak_names_what_grows_too_much(name: str, growth: float, is_growing: bool) -> None:
    """All values are 100, but one of them grows by this share from minute 10 to 29."""
    place = list(LIMITS).index(name)
    grown = [100 * (1 + growth * (minute - 19.5) / 19) for minute in MINUTES]
    readings = [
        (minute, *(value if n == place else 100 for n in range(len(LIMITS))))
        for minute, value in zip(MINUTES, grown, strict=True)
    ]
    assert find_growing(readings) == [name] * is_growing


def test_soak_needs_three_readings_after_the_first_third() -> None:
    assert fit_growth([1, 2, 3, 4], [1, 1, 1, 1]) == 0
    assert fit_growth([1, 2, 3], [1, 1, 1]) is None


def test_growth_ignores_the_first_third() -> None:
    assert fit_growth(MINUTES, [100.0 - n for n in range(10)] + [90.0] * 20) == pytest.approx(0)
