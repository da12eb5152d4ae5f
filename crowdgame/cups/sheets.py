"""As much of a cup as a big screen can show at once, so that the last row reads it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from crowdgame.cups.cards import Card
from crowdgame.cups.cups import Course
from crowdgame.cups.league_table import Row, table
from crowdgame.cups.standings import Meeting, rounds
from crowdgame.cups.words import name_round

ROWS_A_SHEET = 8
ROUNDS_A_SHEET, ROUNDS_OF_LONG_NAMES = 3, 2  # of eight teams, and of four
CARDS_A_SHEET, CARDS_OF_LONG_NAMES = 8, 4
ONE_LINE = 8


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
    """The earlier rounds in parts, then the last ones together."""
    most = ROUNDS_A_SHEET if _short(course) else ROUNDS_OF_LONG_NAMES
    first, last = 1, course.draw[-1].round
    grid = {number: _cells(met, cards, 2 ** (last - number)) for number, met in rounds(course.meetings)}
    titles = {number: name_round(course.kind, course.draw, number) for number in grid}
    while last - first >= most:
        shown = range(first, min(first + most, last - 1))  # the semi-finals and the final stay together
        if len(shown) == 1:
            yield from _round(Column(titles[first], tuple(filter(None, grid[first]))), CARDS_OF_LONG_NAMES)
        else:
            yield from _parts([Column(titles[n], grid[n]) for n in shown], 2 ** (most - 1))
        first = shown.stop
    yield _bracket(titles[first], [Column(titles[n], grid[n]) for n in range(first, last + 1)])


def _short(course: Course) -> bool:
    """Each name fits into a line where three rounds stand side by side."""
    return all(len(name) <= ONE_LINE for name in course.names.values())


def _parts(columns: Sequence[Column], size: int) -> Iterator[Sheet]:
    """With so many places of the first round each; one without a pairing is left out."""
    for part in range(len(columns[0].cards) // size):
        cut = [_cut(column, part, size >> later) for later, column in enumerate(columns)]
        if any(card for column in cut for card in column.cards):
            yield _bracket(f"{columns[0].title}, part {part + 1}", cut)


def _cut(column: Column, part: int, size: int) -> Column:
    return Column(column.title, column.cards[part * size : (part + 1) * size])


def _round(column: Column, size: int) -> Iterator[Sheet]:
    for part in range(-(-len(column.cards) // size)):
        cut = _cut(column, part, size)
        title = f"{column.title}, part {part + 1}" if len(column.cards) > size else column.title
        yield Sheet("round", title, (cut,), over=_over(cut.cards))


def _cells(met: Sequence[Meeting], cards: Mapping[int, Card], places: int) -> tuple[Card | None, ...]:
    by_place = {meeting.pairing.place: cards[meeting.pairing.number] for meeting in met}
    return tuple(by_place.get(place) for place in range(places))


def _bracket(title: str, columns: list[Column]) -> Sheet:
    return Sheet("bracket", title, tuple(columns), over=all(_over(column.cards) for column in columns))


def _over(cards: Sequence[Card | None]) -> bool:
    return all(card is None or card.state == "over" for card in cards)


def league_sheets(course: Course, rows: Sequence[TableRow], columns: Sequence[Column]) -> Iterator[Sheet]:
    for first in range(0, len(rows), ROWS_A_SHEET):
        yield Sheet("table", "The table", rows=tuple(rows[first : first + ROWS_A_SHEET]))
    unfinished = [column for column in columns if not _over(column.cards)]
    size = CARDS_A_SHEET if _short(course) else CARDS_OF_LONG_NAMES
    for column in unfinished[:1]:
        yield from _round(column, size)
