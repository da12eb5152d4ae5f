"""A pytest plugin that prints each failure at once: `-p tests.failures --no-summary`."""

import shlex

import pytest


class FailurePrinter:
    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._print(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._print(report)

    def _print(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed:
            self._terminal.ensure_newline()
            self._terminal.write_sep("_", f"{report.nodeid} ({report.when})", red=True, bold=True)
            self._terminal.write_line(report.longreprtext)
            for name, text in report.sections:
                self._terminal.write_sep("-", name)
                self._terminal.write_line(text)
            name = shlex.quote(report.nodeid).replace("$", "$$")
            self._terminal.write_line(f'Repeat with: make test ARGS="{name}"', yellow=True)


@pytest.hookimpl(trylast=True)  # after the terminal reporter is registered
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailurePrinter(terminal))
