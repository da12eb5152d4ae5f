"""Measure the front end and write docs/generated/frontend.md: `make bench-pages` (ARGS="--turns 200")."""

import argparse
import os
import platform
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from crowdgame.server.laptop.paths import ROOT  # noqa: E402
from tests.e2e.fake_gateway import running_fake_gateway  # noqa: E402
from tests.e2e.measurements import console, display, first_picture, frame_rate, phone  # noqa: E402
from tests.e2e.measurements.goal import Measurement  # noqa: E402
from tests.e2e.screens import chromium  # noqa: E402
from tests.server import running_server  # noqa: E402

PAGE = ROOT / "docs" / "generated" / "frontend.md"
HEAD = """# Front-end measurements

`make bench-pages` writes this table. The phone and the display receive generated events over a real socket.
The console runs against a complete server. Chromium slows down the processor and the network. `make test`
checks the sizes and counts, too.

| what | goal | measured | |
| --- | --- | --- | --- |
"""


def measure(turns: int) -> Iterator[Measurement]:
    with chromium() as browser:
        with running_fake_gateway() as fake_gateway, running_fake_gateway(display.RATE) as fast:
            yield from phone.measurements(browser, fake_gateway)
            yield from first_picture.measurements(browser, fake_gateway)
            yield from frame_rate.measurements(browser, fake_gateway)
            yield from display.measurements(browser, fake_gateway, fast, turns)
        with tempfile.TemporaryDirectory() as data, running_server(Path(data)) as server:
            yield from console.measurements(browser, server)


def page(found: Sequence[Measurement]) -> str:
    rows = "\n".join(measurement.row for measurement in found)
    day = datetime.now(UTC).date().isoformat()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, headless, no graphics card"
    return f"{HEAD}{rows}\n\n{day}, {machine}.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=display.TURNS, help="turns that the projector shows")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    options = parser.parse_args()
    found = []
    for measurement in measure(options.turns):
        print(measurement.row, flush=True)
        found.append(measurement)
    if not options.dry:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
