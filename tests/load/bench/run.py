"""One run: everything in turn on the same machine, rounds of the contenders interleaved."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.load.bench.contender import Contender
from tests.load.bench.fanout import Fanout, fanout_of
from tests.load.bench.figures import Evening, Fanouts, Figures, Rates, fanouts_of, rates_of
from tests.load.bench.line import close_all
from tests.load.bench.machine import cores, pin, rss
from tests.load.bench.others import running_others, stock_reveal
from tests.load.bench.ours import Ours, make_ours, open_console, press
from tests.load.bench.pages import page_rate
from tests.load.bench.rate import Rate, rate_of
from tests.load.bench.rehearsal import rehearse
from tests.stack import running_house

WARMED_BY = 50
LOCKS = ("joining.lock", "joining.unlock")
LOCKED = b'{"type":"joining.'
LOCKED_BY_STOCK = b'{"type": "joining.'
GONE_S = 1.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Size:
    phones: int
    seconds: float
    rounds: int
    fanouts: int
    turns: int


async def bench(size: Size, home: Path, say: Say) -> Figures:
    """The load generator, the stores and the workers on the last core, the servers on the first."""
    server_core, load_core = cores()[0], cores()[-1]
    pin(os.getpid(), load_core)
    with running_others(home / "others") as (echo, stock), running_house(home / "house") as house:
        ours = make_ours(house)
        for contender in (echo, stock, ours.contender):
            pin(contender.pid, server_core)
        say(f"opening {size.phones:,} sockets to each server")
        memory = await _memory(echo, stock, ours, size.phones)
        votes = await _votes([echo, stock, ours.contender], size, say)
        _check_book(ours)
        fanout = await _fanouts(stock, ours, size.fanouts, say)
        close_all(line for contender in (echo, stock, ours.contender) for line in contender.lines)
        await asyncio.sleep(GONE_S)
        pages = await _pages(ours, size, say)
        say(f"a rehearsal of {size.turns} turns")
        report, crowd_share = await asyncio.to_thread(rehearse, house, size.phones, size.turns, home)
    times = report.ack_ms, report.resolved_ms, report.last_told_ms
    evening = Evening(report.phones, size.turns, report.ballots, crowd_share, *times)
    return Figures(size.phones, memory, votes, fanout, pages, evening)


async def _memory(echo: Contender, stock: Contender, ours: Ours, phones: int) -> dict[str, float]:
    """KiB a connection, beyond the first few, which fill caches."""

    async def grown(contender: Contender, more: Callable[[int], Awaitable[object]]) -> float:
        await more(WARMED_BY)
        before = rss(contender.pid)
        await more(phones - WARMED_BY)
        return (rss(contender.pid) - before) / 1024 / (phones - WARMED_BY)

    return {
        "echo": await grown(echo, echo.open),
        "stock": await grown(stock, stock.open),
        "ours": await grown(ours.contender, ours.join),
    }


async def _votes(contenders: list[Contender], size: Size, say: Say) -> dict[str, Rates]:
    rounds: dict[str, list[Rate]] = {contender.name: [] for contender in contenders}
    for number in range(1, size.rounds + 1):
        for contender in contenders:
            rate = await rate_of(contender, size.seconds)
            say(f"votes, round {number}: {contender.name} {rate.a_second:,.0f}/s")
            rounds[contender.name].append(rate)
    return {name: rates_of(rates) for name, rates in rounds.items()}


def _check_book(ours: Ours) -> None:
    """What was acknowledged is in the box, all of it: a rate of lost ballots is none."""
    cast = sum(line.sequence for line in ours.contender.lines)
    assert ours.refused == 0, f"{ours.refused} ballots were refused"
    assert ours.recorded() == cast, f"the box has {ours.recorded()} ballots of {cast}"


async def _fanouts(stock: Contender, ours: Ours, rounds: int, say: Say) -> dict[str, Fanouts]:
    """The product's, and the same text through the stock app's group."""
    console = await open_console(ours)
    found: dict[str, list[Fanout]] = {"ours": [], "stock": []}
    for number in range(rounds):
        mine = await fanout_of(ours.contender, partial(press, console, LOCKS[number % 2]), LOCKED)
        theirs = await fanout_of(stock, partial(stock.lines[0].say, stock_reveal(mine.text)), LOCKED_BY_STOCK)
        say(f"broadcast: ours {mine.wall_s * 1000:,.0f} ms, core layer {theirs.wall_s * 1000:,.0f} ms")
        found["ours"].append(mine)
        found["stock"].append(theirs)
    console.close()
    return {name: fanouts_of(fanouts) for name, fanouts in found.items()}


async def _pages(ours: Ours, size: Size, say: Say) -> dict[str, Rates]:
    paths = {"phone page": f"/{ours.code}", "login page": "/console/login/"}
    rounds: dict[str, list[Rate]] = {name: [] for name in paths}
    for number in range(1, size.rounds + 1):
        for name, path in paths.items():
            rate = await page_rate(ours.contender.pid, ours.contender.port, path, size.seconds / 2)
            say(f"pages, round {number}: {name} {rate.a_second:,.0f}/s")
            rounds[name].append(rate)
    return {name: rates_of(rates) for name, rates in rounds.items()}
