"""Table rows that compare contenders under one server: rates, broadcasts, memory, pages."""

from collections.abc import Iterator
from operator import attrgetter

from tests.load.bench.rate import Rate
from tests.load.bench.results import Beside, middle, paired
from tests.load.bench.row import FULL_AUDIENCE, WANTED, Row, too_few

WHOLE_CORE = 0.9


def rows_of_server(found: Beside) -> Iterator[Row]:
    wanted, votes = WANTED[found.server], found.votes
    ballots, pages = "ballots recorded {} ÷ ", "phone pages {} ÷ login page, a Django view"
    yield from _of_rates(found.server, ballots + "bare echo", (votes["ours"], votes["echo"]), wanted.echo)
    yield from _of_rates(found.server, ballots + "stock app", (votes["ours"], votes["stock"]), wanted.stock)
    yield from _of_fanout(found, wanted.fanout)
    yield _of_memory(found)
    if "two gateways" in votes:
        yield _of_gateways(found.server, votes["two gateways"], votes["ours"])
    yield from _of_rates(found.server, pages, (found.pages["phone page"], found.pages["login page"]), "≥ 10")


def _of_rates(server: str, what: str, sides: tuple[list[Rate], list[Rate]], goal: str) -> Iterator[Row]:
    """Rates by server CPU, which are compared with recorded rows, and by wall time."""
    ours, other = sides
    for per, name in (("a CPU second", "a_cpu_second"), ("a second", "a_second")):
        of, by_cpu = attrgetter(name), name == "a_cpu_second"
        yield Row(
            server=server,
            what=what.format(per),
            ours=f"{middle(ours, of):,.0f}",
            other=f"{middle(other, of):,.0f}",
            value=paired(ours, other, of),
            goal=goal,
            why_not="" if by_cpu else _short_of(ours + other),
            key=f"{server}: {what.format(per)}" if by_cpu else "",
        )


def _short_of(rounds: list[Rate]) -> str:
    """A wall-time ratio is valid only for servers that used a whole core."""
    share = middle(rounds, attrgetter("server_share"))
    return "" if share >= WHOLE_CORE else f"the servers used {share:.0%} of their core"


def _of_fanout(found: Beside, goal: str) -> Iterator[Row]:
    ours, stock = found.fanout["ours"], found.fanout["stock"]
    for per, name in (("server CPU", "cpu_ms"), ("last client", "wall_ms")):
        of, by_cpu = attrgetter(name), name == "cpu_ms"
        yield Row(
            server=found.server,
            what=f"broadcast to {found.audience:,}, {per} ÷ core layer's",
            ours=f"{middle(ours, of):,.0f} ms",
            other=f"{middle(stock, of):,.0f} ms",
            value=middle(ours, of) / middle(stock, of),
            goal=goal if by_cpu else "",
            why_not=too_few(found.audience, FULL_AUDIENCE) if by_cpu else "",
            key=f"{found.server}: broadcast, {per} ÷ core layer's" if by_cpu else "",
        )


def _of_memory(found: Beside) -> Row:
    ours, echo = found.memory["ours"], found.memory["echo"]
    what = "memory a phone ÷ a raw ASGI connection's"
    return Row(
        server=found.server,
        what=what,
        ours=f"{ours:.1f} KiB",
        other=f"{echo:.1f} KiB",
        value=ours / echo,
        goal="≤ 1.3",
        key=f"{found.server}: {what}",
    )


def _of_gateways(server: str, two: list[Rate], one: list[Rate]) -> Row:
    of = attrgetter("us_a_ballot")
    return Row(
        server=server,
        what="CPU a ballot, all processes: two gateways ÷ one",
        ours=f"{middle(two, of):,.0f} µs",
        other=f"{middle(one, of):,.0f} µs",
        value=paired(two, one, of),
        goal="≤ 1.1",
    )
