"""Soak verdicts, checked with made-up readings."""

from collections.abc import Iterator

from tests.load.bench.soak_crowd import CrowdCounts
from tests.load.bench.soak_readings import Reading
from tests.load.bench.soak_verdicts import Soak

KIB_PER_PHONE = 60.0
PHONES = 1_000
PARTS = ("gateway-1", "gateway-2", "worker", "scheduler-1", "scheduler-2", "valkey", "crowd")


def reading(
    minute: int, *, leak_kib: float = 0.0, slower: float = 0.0, lost: int = 0, missing: int = 0
) -> Reading:
    """Each minute the memory per phone grows by `leak_kib` and the work per ballot by `slower`."""
    counts = CrowdCounts(PHONES, 5 * minute, 5_000 * minute, 5_000 * minute, lost, missing, 0, None, None)
    gateway = PHONES / 2 * (KIB_PER_PHONE + leak_kib * minute)
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


def growing(found: Soak) -> Iterator[str]:
    return (verdict.what for verdict in found.verdicts() if verdict.flat is False)


def test_soak_passes_while_valkey_and_database_grow() -> None:
    assert list(growing(soak())) == []
    assert soak().passed


def test_soak_detects_small_memory_leak() -> None:
    assert list(growing(soak(leak_kib=0.1))) == ["gateways: KiB per phone"]
    assert not soak(leak_kib=0.1).passed
    assert soak(leak_kib=0.01).passed


def test_soak_detects_rising_cost_per_ballot() -> None:
    assert list(growing(soak(slower=0.01))) == [
        "gateways: CPU µs per ballot, with broadcasts",
        "all but the crowd: CPU µs per ballot",
    ]


def test_soak_fails_on_lost_or_missing_ballot() -> None:
    assert not soak(lost=1).passed
    assert not soak(missing=1).passed


def test_soak_excludes_the_crowds_own_cpu() -> None:
    one = reading(1)
    assert one.gateway_us_per_ballot == 400
    assert one.server_us_per_ballot == 1_200
