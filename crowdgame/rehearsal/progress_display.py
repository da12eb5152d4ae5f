"""Progress display of a rehearsal: a live table on a terminal, else plain lines."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TextIO

from click import echo

from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd import CrowdProgress
from crowdgame.rehearsal.crowd_ledger import TurnEntry
from crowdgame.rehearsal.own_load import OVERLOAD_SHARE
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.rehearsal.samples import Spread


class Display:
    """Shows a rehearsal. Call `show` about once a second."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._table_lines = 0
        self._joined = 0
        self._said_turn = 0
        self._seen: set[int] = set()
        self._waiting = False

    @contextmanager
    def running(self) -> Iterator[None]:
        if not self._output.isatty():
            self._say("connecting")
        try:
            yield
        finally:
            self._erase_table()

    def show(self, progress: CrowdProgress) -> None:
        context = progress.context
        if self._output.isatty():
            self._show_table(progress)
            return
        self._say_joined(context, progress.phones)
        revealed = [entry for entry in context.ledger.turns.values() if entry.tallied is not None]
        self._say_turns(entry for entry in revealed if entry.reveals_received >= context.connected)
        self._say_turns(entry for entry in revealed if entry.turn in self._seen)
        self._seen = {entry.turn for entry in revealed}

    def finish(self, report: RehearsalReport) -> None:
        self._say_turns(entry for entry in report.turns if entry.tallied is not None)
        for line in _lines(report):
            self._say(line)

    def _show_table(self, progress: CrowdProgress) -> None:
        self._erase_table()
        for label, value in _table(progress):
            self._say(f"{label:<28}{value}"[: get_terminal_size().columns - 1])
            self._table_lines += 1

    def _erase_table(self) -> None:
        if self._table_lines:
            echo(f"\x1b[{self._table_lines}F\x1b[J", self._output, nl=False)
            self._table_lines = 0

    def _say_joined(self, context: RehearsalContext, phones: int) -> None:
        joined = context.ledger.joined
        if context.ledger.errors and not joined and not self._waiting:
            self._waiting = True
            self._say(f"not joined yet: {_counts(context.ledger.errors)}")
        if joined > self._joined and (joined == phones or joined >= self._joined * 1.5):
            self._joined = joined
            self._say(f"{joined} of {phones} phones have joined {context.code}")

    def _say_turns(self, entries: Iterable[TurnEntry]) -> None:
        """Print a turn once all phones have received its reveal, or one call of `show` later."""
        for entry in entries:
            if entry.turn > self._said_turn:
                self._said_turn = entry.turn
                self._say(_turn_line(entry))

    def _say(self, line: str) -> None:
        echo(line, self._output)


def _turn_line(entry: TurnEntry) -> str:
    tallied = entry.tallied if entry.tallies else "secret"
    return (
        f"turn {entry.number}: {len(entry.acknowledged)} ballots acknowledged, {tallied} in the tally; "
        f"{entry.reveals_received} phones received the reveal, "
        f"the last {entry.last_reveal_ms:.0f} ms after the deadline"
    )


def _table(progress: CrowdProgress) -> Iterator[tuple[str, str]]:
    context, book, load = progress.context, progress.context.ledger, progress.load
    yield f"Rehearsal of {context.code}", context.profile
    yield "phones connected", f"{context.connected} of {progress.phones}, {book.reconnects} reconnected"
    yield "disconnected", _disconnects(book.closed, book.retries, book.away)
    yield "turns revealed", str(book.revealed)
    yield "ballots", f"{book.sent} sent, {book.acknowledged} acknowledged, {book.lost} lost"
    yield "refused", _counts(book.refused) or "none"
    yield "acknowledged after", _spread(book.ack_ms.spread())
    yield "revealed after the deadline", _spread(book.reveal_ms.spread())
    yield "reconnected after", _spread(book.back_ms.spread())
    yield "the crowd's own core", f"{load.share:.0%}{_too_busy(load.share)}"
    revealed = [entry for entry in book.turns.values() if entry.tallied is not None]
    if revealed:
        yield "last turn", _turn_line(revealed[-1])


def _too_busy(share: float) -> str:
    return ": the results show the crowd's own limits" if share > OVERLOAD_SHARE else ""


def _lines(report: RehearsalReport) -> Iterator[str]:
    ballots = report.ballots
    yield f"joined: {report.joined} of {report.phones}; reconnected: {report.reconnects}"
    yield f"joined after: {_spread(report.joined_in_s, 's')}"
    if report.reconnects:
        yield f"reconnected after: {_spread(report.reconnected_in_s, 's')}"
    yield f"disconnected: {_disconnects(report.closed, report.retries, report.away)}"
    yield (
        f"ballots: {ballots.sent} sent, {ballots.acknowledged} acknowledged, "
        f"{_counts(ballots.refused) or 'none'} refused, {ballots.lost} lost, "
        f"{ballots.cut_off} cut off by the crowd"
    )
    yield f"acknowledged after: {_spread(report.ack_ms)}"
    yield f"sealed after the deadline: {_spread(report.sealed_ms)}"
    yield f"resolved after the deadline: {_spread(report.resolved_ms)}"
    yield f"revealed after the deadline, each phone: {_spread(report.reveal_ms)}"
    yield f"revealed after the deadline, last phone of a turn: {_spread(report.last_reveal_ms)}"
    yield (
        f"own processor time: {report.cpu_s:.1f} s, {report.cpu_share:.0%} of a core, "
        f"{report.cpu_share_most:.0%} in the busiest second"
    )
    if report.busy_s:
        yield (
            f"The crowd itself used more than {OVERLOAD_SHARE:.0%} of a core for {report.busy_s:.0f} s; "
            "in that time, the results show the crowd's own limits. Run it on another computer or in several "
            "processes."
        )


def _disconnects(closed: Mapping[str, int], retries: int, away: Mapping[str, int]) -> str:
    parts = [f"closed with {_counts(closed)}"] if closed else []
    parts += [f"{retries} asked to retry later"] if retries else []
    parts += [f"{_counts(away)} permanently"] if away else []
    return "; ".join(parts) or "none"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def _spread(spread: Spread | None, unit: str = "ms") -> str:
    if spread is None:
        return "nothing yet"
    digits = 0 if unit == "ms" else 2
    p50, p99, most = (f"{value:.{digits}f} {unit}" for value in (spread.p50, spread.p99, spread.max))
    return f"p50 {p50}, p99 {p99}, most {most}"
