"""Parse a pasted roster (class list): one name a line, optionally a comma and a team's name or number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from voting.names import clean_name

NAME_LENGTH = 60
MAX_PUPILS = 2_000
_SEPARATOR = re.compile(r"[,;\t]")


class RosterError(Exception):
    """A roster is invalid. The message can be shown to the organizer."""


@dataclass(frozen=True, slots=True)
class Pupil:
    name: str
    team: int | None


def parse_roster(text: str, teams: Mapping[int, str]) -> list[Pupil]:
    """Parse a roster. `teams` maps team numbers to names.

    Raises RosterError, with the number of the line, if it is empty, too long, ambiguous or malformed.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise RosterError(gettext("Enter the names, one per line."))
    if len(lines) > MAX_PUPILS:
        text = ngettext(
            "Enter at most %(count)s name at a time.", "Enter at most %(count)s names at a time.", MAX_PUPILS
        )
        raise RosterError(text % {"count": number_format(MAX_PUPILS, force_grouping=True)})
    pupils: dict[str, Pupil] = {}
    for number, line in lines:
        pupil = _read_line(number, line, teams)
        if pupil.name.casefold() in pupils:
            text = gettext("Line %(number)s: “%(name)s” appears twice. Add an initial to both.")
            raise RosterError(text % {"number": number, "name": pupil.name})
        pupils[pupil.name.casefold()] = pupil
    return list(pupils.values())


def _read_line(number: int, line: str, teams: Mapping[int, str]) -> Pupil:
    """Parse a line: a name, then a team after a separator. A name cannot hold a comma."""
    first, *rest = _SEPARATOR.split(line)
    name = clean_name(first)
    if not name:
        raise RosterError(gettext("Line %(number)s has no name.") % {"number": number})
    if len(name) > NAME_LENGTH:
        text = ngettext(
            "Line %(number)s: a name can have at most %(count)s character.",
            "Line %(number)s: a name can have at most %(count)s characters.",
            NAME_LENGTH,
        )
        raise RosterError(text % {"number": number, "count": NAME_LENGTH})
    said = clean_name(" ".join(rest))
    if not said:
        return Pupil(name, None)
    known = {str(team): team for team in teams} | {name.casefold(): team for team, name in teams.items()}
    if said.casefold() not in known:
        text = gettext(
            "Line %(number)s: there is no team “%(team)s”. After a comma, enter a team's name, 1 or 2. "
            "Enter “Ada Lovelace”, not “Lovelace, Ada”."
        )
        raise RosterError(text % {"number": number, "team": said})
    return Pupil(name, known[said.casefold()])
