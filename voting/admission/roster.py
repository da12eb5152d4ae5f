"""Parse a pasted roster (class list): one name a line, optionally a separator and a team's name or number."""

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from voting.names import clean_name
from voting.typed_codes import plain_digits

NAME_LENGTH = 60
MAX_PUPILS = 2_000
MAX_ERRORS = 20
MAX_LINE_LENGTH = 2_000
_SEPARATORS = ",;\t\uff0c\uff1b\u3001\u060c\u061b\ufe50\ufe54"
_SEPARATOR = re.compile(f"[{_SEPARATORS}]")
_AROUND_SEPARATOR = re.compile(rf"\s*[{_SEPARATORS}]\s*")
_QUOTED_CELL = re.compile(r' *"(?:[^"]|"")*"')
_SEPARATOR_LINE = re.compile(r'"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)  # written by spreadsheets
# Titles of columns, case-folded, in the languages of the pages.
_NAME_TITLES = frozenset(
    {"name", "names", "student", "pupil", "namen", "schüler", "nom", "noms", "élève", "nombre", "nombres"}
    | {"alumno", "nome", "nomes", "aluno", "الاسم", "اسم", "الأسماء", "姓名", "名字", "名称"}
)
_TEAM_TITLES = frozenset(
    {"team", "mannschaft", "gruppe", "klasse", "group", "class", "équipe", "groupe", "classe", "equipo"}
    | {"grupo", "clase", "equipa", "equipe", "turma", "الفريق", "فريق", "المجموعة", "队", "队伍", "小组"}
)


class RosterError(Exception):
    """A roster is invalid. Its arguments are messages that can be shown to the organizer."""


@dataclass(frozen=True, slots=True)
class Pupil:
    name: str
    team: int | None


@dataclass(frozen=True, slots=True)
class Roster:
    """The pupils by the numbers of their lines.

    `titles` is the number of the line with the titles of the columns. `numbered`: the first column numbers
    the lines and was skipped.
    """

    lines: Mapping[int, Pupil]
    titles: int | None = None
    numbered: bool = False

    @property
    def pupils(self) -> list[Pupil]:
        return list(self.lines.values())


@dataclass(frozen=True, slots=True)
class _Columns:
    """Indexes of the columns; None: the team is whatever follows the name."""

    name: int
    team: int | None = None

    def read(self, cells: Sequence[str]) -> tuple[str, str]:
        name = "".join(cells[self.name : self.name + 1])
        end = None if self.team is None else self.team + 1
        begin = self.name + 1 if self.team is None else self.team
        return name, ", ".join(filter(None, cells[begin:end]))


def read_roster(text: str, teams: Mapping[int, str]) -> Roster:
    """Parse a roster as people type it or copy it from a spreadsheet. `teams` maps team numbers to names.

    Cells may be quoted as in CSV. They are separated by tabs, or else by the first comma or semicolon of the
    line, in the writing of any language. Raises RosterError, with the numbers of the lines, if the list is
    empty, too long, ambiguous or malformed.
    """
    rows = _read_rows(text)
    if not rows:
        raise RosterError(gettext("Enter the names, one per line."))
    known = _team_keys(teams)
    first = next(iter(rows))
    titles = [cell.casefold() for cell in rows[first]]
    if named := [index for index, title in enumerate(titles) if title in _NAME_TITLES]:
        del rows[first]
        team = [index for index, title in enumerate(titles) if title in _TEAM_TITLES]
        return Roster(_read_pupils(rows, _Columns(named[0], team[0] if team else None), known), titles=first)
    numbered = _is_numbered(list(rows.values()), known)
    return Roster(_read_pupils(rows, _Columns(int(numbered)), known), numbered=numbered)


def _read_rows(text: str) -> dict[int, list[str]]:
    lines = dict(enumerate(text.removeprefix("\ufeff").splitlines(), 1))
    separator = ""
    if found := _SEPARATOR_LINE.fullmatch(lines.get(1, "").strip(" ")):
        separator = found[1]
        del lines[1]
    return {number: _read_cells(line, separator) for number, line in lines.items() if line.strip()}


def _read_cells(line: str, separator: str) -> list[str]:
    if not separator:
        quoted = _QUOTED_CELL.match(line)
        found = _SEPARATOR.search(line, quoted.end() if quoted else 0)
        separator = "\t" if "\t" in line else found[0] if found else ","
    row = next(csv.reader([line[:MAX_LINE_LENGTH]], delimiter=separator, skipinitialspace=True))
    return [clean_name(cell) for cell in row]


def _is_numbered(rows: Sequence[Sequence[str]], known: Mapping[str, int]) -> bool:
    """Whether the first cells are consecutive numbers, and the second ones are not all teams."""
    numbers = [plain_digits(row[0]).rstrip(".") for row in rows if len(row) > 1 and row[1]]
    if len(numbers) < len(rows) or not all(number.isdecimal() for number in numbers):
        return False
    first = int(numbers[0])
    is_counted = [int(number) for number in numbers] == list(range(first, first + len(numbers)))
    return is_counted and not all(_team_key(row[1]) in known for row in rows)


def _team_keys(teams: Mapping[int, str]) -> dict[str, int]:
    numbers = {str(number): number for number in teams}
    return numbers | {_team_key(name): number for number, name in teams.items()}


def _team_key(text: str) -> str:
    plain = plain_digits(unicodedata.normalize("NFKC", text)).casefold()
    return _AROUND_SEPARATOR.sub(",", plain)


def _read_pupils(
    rows: Mapping[int, Sequence[str]], columns: _Columns, known: Mapping[str, int]
) -> dict[int, Pupil]:
    """Return the pupils by line. Raises RosterError, with a message for each of the first wrong lines."""
    if len(rows) > MAX_PUPILS:
        text = ngettext(
            "Enter at most %(count)s name at a time.", "Enter at most %(count)s names at a time.", MAX_PUPILS
        )
        raise RosterError(text % {"count": number_format(MAX_PUPILS, force_grouping=True)})
    pupils: dict[int, Pupil] = {}
    names: set[str] = set()
    errors: list[str] = []
    for number, cells in rows.items():
        name, team = columns.read(cells)
        if error := _find_error(number, name, names) or _find_team_error(number, team, known):
            errors.append(error)
        else:
            pupils[number] = Pupil(name, known[_team_key(team)] if team else None)
        names.add(name.casefold())
    if errors:
        raise RosterError(*errors[:MAX_ERRORS])
    if not pupils:
        raise RosterError(gettext("Enter the names, one per line."))
    return pupils


def _find_error(number: int, name: str, names: set[str]) -> str:
    if not name:
        return gettext("Line %(number)s has no name.") % {"number": number}
    if len(name) > NAME_LENGTH:
        text = ngettext(
            "Line %(number)s: a name can have at most %(count)s character.",
            "Line %(number)s: a name can have at most %(count)s characters.",
            NAME_LENGTH,
        )
        return text % {"number": number, "count": NAME_LENGTH}
    if name.casefold() in names:
        text = gettext("Line %(number)s: “%(name)s” appears twice. Add an initial to both.")
        return text % {"number": number, "name": name}
    return ""


def _find_team_error(number: int, team: str, known: Mapping[str, int]) -> str:
    if not team or _team_key(team) in known:
        return ""
    text = gettext(
        "Line %(number)s: there is no team “%(team)s”. After a comma, enter a team's name, 1 or 2. "
        "Enter “Ada Lovelace”, not “Lovelace, Ada”."
    )
    return text % {"number": number, "team": team}
