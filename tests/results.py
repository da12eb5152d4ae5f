"""A pytest plugin that prints each failure at once and writes the results of a run to a file as they arrive.

The file is named by the environment variable RESULTS. Only the process that the user started writes it.
"""

import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

RESULTS = "CROWDGAME_TEST_RESULTS"
WORST_FIRST = ("failed", "skipped", "passed")


@dataclass(frozen=True)
class Result:
    """A test's id; whether it "passed", "failed" or was "skipped"; and its time with setup and teardown."""

    name: str
    outcome: str
    seconds: float


class ResultWriter:
    def __init__(self, terminal: pytest.TerminalReporter, path: Path) -> None:
        self._terminal = terminal
        self._path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write(report.nodeid, report.when, report.outcome, report.duration)
        if report.failed:
            self._print_failure(report, f"{report.nodeid} ({report.when})")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(report.nodeid, "collection", report.outcome, 0)
            self._print_failure(report, f"{report.nodeid} (collection)")

    def _write(self, name: str, phase: str, outcome: str, seconds: float) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps([name, phase, outcome, seconds]) + "\n")

    def _print_failure(self, report: pytest.TestReport | pytest.CollectReport, title: str) -> None:
        self._terminal.ensure_newline()
        self._terminal.write_sep("_", title, red=True, bold=True)
        self._terminal.write_line(report.longreprtext)
        for name, text in report.sections:
            self._terminal.write_sep("-", name)
            self._terminal.write_line(text)
        self._terminal.write_line(f"Repeat with: {repeat_command(report.nodeid)}", yellow=True)


def repeat_command(name: str) -> str:
    return 'make test ARGS="{}"'.format(shlex.quote(name).replace("$", "$$"))


@pytest.hookimpl(trylast=True)  # after the terminal reporter is registered
def pytest_configure(config: pytest.Config) -> None:
    path = os.environ.pop(RESULTS, "")
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if path and terminal and not hasattr(config, "workerinput"):
        config.pluginmanager.register(ResultWriter(terminal, Path(path)))


def read_results(path: Path) -> Iterator[Result]:
    """The results that were written so far, one for each test that has ended."""
    if not path.exists():
        return
    phases: dict[str, list[tuple[str, str, float]]] = {}
    for line in path.read_text().splitlines():
        name, *phase = json.loads(line)
        phases.setdefault(name, []).append(tuple(phase))
    for name, found in phases.items():
        outcomes = {outcome for phase, outcome, _ in found if phase == "call" or outcome != "passed"}
        if outcomes:
            yield Result(name, min(outcomes, key=WORST_FIRST.index), sum(seconds for *_, seconds in found))
