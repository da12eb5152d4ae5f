"""A league's table. Who stands above whom, the first difference deciding:

points (2 for a pairing won, 1 for a drawn one); points of the pairings among those level so far; matches won
less matches lost; matches won. Who is level in all of it shares a place. Teams are seeds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from crowdgame.cups.pairing import Format
from crowdgame.cups.standings import Meeting

WIN, DRAWN = 2, 1


@dataclass(frozen=True, slots=True)
class Row:
    """`place` is 1 for the first, and the same for those who share it; `matches` won and lost."""

    team: int
    place: int = 0
    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    matches: tuple[int, int] = (0, 0)

    @property
    def points(self) -> int:
        return WIN * self.won + DRAWN * self.drawn


def table(teams: Sequence[int], meetings: Iterable[Meeting]) -> tuple[Row, ...]:
    """First to last. Only pairings that are over count."""
    over = [meeting for meeting in meetings if meeting.outcome.over]
    rows = {team: _row(team, over) for team in teams}
    ranked: list[tuple[tuple[int, ...], Row]] = []
    by_points = sorted(rows.values(), key=lambda row: -row.points)
    for _, group in groupby(by_points, key=lambda row: row.points):
        ranked += _rank(list(group), over)
    keys = [key for key, _ in ranked]
    return tuple(_placed(row, keys.index(key) + 1) for key, row in ranked)


def _rank(level: list[Row], over: Sequence[Meeting]) -> list[tuple[tuple[int, ...], Row]]:
    """Those with the same points, by what else tells them apart; the seed only for a steady order."""
    among = {row.team for row in level}
    inner = [meeting for meeting in over if among.issuperset(meeting.teams)]
    keyed = []
    for row in level:
        won, lost = row.matches
        keyed.append(((row.points, _row(row.team, inner).points, won - lost, won), row))
    return sorted(keyed, key=lambda pair: (*(-part for part in pair[0]), pair[1].team))


def _row(team: int, over: Sequence[Meeting]) -> Row:
    played = [meeting for meeting in over if team in meeting.teams]
    won = sum(meeting.winner == team for meeting in played)
    drawn = sum(meeting.winner is None for meeting in played)
    matches = [_from(team, meeting) for meeting in played]
    both = sum(ours for ours, _ in matches), sum(theirs for _, theirs in matches)
    return Row(team, 0, len(played), won, drawn, len(played) - won - drawn, both)


def _from(team: int, meeting: Meeting) -> tuple[int, int]:
    """Matches won and lost, as this team sees it."""
    red, yellow = meeting.outcome.won
    return (red, yellow) if meeting.red == team else (yellow, red)


def _placed(row: Row, place: int) -> Row:
    return Row(row.team, place, row.played, row.won, row.drawn, row.lost, row.matches)


def champions(kind: Format, teams: Sequence[int], meetings: Sequence[Meeting]) -> tuple[int, ...]:
    """Who has won the cup; nobody while something is left to be played, several who share the first place."""
    if not meetings or not all(meeting.outcome.over for meeting in meetings):
        return ()
    if kind == "league":
        return tuple(row.team for row in table(teams, meetings) if row.place == 1)
    last = meetings[-1].winner
    return (last,) if last else ()
