"""Table rows of many events: the last turn of a shared deadline, and a small event beside a large one."""

from collections.abc import Iterator

from tests.load.bench.events import SharedDeadline, SmallEvent
from tests.load.bench.row import Row

RESOLVED_GOALS = {20: "≤ 200 ms", 100: "≤ 500 ms", 300: "≤ 1500 ms"}
SMALL_EVENT_GOAL = "≤ 300 ms"


def shared_deadline_rows(found: SharedDeadline) -> Iterator[Row]:
    what = f"{found.events} event(s) of {found.phones:,} phones with one deadline"
    yield _row(
        found.server, f"{what}, last resolved", found.resolved_ms, RESOLVED_GOALS.get(found.events, "")
    )
    yield _row(found.server, f"{what}, last received reveal", found.revealed_ms, "")
    yield _count(found.server, f"{what}, seals per phone", found.seals, "≤ 1")
    yield _count(found.server, f"{what}, phones without a seal before the reveal", found.without_seal, "≤ 0")


def small_event_row(found: SmallEvent) -> Row:
    what = f"a small event's change behind three of a {found.phones:,}-phone event"
    return _row(found.server, what, found.received_ms, SMALL_EVENT_GOAL)


def _row(server: str, what: str, ms: float, goal: str) -> Row:
    return Row(server=server, what=what, measured=f"{ms:,.0f} ms", value=ms, goal=goal)


def _count(server: str, what: str, count: int, goal: str) -> Row:
    return Row(server=server, what=what, measured=f"{count:,}", value=count, goal=goal)
