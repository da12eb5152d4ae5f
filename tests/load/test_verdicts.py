"""The verdicts of benchmarks and soak runs, on fixed values instead of real runs."""

from pathlib import Path
from typing import Any

import pytest

from crowdgame.rehearsal.rehearsal_report import BallotTotals
from crowdgame.rehearsal.samples import Spread
from tests.load.bench.gate import find_regressions, load_baseline, pick_better, record
from tests.load.bench.measurements import Fanout, Rate
from tests.load.bench.results import BenchResults, Comparison, LoadRun
from tests.load.bench.rows import Row, build_rows
from tests.load.bench.soak import LIMITS, find_growing, fit_growth

VOTES = "ballots recorded per CPU second ÷ {}"
SLOW = Spread(10, 300, 900)
MINUTES = [float(minute) for minute in range(30)]


def rate(answered: int, *, share: float = 1.0, dependencies_s: float = 0.1) -> Rate:
    return Rate(answered, wall_s=1.0, cpu_s=share, own_s=0.2, dependencies_s=dependencies_s)


def comparison(
    ours: int = 9_000, *, share: float = 1.0, audience: int = 10_000, pair_s: float = 0.1
) -> Comparison:
    """Daphne results with three rounds per contender; ours has this many ballots per second."""
    votes = {
        "echo": rate(10_000, share=share),
        "stock": rate(2_000, share=share),
        "crowdgame": rate(ours, share=share),
        "two gateways": rate(ours, share=share, dependencies_s=pair_s),
    }
    return Comparison(
        server="daphne",
        phones=2_000,
        audience=audience,
        memory={"echo": 20.0, "stock": 38.0, "crowdgame": 22.0},
        votes={name: [found] * 3 for name, found in votes.items()},
        fanout={"crowdgame": [Fanout(300, 100)] * 3, "stock": [Fanout(3_000, 1_000)] * 3},
        pages={"phone page": [rate(4_000)] * 3, "login page": [rate(200)] * 3},
    )


def load_run(profile: str, lost: int = 0, missing: int = 0, **changes: Any) -> LoadRun:
    times = ("ack_ms", "sealed_ms", "resolved_ms", "reveal_ms", "last_reveal_ms")
    ballots = BallotTotals(30_000, 30_000 - lost, refused={}, lost=lost, cut_off=0, missing=missing)
    given: dict[str, Any] = {"phones": 10_000, "joined": 10_000, "together_ms": 3_000.0}
    found: dict[str, Any] = {
        "server": "daphne",
        "turns": 3,
        "joined_in_ms": 9_000.0,
        "busy_s": 0.0,
        "turn_cpu_us": 150.0,
    }
    found |= {
        "cpu_s": {"gateway-1": 15.0, "crowd": 5.0},
        "wall_s": 60.0,
        **dict.fromkeys(times, Spread(5, 30, 40)),
    }
    return LoadRun(profile=profile, ballots=ballots, **(found | given | changes))


def rows(result: Comparison | LoadRun) -> list[Row]:
    return build_rows(
        BenchResults([result]) if isinstance(result, Comparison) else BenchResults([], [result])
    )


def row(result: Comparison | LoadRun, part: str) -> Row:
    """The only row whose name contains `part`."""
    (named,) = [row for row in rows(result) if part in row.what]
    return named


@pytest.mark.parametrize(
    ("result", "part", "met"),
    [
        (comparison(9_000), "per CPU second ÷ bare echo", True),
        (comparison(4_000), "per CPU second ÷ bare echo", False),
        (comparison(7_000), "per CPU second ÷ stock app", True),
        # a wall-time ratio is judged only with a full core
        (comparison(4_000), "recorded per second ÷ bare echo", False),
        (comparison(7_000, share=0.5), "recorded per second ÷ bare echo", None),
        (comparison(4_000, share=0.5), "per CPU second ÷ bare echo", False),
        # with too few phones no goal is judged
        (comparison(audience=10_000), "server CPU", True),
        (comparison(audience=9_999), "server CPU", None),
        (load_run("burst", phones=9_999, joined=9_999, ack_ms=SLOW), "ballot acknowledgement", None),
        (load_run("burst", ack_ms=Spread(1, 2_000, 3_000)), "ballot acknowledgement", False),
        (comparison(pair_s=0.1), "two gateways", True),
        (comparison(pair_s=0.3), "two gateways", False),
        (load_run("spread", ack_ms=SLOW), "ballot acknowledgement", False),
        (load_run("burst", ack_ms=SLOW), "ballot acknowledgement", True),
        (load_run("burst"), "deadline to seal", True),
        (load_run("burst"), "last received reveal", True),
        (load_run("herd", together_ms=None), "all reconnected", False),
        (load_run("herd"), "all reconnected", True),
        (load_run("spread", lost=1), "not answered", False),
        # phones that are disconnected at once may not get an answer in time
        (load_run("herd", lost=1), "not answered", None),
        (load_run("herd", missing=1), "lost of", False),
        (load_run("spread", joined=9_999), "phones not admitted", False),
        (load_run("herd"), "phones not admitted", True),
    ],
)
def test_benchmark_meets_or_misses_its_goal(
    result: Comparison | LoadRun, part: str, met: bool | None
) -> None:
    assert row(result, part).met is met


def test_ratio_compares_adjacent_rounds() -> None:
    """A temporary slowdown of the machine affects both."""
    found = comparison()
    found.votes["echo"][:] = [rate(10_000), rate(5_000), rate(10_000)]
    found.votes["crowdgame"][:] = [rate(9_000), rate(4_500), rate(9_000)]
    assert row(found, "per CPU second ÷ bare echo").value == pytest.approx(0.9)


@pytest.fixture
def baseline(tmp_path: Path) -> dict[str, float]:
    file = tmp_path / "baseline.json"
    record(rows(comparison(9_000)), {"date": "today"}, file)
    return load_baseline(file=file)


@pytest.mark.parametrize(
    ("ballots_per_second", "kib", "cpu_ms", "regressed"),
    [
        (9_000, 22.0, 100, set()),
        (6_100, 22.0, 100, set()),
        (5_900, 22.0, 100, {VOTES.format("bare echo"), VOTES.format("stock app")}),
        (9_000, 35.2, 100, {"memory per phone ÷ bare echo connection"}),
        (9_000, 22.0, 160, {"broadcast, server CPU ÷ stock app"}),
    ],
)
def test_gate_fails_on_ratio_worse_by_more_than_a_third(
    ballots_per_second: int, kib: float, cpu_ms: float, regressed: set[str], baseline: dict[str, float]
) -> None:
    found = comparison(ballots_per_second)
    found.memory["crowdgame"] = kib
    found.fanout["crowdgame"][:] = [Fanout(300, cpu_ms)] * 3
    keys = {regression.key for regression in find_regressions(rows(found), baseline)}
    assert keys == {f"daphne: {key}" for key in regressed}


def test_gate_fails_on_missing_row(baseline: dict[str, float]) -> None:
    without_memory = [row for row in rows(comparison(9_000)) if "memory" not in row.what]
    (missing,) = find_regressions(without_memory, baseline)
    assert missing.value is None


def test_gate_uses_the_better_of_two_runs(baseline: dict[str, float]) -> None:
    slow, light, heavy = comparison(5_000), comparison(9_000), comparison(9_000)
    heavy.memory["crowdgame"] *= 2
    assert find_regressions(pick_better(rows(slow), rows(light)), baseline) == []
    assert find_regressions(pick_better(rows(heavy), rows(light)), baseline) == []
    assert find_regressions(pick_better(rows(slow), rows(slow)), baseline) != []


def test_committed_record_covers_all_gate_rows() -> None:
    names = [row.key.split(": ")[1] for row in rows(comparison()) if row.key]
    assert set(load_baseline()) == {f"{server}: {name}" for server in ("daphne", "uvicorn") for name in names}


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
