"""Parts of a rehearsal without a server: agenda, display, samples, saved seats and the command."""

import asyncio
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.context import BATCH_SIZE, Agenda, RehearsalContext
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.own_load import OwnLoad
from crowdgame.rehearsal.progress_display import Display
from crowdgame.rehearsal.rehearsal_report import build_report
from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.rehearsal.saved_seats import read_seats, write_seats
from crowdgame.rehearsal.server_clock import ServerClock

ROOT = Path(__file__).parents[3]


def test_agenda_yields_between_batches() -> None:
    async def slices() -> list[int]:
        agenda, done, seen = Agenda(), [0], []
        for _ in range(3 * BATCH_SIZE - 1):
            agenda.add(lambda: done.__setitem__(0, done[0] + 1))
        for _ in range(4):
            seen.append(done[0])
            await asyncio.sleep(0)
        return seen

    assert asyncio.run(slices()) == [0, BATCH_SIZE, 2 * BATCH_SIZE, 3 * BATCH_SIZE - 1]


def test_display_warns_when_crowd_overloads_its_machine() -> None:
    def report_text(busy_s: float) -> str:
        context = RehearsalContext(
            "HALL", ServerAddress(""), "spread", ServerClock(float), RehearsalLedger(), Random(1)
        )
        load, output = OwnLoad(), StringIO()
        load.busy_s = busy_s
        Display(Console(file=output, width=200)).finish(build_report(context, 1, load))
        return output.getvalue()

    assert "the results show the crowd's own limits" in report_text(3.0)
    assert "the results show the crowd's own limits" not in report_text(0.0)


def test_samples_use_nearest_rank_percentiles() -> None:
    assert Samples().spread() is None
    assert Samples([5.04]).spread() == Spread(5.0, 5.0, 5.0)
    assert Samples(float(n) for n in range(100, 0, -1)).spread() == Spread(51.0, 100.0, 100.0)
    assert Samples([-3.0, 1500.0]).in_seconds() == Spread(1.5, 1.5, 1.5)


def test_saved_seats_are_private_and_bound_to_event(tmp_path: Path) -> None:
    file = tmp_path / "seats.json"
    assert read_seats(file, "HALL") == {}
    write_seats(file, "HALL", {0: "a", 11: "b"})
    assert read_seats(file, "HALL") == {0: "a", 11: "b"}
    assert read_seats(file, "OTHER") == {}
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("[]")
    with pytest.raises(ValueError, match="holds no seats"):
        read_seats(file, "HALL")


# ------------------------------------------------------------------ the command
def command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), "rehearse", *arguments]


ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "REDIS_URL": "redis://127.0.0.1:1/0"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("HALL", "--url", "http://127.0.0.1:9"),
        ("HALL", "--url", "hall"),
        ("HALL", "--phones", "1000000000"),
        ("HALL", "--seats", "/"),
    ],
    ids=" ".join,
)
def test_rehearse_command_fails_with_one_line(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout in ("", "connecting\n")
    assert len(done.stderr.splitlines()) == 1
    if "1000000000" in arguments:
        assert "Run several rehearsals in parallel" in done.stderr


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT], ids=lambda ending: ending.name)
def test_rehearse_command_without_server_stops_on_signal(ending: signal.Signals, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with subprocess.Popen(
        command("HALL", "--url", "http://127.0.0.1:9", "--until-stopped", "--json", str(report)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"connecting\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(ending)
        assert process.wait(60) == 0
    assert b'"joined":0' in report.read_bytes()
