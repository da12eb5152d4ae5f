"""The league table of a cup (round robin standings) and its tie-breakers.

Tie-breakers, in order: points (2 for a pairing won, 1 for a drawn one), points in the pairings among the
teams level on points, matches won minus matches lost, matches won. Teams level in all of them share a place.
Teams are seeds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from crowdgame.organizer.cups.pairing import CupFormat
from crowdgame.organizer.cups.pairing_status import PairingStatus

WIN_POINTS, DRAW_POINTS = 2, 1


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """A team's row. `place` counts from 1; level teams share it. `matches` are those won and lost."""

    team: int
    place: int = 0
    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    matches: tuple[int, int] = (0, 0)

    @property
    def points(self) -> int:
        return WIN_POINTS * self.won + DRAW_POINTS * self.drawn


def league_table(teams: Sequence[int], meetings: Iterable[PairingStatus]) -> tuple[LeagueRow, ...]:
    """Return the rows, first place first. Only pairings that are over count."""
    over = [meeting for meeting in meetings if meeting.outcome.over]
    rows = {team: _build_row(team, over) for team in teams}
    ranked: list[tuple[tuple[int, ...], LeagueRow]] = []
    by_points = sorted(rows.values(), key=lambda row: -row.points)
    for _, group in groupby(by_points, key=lambda row: row.points):
        ranked += _break_ties(list(group), over)
    keys = [key for key, _ in ranked]
    return tuple(replace(row, place=keys.index(key) + 1) for key, row in ranked)


def _break_ties(
    level: list[LeagueRow], over: Sequence[PairingStatus]
) -> list[tuple[tuple[int, ...], LeagueRow]]:
    """Order teams with equal points by the other tie-breakers. The seed only makes the order stable."""
    among = {row.team for row in level}
    inner = [meeting for meeting in over if among.issuperset(meeting.teams)]
    keyed = []
    for row in level:
        won, lost = row.matches
        keyed.append(((row.points, _build_row(row.team, inner).points, won - lost, won), row))
    return sorted(keyed, key=lambda pair: (*(-part for part in pair[0]), pair[1].team))


def _build_row(team: int, over: Sequence[PairingStatus]) -> LeagueRow:
    played = [meeting for meeting in over if team in meeting.teams]
    won = sum(meeting.winner == team for meeting in played)
    drawn = sum(meeting.winner is None for meeting in played)
    matches = [_matches_of_team(team, meeting) for meeting in played]
    both = sum(ours for ours, _ in matches), sum(theirs for _, theirs in matches)
    return LeagueRow(team, 0, len(played), won, drawn, len(played) - won - drawn, both)


def _matches_of_team(team: int, meeting: PairingStatus) -> tuple[int, int]:
    """Return the matches that this team has won and lost."""
    red, yellow = meeting.outcome.won
    return (red, yellow) if meeting.red == team else (yellow, red)


def champions(kind: CupFormat, teams: Sequence[int], meetings: Sequence[PairingStatus]) -> tuple[int, ...]:
    """Return the seeds that have won the cup: several if they share first place.

    Returns none while a pairing is left to play.
    """
    if not meetings or not all(meeting.outcome.over for meeting in meetings):
        return ()
    if kind == CupFormat.LEAGUE:
        return tuple(row.team for row in league_table(teams, meetings) if row.place == 1)
    last = meetings[-1].winner
    return (last,) if last else ()
