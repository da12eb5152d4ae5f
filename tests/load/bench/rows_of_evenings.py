"""What a whole evening is held to: acks, the deadline, the way back of a herd, and no ballot lost."""

from collections.abc import Iterator

from crowdgame.rehearsal.samples import Spread
from tests.load.bench.figures import Evening
from tests.load.bench.row import WANTED, Row, too_few


def rows_of_evening(evening: Evening) -> Iterator[Row]:
    yield from _of_herd(evening) if evening.profile == "herd" else _of_turns(evening)
    yield _of_count(evening, f"lost of {evening.ballots.sent:,} ballots", evening.lost)
    yield _of_count(evening, "not let in", evening.phones - evening.joined)


def _of_turns(evening: Evening) -> Iterator[Row]:
    wanted, worst = WANTED[evening.server], f"worst of {evening.turns} turns"
    goal = wanted.burst_ack if evening.profile == "burst" else wanted.spread_ack
    ack, sealed, told = _p99(evening.ack_ms), _most(evening.sealed_ms), _most(evening.last_told_ms)
    yield _of_time(evening, "ballot → counted, p99", ack, goal)
    yield _of_time(evening, f"deadline → sealed, {worst}", sealed, "≤ 50 ms")
    yield _of_time(evening, f"deadline → last has the reveal, {worst}", told, wanted.last_told)


def _of_herd(evening: Evening) -> Iterator[Row]:
    yield _of_time(evening, "gone all at once → all seated again", evening.together_ms, "≤ 5000 ms")


def _of_time(evening: Evening, what: str, ms: float | None, goal: str) -> Row:
    """A time that nobody could measure has not met its goal."""
    return Row(
        server=evening.server,
        what=f"{_hall(evening)}, {what}",
        ours="never" if ms is None else f"{ms:,.0f} ms",
        value=float("inf") if ms is None else ms,
        goal=goal,
        why_not=too_few(evening.phones, WANTED[evening.server].hall),
    )


def _of_count(evening: Evening, what: str, count: int) -> Row:
    what = f"{_hall(evening)}, {what}"
    return Row(server=evening.server, what=what, ours=f"{count:,}", value=count, goal="≤ 0")


def _p99(spread: Spread | None) -> float | None:
    return spread.p99 if spread else None


def _most(spread: Spread | None) -> float | None:
    return spread.max if spread else None


def _hall(evening: Evening) -> str:
    return f"{evening.profile} of {evening.phones:,}"
