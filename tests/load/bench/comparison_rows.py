"""Table rows that compare contenders under one server: rates, broadcasts, memory, pages."""

from collections.abc import Iterator
from operator import attrgetter

from tests.load.bench.rate import Rate
from tests.load.bench.results import Comparison, middle, paired
from tests.load.bench.row import FULL_AUDIENCE, GOALS, Row, too_few

WHOLE_CORE = 0.9


def comparison_rows(found: Comparison) -> Iterator[Row]:
    goals, votes = GOALS[found.server], found.votes
    ballots, pages = "ballots recorded {} ÷ ", "phone pages {} ÷ login pages (Django view)"
    yield from _of_rates(found.server, ballots + "bare echo", (votes["crowdgame"], votes["echo"]), goals.echo)
    yield from _of_rates(
        found.server, ballots + "stock app", (votes["crowdgame"], votes["stock"]), goals.stock
    )
    yield from _of_fanout(found, goals.fanout)
    yield _of_memory(found)
    if "two gateways" in votes:
        yield _of_gateways(found.server, votes["two gateways"], votes["crowdgame"])
    yield from _of_rates(found.server, pages, (found.pages["phone page"], found.pages["login page"]), "≥ 10")


def _of_rates(server: str, what: str, sides: tuple[list[Rate], list[Rate]], goal: str) -> Iterator[Row]:
    """Rates by server CPU, which are compared with the baseline, and by wall time."""
    ours, other = sides
    for per, name in (("per CPU second", "per_cpu_second"), ("per second", "per_second")):
        of, by_cpu = attrgetter(name), name == "per_cpu_second"
        yield Row(
            server=server,
            what=what.format(per),
            measured=f"{middle(ours, of):,.0f}",
            reference=f"{middle(other, of):,.0f}",
            value=paired(ours, other, of),
            goal=goal,
            not_judged="" if by_cpu else _short_of(ours + other),
            key=f"{server}: {what.format(per)}" if by_cpu else "",
        )


def _short_of(rounds: list[Rate]) -> str:
    """A wall-time ratio is valid only for servers that used a whole core."""
    share = middle(rounds, attrgetter("server_share"))
    return "" if share >= WHOLE_CORE else f"the servers used {share:.0%} of their core"


def _of_fanout(found: Comparison, goal: str) -> Iterator[Row]:
    ours, stock = found.fanout["crowdgame"], found.fanout["stock"]
    for per, name in (("server CPU", "cpu_ms"), ("time to last client", "wall_ms")):
        of, by_cpu = attrgetter(name), name == "cpu_ms"
        yield Row(
            server=found.server,
            what=f"broadcast to {found.audience:,}, {per} ÷ stock app",
            measured=f"{middle(ours, of):,.0f} ms",
            reference=f"{middle(stock, of):,.0f} ms",
            value=middle(ours, of) / middle(stock, of),
            goal=goal if by_cpu else "",
            not_judged=too_few(found.audience, FULL_AUDIENCE) if by_cpu else "",
            key=f"{found.server}: broadcast, {per} ÷ stock app" if by_cpu else "",
        )


def _of_memory(found: Comparison) -> Row:
    ours, echo = found.memory["crowdgame"], found.memory["echo"]
    what = "memory per phone ÷ bare echo connection"
    return Row(
        server=found.server,
        what=what,
        measured=f"{ours:.1f} KiB",
        reference=f"{echo:.1f} KiB",
        value=ours / echo,
        goal="≤ 1.3",
        key=f"{found.server}: {what}",
    )


def _of_gateways(server: str, two: list[Rate], one: list[Rate]) -> Row:
    of = attrgetter("us_per_ballot")
    return Row(
        server=server,
        what="CPU per ballot, all processes: two gateways ÷ one",
        measured=f"{middle(two, of):,.0f} µs",
        reference=f"{middle(one, of):,.0f} µs",
        value=paired(two, one, of),
        goal="≤ 1.1",
    )
