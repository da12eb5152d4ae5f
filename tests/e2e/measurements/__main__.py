"""Measure the front end and write docs/generated/frontend.md: `make bench-pages` (ARGS="--turns 200")."""

import argparse
import os
import platform
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from crowdgame.server.laptop.paths import ROOT  # noqa: E402
from tests.e2e.fake_gateway import running_fake_gateway  # noqa: E402
from tests.e2e.measurements import timing  # noqa: E402
from tests.e2e.measurements.dev_tools import SLOW_CPU  # noqa: E402
from tests.e2e.screens import chromium  # noqa: E402
from tests.load.bench.report import MARKS, Row  # noqa: E402
from tests.server import running_server  # noqa: E402

PAGE = ROOT / "docs" / "generated" / "frontend.md"
HEAD = """# Front-end measurements

`make bench-pages` writes this table. The phone and the display receive generated events over a real socket.
The console runs against a complete server. Chromium slows down the processor and the network.
`tests/e2e/test_page_size.py` checks the sizes and counts.

| what | goal | measured | |
| --- | --- | --- | --- |
"""


def measure(turns: int) -> Iterator[Row]:
    def row(what: str, value: float, unit: str, goal: str) -> Row:
        return Row(server="", what=what, value=value, measured=unit.format(value), goal=goal)

    with chromium() as browser:
        with running_fake_gateway() as gateway, running_fake_gateway(timing.RATE) as fast:
            what = "phone: first visit to usable columns, Slow 3G and CPU slowed 4 times, median"
            yield row(what, timing.usable_after_s(browser, gateway), "{:.2f} s", "≤ 2.8 s")
            tap_ms = timing.tap_ms(browser, gateway)
            yield row("phone: tap to visible press, p95", tap_ms, "{:.0f} ms", "≤ 50 ms")
            loads = [timing.first_picture_ms(browser, gateway) for _ in range(5)]
            for drawn, times in zip(("first picture", "board"), zip(*loads, strict=True), strict=True):
                what = f"projector: {drawn} on a first visit, Slow 3G, median"
                yield row(what, median(times) / 1000, "{:.2f} s", "≤ 4 s")
            # The machine's speed varies: each rate is measured three times, in turns.
            cases = ((0, 1), (10_000, 1), (100, SLOW_CPU))
            rates = [[timing.frames_per_s(browser, gateway, *case) for case in cases] for _ in range(3)]
            empty, full, slow = (median(of_case) for of_case in zip(*rates, strict=True))
            what = "projector: frames with 20,000 particles, compared with none, medians"
            yield row(what, full / empty, f"{{:.2f}} ({full:.0f} of {empty:.0f} per s)", "≥ 0.75")
            what = "projector: frames per second with 200 voters, CPU slowed 4 times, median"
            yield row(what, slow, "{:.0f}", "≥ 50")
            samples = timing.soak(browser, fast, turns)
            first, last = samples[0][0], samples[-1][0]
            unit = f"{{:+.1f}} % ({first / 1e6:.2f} → {last / 1e6:.2f} MB)"
            yield row(f"projector: heap growth over {turns:,} turns", 100 * (last / first - 1), unit, "≤ 5 %")
            # The lobby's example varies by 30 nodes, and animations keep replaced nodes a while.
            half = len(samples) // 2
            before, after = (min(nodes for _, nodes in part) for part in (samples[:half], samples[half:]))
            what = "projector: new DOM nodes per turn, by the least of each half"
            yield row(what, 2 * (after - before) / turns, f"{{:.2f}} ({before} → {after})", "≤ 0.1")
            what = "projector: frames dropped while balls fall, CPU slowed 4 times"
            yield row(what, 100 * timing.dropped_frames(browser, gateway), "{:.1f} %", "≤ 5 %")
        with tempfile.TemporaryDirectory() as data, running_server(Path(data)) as server:
            delay_ms = timing.click_delay_ms(browser, server)
            yield row("console: click to projector, p99 of 100", delay_ms, "{:.0f} ms", "≤ 300 ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2_000, help="turns that the projector shows")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    options = parser.parse_args()
    lines = []
    for row in measure(options.turns):
        lines.append(f"| {row.what} | {row.goal} | {row.measured} | {MARKS[row.met]} |")
        print(lines[-1], flush=True)
    if not options.dry:
        day = datetime.now(UTC).date().isoformat()
        machine = f"{platform.machine()}, {os.cpu_count()} cores, headless, no graphics card"
        PAGE.write_text(HEAD + "\n".join((*lines, "", f"{day}, {machine}.", "")), encoding="utf-8")


if __name__ == "__main__":
    main()
