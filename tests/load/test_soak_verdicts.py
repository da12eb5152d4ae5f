"""Soak verdicts and trends, checked with made-up readings."""

import pytest

from tests.load.bench.soak_crowd import CrowdCounts
from tests.load.bench.soak_readings import Reading
from tests.load.bench.soak_verdicts import Soak, fit_trend

PHONES = 1_000
MINUTES = [60.0 * minute for minute in range(30)]
PARTS = ("gateway-1", "gateway-2", "worker", "scheduler-1", "scheduler-2", "valkey", "crowd")


def reading(
    minute: int, *, leak_kib: float = 0.0, slower: float = 0.0, lost: int = 0, missing: int = 0
) -> Reading:
    """Each minute the memory per phone grows by `leak_kib` and the work per ballot by `slower`."""
    counts = CrowdCounts(PHONES, 5 * minute, 5_000 * minute, 5_000 * minute, lost, missing, 0, None, None)
    gateway = PHONES / 2 * (60.0 + leak_kib * minute)
    work = 1 + slower * minute
    return Reading(
        at_s=60.0 * minute,
        rss_kib=dict.fromkeys(PARTS, 100_000.0) | {"gateway-1": gateway, "gateway-2": gateway},
        files=dict.fromkeys(PARTS, 600),
        cpu_s=dict.fromkeys(PARTS, 1.0 * work),
        ballots=5_000,
        broadcasts=5,
        broadcast_ms=20.0,
        valkey_kib=1_000.0 * minute,
        valkey_keys=10 * minute,
        database_kib=1_000.0 * minute,
        crowd=counts,
    )


def soak(**each_minute: float) -> Soak:
    return Soak("daphne", 2, PHONES, [reading(minute, **each_minute) for minute in range(1, 31)])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("each_minute", "growing", "passed"),
    [
        ({}, [], True),
        ({"leak_kib": 0.1}, ["gateways: KiB per phone"], False),
        ({"leak_kib": 0.01}, [], True),
        (
            {"slower": 0.01},
            ["gateways: CPU µs per ballot, with broadcasts", "all but the crowd: CPU µs per ballot"],
            False,
        ),
        ({"lost": 1}, [], False),
        ({"missing": 1}, [], False),
    ],
)
def test_soak_fails_on_growth_or_loss_though_valkey_and_database_grow(
    each_minute: dict[str, float], growing: list[str], passed: bool
) -> None:
    found = soak(**each_minute)
    assert [verdict.what for verdict in found.verdicts() if verdict.flat is False] == growing
    assert found.passed == passed


def test_soak_excludes_the_crowds_own_cpu() -> None:
    first = reading(1)
    assert first.gateway_us_per_ballot == 400
    assert first.server_us_per_ballot == 1_200


def test_trend_ignores_the_first_third() -> None:
    settles = fit_trend(MINUTES, [100.0 - n for n in range(10)] + [90.0] * 20)
    assert settles is not None
    assert settles.growth == pytest.approx(0)
    assert settles.mean == pytest.approx(90)


def test_trend_reports_growth_per_hour() -> None:
    leaks = fit_trend(MINUTES, [30.0 + n / 60 for n in range(30)])
    assert leaks is not None
    assert leaks.per_hour == pytest.approx(1)
    assert leaks.growth == pytest.approx(19 / 60 / leaks.mean)


def test_trend_requires_three_readings() -> None:
    assert fit_trend([0, 60, 120, 180], [1, 1, 1, 1]) is not None
    assert fit_trend([0, 60], [1, 2]) is None
    assert fit_trend([], []) is None
