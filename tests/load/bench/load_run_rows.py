"""Table rows of a load run: acknowledgements, deadlines, mass reconnects and lost ballots."""

from collections.abc import Iterator

from crowdgame.rehearsal.samples import Spread
from tests.load.bench.results import LoadRun
from tests.load.bench.row import GOALS, Row, too_few


def load_run_rows(load_run: LoadRun) -> Iterator[Row]:
    yield from _of_herd(load_run) if load_run.profile == "herd" else _of_turns(load_run)
    yield _of_count(load_run, f"lost ballots of {load_run.ballots.sent:,}", load_run.lost)
    yield _of_count(load_run, "phones not admitted", load_run.phones - load_run.joined)


def _of_turns(load_run: LoadRun) -> Iterator[Row]:
    goals, worst = GOALS[load_run.server], f"worst of {load_run.turns} turns"
    goal = goals.burst_ack if load_run.profile == "burst" else goals.spread_ack
    ack, sealed, revealed = _p99(load_run.ack_ms), _most(load_run.sealed_ms), _most(load_run.last_reveal_ms)
    yield _of_time(load_run, "ballot acknowledgement, p99", ack, goal)
    yield _of_time(load_run, f"deadline to seal, {worst}", sealed, "≤ 50 ms")
    yield _of_time(load_run, f"deadline to last received reveal, {worst}", revealed, goals.last_reveal)


def _of_herd(load_run: LoadRun) -> Iterator[Row]:
    yield _of_time(load_run, "mass disconnect to all reconnected", load_run.together_ms, "≤ 5000 ms")


def _of_time(load_run: LoadRun, what: str, ms: float | None, goal: str) -> Row:
    """A time that could not be measured misses its goal."""
    return Row(
        server=load_run.server,
        what=f"{_audience(load_run)}, {what}",
        measured="never" if ms is None else f"{ms:,.0f} ms",
        value=float("inf") if ms is None else ms,
        goal=goal,
        not_judged=too_few(load_run.phones, GOALS[load_run.server].audience),
    )


def _of_count(load_run: LoadRun, what: str, count: int) -> Row:
    what = f"{_audience(load_run)}, {what}"
    return Row(server=load_run.server, what=what, measured=f"{count:,}", value=count, goal="≤ 0")


def _p99(spread: Spread | None) -> float | None:
    return spread.p99 if spread else None


def _most(spread: Spread | None) -> float | None:
    return spread.max if spread else None


def _audience(load_run: LoadRun) -> str:
    return f"{load_run.profile} of {load_run.phones:,}"
