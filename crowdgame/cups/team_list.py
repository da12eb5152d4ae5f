"""Parse a pasted list of teams: one name a line, the first one is seed 1."""

from games.names import clean_name


class TeamListError(Exception):
    """An invalid list of teams. The message is fit to be shown."""


def parse_team_list(text: str, most: int, longest: int) -> tuple[str, ...]:
    """Return 2 to `most` distinct names of at most `longest` characters. Skips empty lines.

    Raises TeamListError.
    """
    teams: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name = clean_name(line)
        if not name:
            continue
        if len(name) > longest:
            raise TeamListError(f"Line {number}: a team name has at most {longest} characters.")
        if name.casefold() in teams:
            raise TeamListError(f"Line {number}: “{name}” appears twice.")
        teams[name.casefold()] = name
    if not 1 < len(teams) <= most:
        raise TeamListError(f"A cup has 2 to {most} teams. Your list has {len(teams)}.")
    return tuple(teams.values())
