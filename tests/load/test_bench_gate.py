"""What makes a benchmark fail, and what makes a soak's figures flat: judged by figures, not by running it."""

from pathlib import Path

import pytest

from crowdgame.rehearsal.rehearsal_report import BallotTotals
from crowdgame.rehearsal.samples import Spread
from tests.load.bench.fanout import Fanout
from tests.load.bench.flatness import trend_of
from tests.load.bench.goals import rows_of
from tests.load.bench.rate import Rate
from tests.load.bench.recorded import better_of, fallen, record, recorded
from tests.load.bench.results import BenchResults, Beside, LoadRun
from tests.load.bench.row import Row

TIMES = ("ack_ms", "sealed_ms", "resolved_ms", "reveal_ms", "last_told_ms")


def rate(answered: int, *, share: float = 1.0, behind_s: float = 0.0) -> Rate:
    return Rate(answered, wall_s=1.0, cpu_s=share, own_s=0.2, behind_s=behind_s)


def beside(
    ours: int = 9_000, *, share: float = 1.0, audience: int = 10_000, two_behind_s: float = 0.1
) -> Beside:
    """Daphne's, each contender with three rounds; ours comes to so many ballots a second."""
    return Beside(
        server="daphne",
        phones=2_000,
        audience=audience,
        memory={"echo": 20.0, "stock": 38.0, "ours": 22.0},
        votes={
            "echo": [rate(10_000, share=share)] * 3,
            "stock": [rate(2_000, share=share)] * 3,
            "ours": [rate(ours, share=share, behind_s=0.1)] * 3,
            "two gateways": [rate(ours, share=share, behind_s=two_behind_s)] * 3,
        },
        fanout={"ours": [Fanout(300, 100)] * 3, "stock": [Fanout(3_000, 1_000)] * 3},
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


def rows(one: Beside) -> list[Row]:
    return rows_of(BenchResults([one]))


def test_a_ratio_meets_its_goal_or_misses_it() -> None:
    good, poor = rows(beside(9_000)), rows(beside(7_000))
    assert row(good, "a CPU second ÷ bare echo").met is True
    assert row(poor, "a CPU second ÷ bare echo").met is False
    assert row(poor, "a CPU second ÷ stock app").met is True


def test_the_ratio_is_that_of_rounds_next_to_each_other() -> None:
    """A machine that slows down for a while slows both."""
    found = beside()
    found.votes["echo"][:] = [rate(10_000), rate(5_000), rate(10_000)]
    found.votes["ours"][:] = [rate(9_000), rate(4_500), rate(9_000)]
    assert row(rows(found), "a CPU second ÷ bare echo").value == pytest.approx(0.9)


def test_by_the_clock_only_servers_with_a_whole_core_are_judged() -> None:
    short = rows(beside(7_000, share=0.5))
    assert row(short, "recorded a second ÷ bare echo").met is None
    assert row(short, "a CPU second ÷ bare echo").met is False


def test_a_goal_for_a_hall_is_not_judged_by_fewer() -> None:
    assert row(rows(beside(audience=10_000)), "server CPU").met is True
    assert row(rows(beside(audience=9_999)), "server CPU").met is None
    burst = rows_of(BenchResults([], [load_run("burst", 9_999, ack_ms=Spread(1, 2_000, 3_000))]))
    assert row(burst, "ballot → counted").met is None


def test_two_gateways_are_judged_with_all_that_is_behind_them() -> None:
    assert row(rows(beside(two_behind_s=0.1)), "two gateways").value == pytest.approx(1)
    assert row(rows(beside(two_behind_s=0.3)), "two gateways").met is False


def test_an_evening_is_held_to_its_profile() -> None:
    slow = Spread(10, 300, 900)
    spread, burst = (rows_of(BenchResults([], [load_run(p, ack_ms=slow)])) for p in ("spread", "burst"))
    assert row(spread, "ballot → counted").met is False
    assert row(burst, "ballot → counted").met is True
    assert row(burst, "sealed").met is True
    assert row(burst, "last has the reveal").met is True


def test_a_herd_that_never_came_together_has_missed_its_goal() -> None:
    herd = rows_of(BenchResults([], [load_run("herd", together_ms=None)]))
    assert row(herd, "all seated again").met is False
    assert row(rows_of(BenchResults([], [load_run("herd")])), "all seated again").met is True


def test_a_lost_ballot_misses_and_so_does_a_phone_that_was_not_let_in() -> None:
    found = rows_of(BenchResults([], [load_run("spread", ballots=ballots(lost=1), joined=9_999)]))
    assert row(found, "lost").met is False
    assert row(found, "not let in").met is False
    found = rows_of(BenchResults([], [load_run("herd", ballots=ballots(missing=1))]))
    assert row(found, "lost").met is False
    assert row(found, "not let in").met is True


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "recorded.json"
    record(rows(beside(9_000)), {"date": "today"}, file)
    return file


def test_what_stays_within_a_third_passes(book: Path) -> None:
    assert fallen(rows(beside(9_000)), recorded(book)) == []
    assert fallen(rows(beside(6_100)), recorded(book)) == []


def test_a_ballot_that_costs_half_more_fails(book: Path) -> None:
    keys = {one.key for one in fallen(rows(beside(5_900)), recorded(book))}
    assert keys == {
        f"daphne: ballots recorded a CPU second ÷ {other}" for other in ("bare echo", "stock app")
    }


def test_what_should_be_small_fails_by_growing(book: Path) -> None:
    heavy = beside(9_000)
    heavy.memory["ours"] *= 1.6
    heavy.fanout["ours"][:] = [Fanout(300, 160)] * 3
    keys = {one.key.split(": ")[1] for one in fallen(rows(heavy), recorded(book))}
    assert keys == {"memory a phone ÷ a raw ASGI connection's", "broadcast, server CPU ÷ core layer's"}


def test_a_row_that_was_not_measured_fails(book: Path) -> None:
    without_memory = [one for one in rows(beside(9_000)) if "memory" not in one.what]
    (missing,) = fallen(without_memory, recorded(book))
    assert missing.value is None


def test_the_better_of_two_runs_counts(book: Path) -> None:
    slow, light, heavy = beside(5_000), beside(9_000), beside(9_000)
    heavy.memory["ours"] *= 2
    assert fallen(better_of(rows(slow), rows(light)), recorded(book)) == []
    assert fallen(better_of(rows(heavy), rows(light)), recorded(book)) == []
    assert fallen(better_of(rows(slow), rows(slow)), recorded(book)) != []


def test_the_committed_record_holds_what_the_gate_measures() -> None:
    assert set(recorded().ratios) == {
        f"{server}: {one.key.split(': ')[1]}"
        for server in ("daphne", "uvicorn")
        for one in rows(beside())
        if one.key
    }


def test_a_trend_leaves_the_first_third_out() -> None:
    minutes = [60.0 * n for n in range(30)]
    settles = trend_of(minutes, [100.0 - n for n in range(10)] + [90.0] * 20)
    assert settles is not None
    assert settles.grown == pytest.approx(0)
    assert settles.mean == pytest.approx(90)


def test_a_trend_tells_how_much_is_gained_an_hour() -> None:
    minutes = [60.0 * n for n in range(30)]
    leaks = trend_of(minutes, [30.0 + n / 60 for n in range(30)])
    assert leaks is not None
    assert leaks.an_hour == pytest.approx(1)
    assert leaks.grown == pytest.approx(19 / 60 / leaks.mean)


def test_three_readings_are_the_least_for_a_trend() -> None:
    assert trend_of([0, 60, 120, 180], [1, 1, 1, 1]) is not None
    assert trend_of([0, 60], [1, 2]) is None
    assert trend_of([], []) is None
