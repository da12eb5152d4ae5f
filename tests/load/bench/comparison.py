"""All measurements under one server; the contenders take turns round by round."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.load.bench.connection import Contender
from tests.load.bench.field import Field, running_field, stock_reveal
from tests.load.bench.machine import Stopwatch, rss
from tests.load.bench.measurements import Fanout, Rate, measure_fanout, measure_pages, measure_rate
from tests.load.bench.product import Product, open_console, send_action
from tests.load.bench.results import Comparison

WARMED_BY = 50
LOCKS = ("joining.lock", "joining.unlock")
LOCKED = b'{"type":"joining.'
LOCKED_BY_STOCK = b'{"type": "joining.'
POLL_S = 0.25
IDLE_SHARE = 0.2
CALM_WITHIN_S = 20.0

Say = Callable[[str], None]
Rounds = dict[str, list[Rate]]


@dataclass(frozen=True, slots=True)
class Size:
    """`phones`: sockets per contender; `audience`: sockets of a broadcast; rounds last `seconds`.

    `pair`: the product is measured with two gateways as well.
    """

    phones: int
    audience: int
    seconds: float
    rounds: int
    fanouts: int
    pair: bool


async def run_comparison(server: str, size: Size, home: Path, say: Say) -> Comparison:
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
    fanout = {"crowdgame": ours, "stock": stock}
    return Comparison(server, size.phones, size.audience, memory, votes, fanout, pages)


async def _memory(field: Field, phones: int) -> dict[str, float]:
    """Measure KiB per connection, without the first few, which fill caches."""

    async def growth(contender: Contender, more: Callable[[int], Awaitable[object]]) -> float:
        await more(WARMED_BY)
        before = sum(map(rss, contender.servers))
        await more(phones - WARMED_BY)
        return (sum(map(rss, contender.servers)) - before) / 1024 / (phones - WARMED_BY)

    found = {
        contender.name: await growth(contender, contender.open) for contender in (field.echo, field.stock)
    }
    products = {
        product.contender.name: await growth(product.contender, product.join) for product in field.products
    }
    return found | products


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
    """Broadcast organizer actions from the console."""
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
