"""The pass criteria of benchmarks and soak trends, checked with fixed values instead of real runs."""

from pathlib import Path

import pytest

from crowdgame.rehearsal.rehearsal_report import BallotTotals
from crowdgame.rehearsal.samples import Spread
from tests.load.bench.baseline import find_regressions, load_baseline, pick_better, record
from tests.load.bench.fanout import Fanout
from tests.load.bench.rate import Rate
from tests.load.bench.results import BenchResults, Comparison, LoadRun
from tests.load.bench.row import Row
from tests.load.bench.rows import build_rows
from tests.load.bench.trend import fit_trend

TIMES = ("ack_ms", "sealed_ms", "resolved_ms", "reveal_ms", "last_reveal_ms")


def rate(answered: int, *, share: float = 1.0, dependencies_s: float = 0.0) -> Rate:
    return Rate(answered, wall_s=1.0, cpu_s=share, own_s=0.2, dependencies_s=dependencies_s)


def comparison(
    ours: int = 9_000, *, share: float = 1.0, audience: int = 10_000, two_dependencies_s: float = 0.1
) -> Comparison:
    """Daphne results with three rounds per contender; ours has this many ballots per second."""
    return Comparison(
        server="daphne",
        phones=2_000,
        audience=audience,
        memory={"echo": 20.0, "stock": 38.0, "crowdgame": 22.0},
        votes={
            "echo": [rate(10_000, share=share)] * 3,
            "stock": [rate(2_000, share=share)] * 3,
            "crowdgame": [rate(ours, share=share, dependencies_s=0.1)] * 3,
            "two gateways": [rate(ours, share=share, dependencies_s=two_dependencies_s)] * 3,
        },
        fanout={"crowdgame": [Fanout(300, 100)] * 3, "stock": [Fanout(3_000, 1_000)] * 3},
        pages={"phone page": [rate(4_000)] * 3, "login page": [rate(200)] * 3},
    )


def ballots(lost: int = 0, missing: int = 0) -> BallotTotals:
    return BallotTotals(30_000, 30_000 - lost, refused={}, lost=lost, cut_off=0, missing=missing)


def load_run(profile: str, phones: int = 10_000, **changes: object) -> LoadRun:
    times = dict.fromkeys(TIMES, Spread(5, 30, 40))
    found = {
        "server": "daphne",
        "profile": profile,
        "phones": phones,
        "joined": phones,
        "turns": 3,
        "ballots": ballots(),
        **times,
        "joined_in_ms": 9_000.0,
        "together_ms": 4_000.0,
        "busy_s": 0.0,
        "cpu_s": {},
        "wall_s": 60.0,
    }
    return LoadRun(**(found | changes))  # type: ignore[arg-type]


def row(found: list[Row], part: str) -> Row:
    (named,) = [one for one in found if part in one.what]
    return named


def rows(one: Comparison) -> list[Row]:
    return build_rows(BenchResults([one]))


def test_ratio_meets_or_misses_its_goal() -> None:
    good, poor = rows(comparison(9_000)), rows(comparison(7_000))
    assert row(good, "per CPU second ÷ bare echo").met is True
    assert row(poor, "per CPU second ÷ bare echo").met is False
    assert row(poor, "per CPU second ÷ stock app").met is True


def test_ratio_compares_adjacent_rounds() -> None:
    """A temporary slowdown of the machine affects both."""
    found = comparison()
    found.votes["echo"][:] = [rate(10_000), rate(5_000), rate(10_000)]
    found.votes["crowdgame"][:] = [rate(9_000), rate(4_500), rate(9_000)]
    assert row(rows(found), "per CPU second ÷ bare echo").value == pytest.approx(0.9)


def test_wall_time_ratio_is_judged_only_with_a_full_core() -> None:
    short = rows(comparison(7_000, share=0.5))
    assert row(short, "recorded per second ÷ bare echo").met is None
    assert row(short, "per CPU second ÷ bare echo").met is False


def test_goal_is_not_judged_with_too_few_phones() -> None:
    assert row(rows(comparison(audience=10_000)), "server CPU").met is True
    assert row(rows(comparison(audience=9_999)), "server CPU").met is None
    burst = build_rows(BenchResults([], [load_run("burst", 9_999, ack_ms=Spread(1, 2_000, 3_000))]))
    assert row(burst, "ballot acknowledgement").met is None


def test_two_gateway_cost_includes_dependencies() -> None:
    assert row(rows(comparison(two_dependencies_s=0.1)), "two gateways").value == pytest.approx(1)
    assert row(rows(comparison(two_dependencies_s=0.3)), "two gateways").met is False


def test_load_run_goals_depend_on_profile() -> None:
    slow = Spread(10, 300, 900)
    spread, burst = (build_rows(BenchResults([], [load_run(p, ack_ms=slow)])) for p in ("spread", "burst"))
    assert row(spread, "ballot acknowledgement").met is False
    assert row(burst, "ballot acknowledgement").met is True
    assert row(burst, "deadline to seal").met is True
    assert row(burst, "last received reveal").met is True


def test_herd_that_never_reconnected_misses_its_goal() -> None:
    herd = build_rows(BenchResults([], [load_run("herd", together_ms=None)]))
    assert row(herd, "all reconnected").met is False
    assert row(build_rows(BenchResults([], [load_run("herd")])), "all reconnected").met is True


def test_load_run_fails_on_lost_ballot_or_missing_phone() -> None:
    found = build_rows(BenchResults([], [load_run("spread", ballots=ballots(lost=1), joined=9_999)]))
    assert row(found, "lost").met is False
    assert row(found, "phones not admitted").met is False
    found = build_rows(BenchResults([], [load_run("herd", ballots=ballots(missing=1))]))
    assert row(found, "lost").met is False
    assert row(found, "phones not admitted").met is True


@pytest.fixture
def baseline_file(tmp_path: Path) -> Path:
    file = tmp_path / "baseline.json"
    record(rows(comparison(9_000)), {"date": "today"}, file)
    return file


def test_gate_accepts_ratio_within_a_third(baseline_file: Path) -> None:
    assert find_regressions(rows(comparison(9_000)), load_baseline(baseline_file)) == []
    assert find_regressions(rows(comparison(6_100)), load_baseline(baseline_file)) == []


def test_gate_fails_if_ballot_costs_half_more(baseline_file: Path) -> None:
    keys = {one.key for one in find_regressions(rows(comparison(5_900)), load_baseline(baseline_file))}
    assert keys == {
        f"daphne: ballots recorded per CPU second ÷ {other}" for other in ("bare echo", "stock app")
    }


def test_gate_fails_if_memory_or_broadcast_grows(baseline_file: Path) -> None:
    heavy = comparison(9_000)
    heavy.memory["crowdgame"] *= 1.6
    heavy.fanout["crowdgame"][:] = [Fanout(300, 160)] * 3
    keys = {one.key.split(": ")[1] for one in find_regressions(rows(heavy), load_baseline(baseline_file))}
    assert keys == {"memory per phone ÷ bare echo connection", "broadcast, server CPU ÷ stock app"}


def test_gate_fails_on_missing_row(baseline_file: Path) -> None:
    without_memory = [one for one in rows(comparison(9_000)) if "memory" not in one.what]
    (missing,) = find_regressions(without_memory, load_baseline(baseline_file))
    assert missing.value is None


def test_gate_uses_the_better_of_two_runs(baseline_file: Path) -> None:
    slow, light, heavy = comparison(5_000), comparison(9_000), comparison(9_000)
    heavy.memory["crowdgame"] *= 2
    assert find_regressions(pick_better(rows(slow), rows(light)), load_baseline(baseline_file)) == []
    assert find_regressions(pick_better(rows(heavy), rows(light)), load_baseline(baseline_file)) == []
    assert find_regressions(pick_better(rows(slow), rows(slow)), load_baseline(baseline_file)) != []


def test_committed_record_covers_all_gate_rows() -> None:
    assert set(load_baseline().ratios) == {
        f"{server}: {one.key.split(': ')[1]}"
        for server in ("daphne", "uvicorn")
        for one in rows(comparison())
        if one.key
    }


def test_trend_ignores_the_first_third() -> None:
    minutes = [60.0 * n for n in range(30)]
    settles = fit_trend(minutes, [100.0 - n for n in range(10)] + [90.0] * 20)
    assert settles is not None
    assert settles.growth == pytest.approx(0)
    assert settles.mean == pytest.approx(90)


def test_trend_reports_growth_per_hour() -> None:
    minutes = [60.0 * n for n in range(30)]
    leaks = fit_trend(minutes, [30.0 + n / 60 for n in range(30)])
    assert leaks is not None
    assert leaks.per_hour == pytest.approx(1)
    assert leaks.growth == pytest.approx(19 / 60 / leaks.mean)


def test_trend_requires_three_readings() -> None:
    assert fit_trend([0, 60, 120, 180], [1, 1, 1, 1]) is not None
    assert fit_trend([0, 60], [1, 2]) is None
    assert fit_trend([], []) is None
