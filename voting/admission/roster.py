"""Parse a pasted roster (class list): one name a line, optionally a comma and a team's name or number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
        raise RosterError("Enter the names, one per line.")
    if len(lines) > MAX_PUPILS:
        raise RosterError(f"Enter at most {MAX_PUPILS:,} names at a time.")
    pupils: dict[str, Pupil] = {}
    for number, line in lines:
        pupil = _read_line(number, line, teams)
        if pupil.name.casefold() in pupils:
            raise RosterError(f"Line {number}: “{pupil.name}” appears twice. Add an initial to both.")
        pupils[pupil.name.casefold()] = pupil
    return list(pupils.values())


def _read_line(number: int, line: str, teams: Mapping[int, str]) -> Pupil:
    """Parse a line: a name, then a team after a separator. A name cannot hold a comma."""
    first, *rest = _SEPARATOR.split(line)
    name = clean_name(first)
    if not name:
        raise RosterError(f"Line {number} has no name.")
    if len(name) > NAME_LENGTH:
        raise RosterError(f"Line {number}: a name can have at most {NAME_LENGTH} characters.")
    said = clean_name(" ".join(rest))
    if not said:
        return Pupil(name, None)
    known = {str(team): team for team in teams} | {name.casefold(): team for team, name in teams.items()}
    if said.casefold() not in known:
        raise RosterError(
            f"Line {number}: there is no team “{said}”. After a comma, enter a team's name, 1 or 2. "
            "Enter “Ada Lovelace”, not “Lovelace, Ada”."
        )
    return Pupil(name, known[said.casefold()])
