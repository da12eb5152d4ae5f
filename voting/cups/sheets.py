"""As much of a cup as a big screen can show at once, so that the last row reads it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from voting.cups.cards import LONG_NAME, Card
from voting.cups.course import Meeting, rounds
from voting.cups.cups import Course
from voting.cups.table import Row, table
from voting.cups.words import name_round

ROWS_A_SHEET = 8
ROUNDS_A_SHEET = 3  # the last ones: from the quarter-finals on


@dataclass(frozen=True, slots=True)
class Column:
    """A round: its title, and its cards as they are drawn, None where a bye leaves a place empty."""

    title: str
    cards: tuple[Card | None, ...]

    @property
    def on(self) -> bool:
        return any(card is not None and card.state == "on" for card in self.cards)


@dataclass(frozen=True, slots=True)
class TableRow:
    row: Row
    name: str

    @property
    def long(self) -> bool:
        return len(self.name) > LONG_NAME


@dataclass(frozen=True, slots=True)
class Sheet:
    """As much as a big screen shows at once: columns of a bracket, rows of a table, or a round's cards."""

    kind: Literal["bracket", "table", "round"]
    title: str
    columns: tuple[Column, ...] = ()
    rows: tuple[TableRow, ...] = ()
    over: bool = False


def table_rows(course: Course) -> tuple[TableRow, ...]:
    return tuple(TableRow(row, course.names[row.team]) for row in table(tuple(course.names), course.meetings))


def bracket_sheets(course: Course, cards: Mapping[int, Card]) -> Iterator[Sheet]:
    """The earlier rounds in parts of eight places, then the last three rounds together."""
    last = course.draw[-1].round
    early = max(0, last - ROUNDS_A_SHEET)
    grid = {number: _cells(met, cards, 2 ** (last - number)) for number, met in rounds(course.meetings)}
    titles = {number: name_round(course.kind, course.draw, number) for number in grid}
    for part in range(2 ** (last - 3) if early else 0):
        columns = []
        for number in range(1, early + 1):
            size = 4 >> (number - 1)
            columns.append(Column(titles[number], grid[number][part * size : (part + 1) * size]))
        yield _bracket(f"{titles[1]}, part {part + 1}", columns)
    yield _bracket(titles[early + 1], [Column(titles[n], grid[n]) for n in range(early + 1, last + 1)])


def _cells(met: Sequence[Meeting], cards: Mapping[int, Card], places: int) -> tuple[Card | None, ...]:
    by_place = {meeting.pairing.place: cards[meeting.pairing.number] for meeting in met}
    return tuple(by_place.get(place) for place in range(places))


def _bracket(title: str, columns: list[Column]) -> Sheet:
    return Sheet("bracket", title, tuple(columns), over=all(_over(column.cards) for column in columns))


def _over(cards: Sequence[Card | None]) -> bool:
    return all(card is None or card.state == "over" for card in cards)


def league_sheets(rows: Sequence[TableRow], columns: Sequence[Column]) -> Iterator[Sheet]:
    for first in range(0, len(rows), ROWS_A_SHEET):
        yield Sheet("table", "The table", rows=tuple(rows[first : first + ROWS_A_SHEET]))
    unfinished = [column for column in columns if not _over(column.cards)]
    for column in unfinished[:1]:
        for first in range(0, len(column.cards), ROWS_A_SHEET):
            part = Column(column.title, column.cards[first : first + ROWS_A_SHEET])
            yield Sheet("round", column.title, (part,))
