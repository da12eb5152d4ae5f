"""Sheets of a cup: what fits on a big screen at once, legible from the last row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from crowdgame.organizer.cups.cards import PairingCard
from crowdgame.organizer.cups.cups import CupProgress
from crowdgame.organizer.cups.league_table import LeagueRow, league_table
from crowdgame.organizer.cups.pairing_names import name_round
from crowdgame.organizer.cups.pairing_status import PairingStatus, rounds

ROWS_PER_SHEET = 8
ROUNDS_PER_SHEET, ROUNDS_WITH_LONG_NAMES = 3, 2  # of eight teams, and of four
CARDS_PER_SHEET, CARDS_WITH_LONG_NAMES = 8, 4
SHORT_NAME_LENGTH = 8


@dataclass(frozen=True, slots=True)
class RoundColumn:
    """A round: its title and its cards in drawn order. None stands for a bye."""

    title: str
    cards: tuple[PairingCard | None, ...]

    @property
    def on(self) -> bool:
        return any(card is not None and card.state == "on" for card in self.cards)


@dataclass(frozen=True, slots=True)
class TableRow:
    row: LeagueRow
    name: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One screen: columns of a bracket, rows of a table, or the cards of a round."""

    kind: Literal["bracket", "table", "round"]
    title: str
    columns: tuple[RoundColumn, ...] = ()
    rows: tuple[TableRow, ...] = ()
    over: bool = False


def table_rows(progress: CupProgress) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(row, progress.names[row.team])
        for row in league_table(tuple(progress.names), progress.meetings)
    )


def bracket_sheets(progress: CupProgress, cards: Mapping[int, PairingCard]) -> Iterator[Sheet]:
    """Yield the earlier rounds in parts, then the last rounds on one sheet."""
    most = ROUNDS_PER_SHEET if _has_short_names(progress) else ROUNDS_WITH_LONG_NAMES
    first, last = 1, progress.draw[-1].round
    grid = {number: _cells(met, cards, 2 ** (last - number)) for number, met in rounds(progress.meetings)}
    titles = {number: name_round(progress.kind, progress.draw, number) for number in grid}
    while last - first >= most:
        shown = range(first, min(first + most, last - 1))  # the semi-finals and the final stay together
        if len(shown) == 1:
            column = RoundColumn(titles[first], tuple(filter(None, grid[first])))
            yield from _round_sheets(column, CARDS_WITH_LONG_NAMES)
        else:
            yield from _bracket_parts([RoundColumn(titles[n], grid[n]) for n in shown], 2 ** (most - 1))
        first = shown.stop
    yield _bracket_sheet(titles[first], [RoundColumn(titles[n], grid[n]) for n in range(first, last + 1)])


def _has_short_names(progress: CupProgress) -> bool:
    """Whether every name fits into a column when three rounds stand side by side."""
    return all(len(name) <= SHORT_NAME_LENGTH for name in progress.names.values())


def _bracket_parts(columns: Sequence[RoundColumn], size: int) -> Iterator[Sheet]:
    """Yield sheets with `size` places of the first round each. Leaves out parts without a pairing."""
    for part in range(len(columns[0].cards) // size):
        cut = [_slice_column(column, part, size >> later) for later, column in enumerate(columns)]
        if any(card for column in cut for card in column.cards):
            yield _bracket_sheet(_part_title(columns[0].title, part), cut)


def _part_title(title: str, part: int) -> str:
    return _("%(title)s, part %(part)d") % {"title": title, "part": part + 1}


def _slice_column(column: RoundColumn, part: int, size: int) -> RoundColumn:
    return RoundColumn(column.title, column.cards[part * size : (part + 1) * size])


def _round_sheets(column: RoundColumn, size: int) -> Iterator[Sheet]:
    for part in range(-(-len(column.cards) // size)):
        cut = _slice_column(column, part, size)
        title = _part_title(column.title, part) if len(column.cards) > size else column.title
        yield Sheet("round", title, (cut,), over=_all_over(cut.cards))


def _cells(
    met: Sequence[PairingStatus], cards: Mapping[int, PairingCard], places: int
) -> tuple[PairingCard | None, ...]:
    by_place = {meeting.pairing.place: cards[meeting.pairing.number] for meeting in met}
    return tuple(by_place.get(place) for place in range(places))


def _bracket_sheet(title: str, columns: list[RoundColumn]) -> Sheet:
    return Sheet("bracket", title, tuple(columns), over=all(_all_over(column.cards) for column in columns))


def _all_over(cards: Sequence[PairingCard | None]) -> bool:
    return all(card is None or card.state == "over" for card in cards)


def league_sheets(
    progress: CupProgress, rows: Sequence[TableRow], columns: Sequence[RoundColumn]
) -> Iterator[Sheet]:
    """Yield the table's sheets, then those of the first unfinished round."""
    for first in range(0, len(rows), ROWS_PER_SHEET):
        yield Sheet("table", pgettext("league", "Table"), rows=tuple(rows[first : first + ROWS_PER_SHEET]))
    unfinished = [column for column in columns if not _all_over(column.cards)]
    size = CARDS_PER_SHEET if _has_short_names(progress) else CARDS_WITH_LONG_NAMES
    for column in unfinished[:1]:
        yield from _round_sheets(column, size)
