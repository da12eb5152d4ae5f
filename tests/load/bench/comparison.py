"""All measurements under one server; the contenders take turns round by round."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.load.bench.connection import Contender
from tests.load.bench.field import Field, Product, open_console, running_field, send_action, stock_reveal
from tests.load.bench.machine import Stopwatch, rss
from tests.load.bench.measurements import Fanout, Rate, measure_fanout, measure_pages, measure_rate
from tests.load.bench.report import FULL_AUDIENCE, KIB, MS, US, Results, too_few

WARMED_BY = 50
WHOLE_CORE = 0.9
LOCKS = ("joining.lock", "joining.unlock")
LOCKED = b'{"type":"joining.'
LOCKED_BY_STOCK = b'{"type": "joining.'
POLL_S = 0.25
IDLE_SHARE = 0.2
CALM_WITHIN_S = 20.0
Say = Callable[[str], None]
Rounds = dict[str, list[Rate]]


class Size(NamedTuple):
    """`phones`: sockets per contender; `audience`: sockets of a broadcast; rounds last `seconds`.

    `pair`: the product is measured with two gateways as well.
    """

    phones: int
    audience: int
    seconds: float
    rounds: int
    fanouts: int
    pair: bool


async def run_comparison(server: str, size: Size, home: Path, say: Say, results: Results) -> None:
    with running_field(server, size.pair, home) as field:
        say(f"opening {size.phones:,} sockets to each of {len(field.contenders)}")
        memory = await _memory(field, size.phones)
        votes = await _votes(field.contenders, size, say)
        for product in field.products:
            product.check_ballots()
        await _close(field.contenders)
        pages = await _pages(field.product, size, say)
        say(f"broadcasts to {size.audience:,}, one server after the other")
        ours, text = await _product_fanouts(field.product, size, say)
        stock = await _stock_fanouts(field.stock, size, stock_reveal(text), say)
    _add_rows(server, votes | pages, results)
    _add_broadcasts(server, size.audience, (ours, stock), results)
    what, kib = "memory per phone ÷ bare echo connection", (memory["crowdgame"], memory["echo"])
    results.add_ratio(server, what, kib, KIB, goal="≤ 2", key=f"{server}: {what}")
    sizes = ", ".join(f"{contender} {kib:.1f}" for contender, kib in memory.items())
    note = f"{size.phones:,} sockets per contender; KiB of memory per socket: {sizes}"
    results.notes.append(f"{server}: {note}")


def _add_rows(server: str, rounds: Rounds, results: Results) -> None:
    """Rates by server CPU, and by wall time, which are valid only for servers that used a whole core.

    `value` is the median ratio of adjacent rounds, so that drift affects both sides.
    """

    def middle(name: str, per: str) -> float:
        return float(median(getattr(rate, per) for rate in rounds[name]))

    def add(what: str, ours: str, other: str, per: str, **more: Any) -> None:
        pairs = zip(rounds[ours], rounds[other], strict=True)
        value = median(getattr(mine, per) / getattr(theirs, per) for mine, theirs in pairs)
        results.add_ratio(server, what, (middle(ours, per), middle(other, per)), value=value, **more)

    faster = {"daphne": "≥ 3", "uvicorn": "≥ 6"}[server]
    for what, ours, other, goal in (
        ("ballots recorded {} ÷ bare echo", "crowdgame", "echo", "≥ 0.45"),
        ("ballots recorded {} ÷ stock app", "crowdgame", "stock", faster),
        ("phone pages {} ÷ login pages (Django view)", "phone page", "login page", "≥ 10"),
    ):
        by_cpu = what.format("per CPU second")
        add(by_cpu, ours, other, "per_cpu_second", goal=goal, key=f"{server}: {by_cpu}")
        share = median(rate.server_share for rate in rounds[ours] + rounds[other])
        short = "" if share >= WHOLE_CORE else f"the servers used {share:.0%} of their core"
        add(what.format("per second"), ours, other, "per_second", goal=goal, not_judged=short)
    if "two gateways" in rounds:
        what = "CPU per ballot, all processes: two gateways ÷ one"
        add(what, "two gateways", "crowdgame", "us_per_ballot", unit=US, goal="≤ 1.1")
    for what, per in (("load generator's", "load_share"), ("servers'", "server_share")):
        shares = ", ".join(f"{name} {middle(name, per):.0%}" for name in rounds)
        results.notes.append(f"{server}: the {what} use of a core: {shares}")


def _add_broadcasts(server: str, audience: int, both: Sequence[list[Fanout]], results: Results) -> None:
    def middles(of: str) -> list[float]:
        return [median(getattr(fanout, of) for fanout in rounds) for rounds in both]

    what, goals = f"broadcast to {audience:,}, ", {"daphne": "≤ 0.33", "uvicorn": "≤ 0.2"}
    results.add_ratio(
        *(server, f"{what}server CPU ÷ stock app", middles("cpu_ms"), MS),
        goal=goals[server],
        not_judged=too_few(audience, FULL_AUDIENCE),
        key=f"{server}: broadcast, server CPU ÷ stock app",
    )
    results.add_ratio(server, f"{what}time to last client ÷ stock app", middles("wall_ms"), MS)


async def _memory(field: Field, phones: int) -> dict[str, float]:
    """Measure KiB per connection, without the first few, which fill caches."""

    async def growth(contender: Contender, more: Callable[[int], Awaitable[object]]) -> float:
        await more(WARMED_BY)
        before = sum(map(rss, contender.servers))
        await more(phones - WARMED_BY)
        return (sum(map(rss, contender.servers)) - before) / 1024 / (phones - WARMED_BY)

    found = {one.name: await growth(one, one.open) for one in (field.echo, field.stock)}
    return found | {one.name: await growth(one.contender, one.join) for one in field.products}


async def _votes(contenders: Sequence[Contender], size: Size, say: Say) -> Rounds:
    rounds: Rounds = {contender.name: [] for contender in contenders}
    for number in range(1, size.rounds + 1):
        for contender in contenders:
            rounds[contender.name].append(await measure_rate(contender, size.seconds))
        rates_text = ", ".join(f"{name} {rates[-1].per_cpu_second:,.0f}" for name, rates in rounds.items())
        say(f"votes per CPU second, round {number} of {size.rounds}: {rates_text}")
    return rounds


async def _pages(product: Product, size: Size, say: Say) -> Rounds:
    paths = {"phone page": f"/{product.code}", "login page": "/console/login/"}
    rounds: Rounds = {name: [] for name in paths}
    for _ in range(size.rounds):
        for name, path in paths.items():
            rounds[name].append(await measure_pages(product.contender, path, size.seconds / 2))
    rates_text = ", ".join(f"{name} {rates[-1].per_cpu_second:,.0f}" for name, rates in rounds.items())
    say(f"pages per CPU second: {rates_text}")
    return rounds


async def _product_fanouts(product: Product, size: Size, say: Say) -> tuple[list[Fanout], bytes]:
    await product.join(size.audience)
    console = await open_console(product)
    found = await _fanouts(
        product.contender, size, say, lambda number: send_action(console, LOCKS[number % 2]), LOCKED
    )
    console.close()
    return found


async def _stock_fanouts(stock: Contender, size: Size, reveal: bytes, say: Say) -> list[Fanout]:
    """Broadcast the same text through the stock app's group."""
    await stock.open(size.audience)
    found, _ = await _fanouts(stock, size, say, lambda _: stock.connections[0].say(reveal), LOCKED_BY_STOCK)
    return found


async def _fanouts(
    contender: Contender, size: Size, say: Say, send: Callable[[int], None], starts: bytes
) -> tuple[list[Fanout], bytes]:
    """Measure several broadcasts. Return them with the frame that all connections received."""
    await _calm(contender)
    rounds, text = [], b""
    for number in range(size.fanouts):
        found, text = await measure_fanout(contender, partial(send, number), starts)
        say(f"broadcast: {contender.name} {found.wall_ms:,.0f} ms, CPU {found.cpu_ms:,.0f} ms")
        rounds.append(found)
    await _close([contender])
    return rounds, text


async def _close(contenders: Sequence[Contender]) -> None:
    for contender in contenders:
        contender.close()
    for contender in contenders:
        await _calm(contender)


async def _calm(contender: Contender) -> None:
    """Wait until the servers are idle, or for a limited time on a busy machine."""
    deadline, share = time.monotonic() + CALM_WITHIN_S, 1.0
    while share > IDLE_SHARE and time.monotonic() < deadline:
        watch = Stopwatch(contender.servers)
        await asyncio.sleep(POLL_S)
        share = watch.cpu_s() / watch.wall_s
