"""How a rehearsal shows: a live table on a terminal, else a plain line where something happened."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table

from voting.rehearsal.hall import Hall
from voting.rehearsal.ledger import TurnEntry
from voting.rehearsal.report import Report, Spread, spread_of

RECENT = 2_000


class Display:
    """`show` is called about once a second with what stands."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._joined = 0
        self._said_turn = 0
        self._seen: set[int] = set()
        self._waiting = False

    @contextmanager
    def running(self) -> Iterator[None]:
        if not self._console.is_terminal:
            self._say("knocking at the door")
            yield
            return
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            self._live = live
            yield
        self._live = None

    def show(self, hall: Hall, phones: int) -> None:
        if self._live:
            self._live.update(_table(hall, phones), refresh=True)
            return
        self._say_joined(hall, phones)
        revealed = [entry for entry in hall.ledger.turns.values() if entry.tallied is not None]
        self._say_turns(entry for entry in revealed if entry.told >= hall.connected)
        self._say_turns(entry for entry in revealed if entry.turn in self._seen)
        self._seen = {entry.turn for entry in revealed}

    def finish(self, report: Report) -> None:
        self._say_turns(entry for entry in report.turns if entry.tallied is not None)
        for line in _lines(report):
            self._say(line)

    def _say_joined(self, hall: Hall, phones: int) -> None:
        joined = hall.ledger.joined
        if hall.ledger.errors and not joined and not self._waiting:
            self._waiting = True
            self._say(f"not let in yet: {_counts(hall.ledger.errors)}")
        if joined > self._joined and (joined == phones or joined >= self._joined * 1.5):
            self._joined = joined
            self._say(f"{joined} of {phones} phones have joined {hall.code}")

    def _say_turns(self, entries: Iterable[TurnEntry]) -> None:
        """A turn is told once all phones heard of it, or a second later."""
        for entry in entries:
            if entry.turn > self._said_turn:
                self._said_turn = entry.turn
                self._say(_turn_line(entry))

    def _say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, highlight=False, markup=False)


def _turn_line(entry: TurnEntry) -> str:
    return (
        f"turn {entry.number}: {len(entry.acknowledged)} ballots acknowledged, {entry.tallied} in the tally; "
        f"{entry.told} phones told, the last {entry.told_last_ms:.0f} ms after the deadline"
    )


def _table(hall: Hall, phones: int) -> Table:
    book = hall.ledger
    table = Table(title=f"Rehearsal of {hall.code}", show_header=False, title_justify="left")
    table.add_row("phones connected", f"{hall.connected} of {phones}, {book.reconnects} came back")
    table.add_row("turns revealed", str(book.revealed))
    table.add_row("ballots", f"{book.sent} sent, {book.acknowledged} acknowledged, {book.lost} lost")
    table.add_row("refused", _counts(book.refused) or "none")
    table.add_row("acknowledged after", _spread(spread_of(list(book.ack_ms)[-RECENT:])))
    table.add_row("revealed after the deadline", _spread(spread_of(list(book.reveal_ms)[-RECENT:])))
    table.add_row("own processor time", f"{time.process_time():.1f} s")
    revealed = [entry for entry in book.turns.values() if entry.tallied is not None]
    if revealed:
        table.add_row("last turn", _turn_line(revealed[-1]))
    return table


def _lines(report: Report) -> Iterator[str]:
    ballots = report.ballots
    yield f"joined: {report.joined} of {report.phones}; came back: {report.reconnects}"
    yield (
        f"ballots: {ballots.sent} sent, {ballots.acknowledged} acknowledged, "
        f"{_counts(ballots.refused) or 'none'} refused, {ballots.lost} lost"
    )
    yield f"acknowledged after: {_spread(report.ack_ms)}"
    yield f"resolved after the deadline: {_spread(report.resolved_ms)}"
    yield f"revealed after the deadline, each phone: {_spread(report.reveal_ms)}"
    yield f"revealed after the deadline, last phone of a turn: {_spread(report.last_told_ms)}"
    yield f"own processor time: {report.cpu_s:.1f} s"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def _spread(spread: Spread | None) -> str:
    if spread is None:
        return "nothing yet"
    return f"p50 {spread.p50:.0f} ms, p99 {spread.p99:.0f} ms, most {spread.max:.0f} ms"
