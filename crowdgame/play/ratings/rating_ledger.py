"""Rating computation, similar to Elo and Glicko: a Bradley-Terry model (openskill), updated match by match.

Matches are rated in the order in which they ended; each is a rating period of its own. The same code rates a
single new match and rebuilds all ratings, so both give bit-identical results.
"""

import math
from dataclasses import dataclass, field

import msgspec
from openskill.models import BradleyTerryFull, BradleyTerryFullRating

START = 1200.0
FIRST_SIGMA = 250.0
SETTLED_SIGMA = 110.0
DAY_MS = 24 * 3600 * 1000
POINTS_TEN_TO_ONE = 400  # this rating difference means odds of ten to one, as in Elo


_MODEL = BradleyTerryFull(
    mu=START,
    sigma=FIRST_SIGMA,
    beta=0.8 * POINTS_TEN_TO_ONE / math.log(10) / math.sqrt(2),
    tau=8.0,
    # Each match reduces sigma in full. With the library's default, newcomers stay unsettled for long.
    gamma=lambda *_: 1.0,
)
_DRAW: list[float] = [1, 1]
Skill = BradleyTerryFullRating


class FinishedMatch(msgspec.Struct, frozen=True, gc=False):
    """A finished match. `red` and `yellow` are the players' numbers; `ended_at` is in ms since 1970."""

    match: int
    game: str
    red: int
    yellow: int
    result: str
    ended_at: int


class PlayerRating(msgspec.Struct, frozen=True):
    """A player's skill after `games` rated matches, the last of which ended at `last_at` (ms since 1970)."""

    skill: Skill
    games: int
    last_at: int


class RatingChange(msgspec.Struct, frozen=True, gc=False):
    """Both players' ratings (mu) before and after a match."""

    red_before: float
    red_after: float
    yellow_before: float
    yellow_after: float


def skill(mu: float, sigma: float) -> Skill:
    return _MODEL.rating(mu=mu, sigma=sigma)


def is_settled(sigma: float) -> bool:
    """Whether the rating is reliable. An unsettled one is shown with a question mark."""
    return sigma <= SETTLED_SIGMA


def rate_pair(red: Skill, yellow: Skill, result: str) -> tuple[Skill, Skill]:
    """Return both skills after a match. `result` is "red", "yellow" or "draw"."""
    if result == "yellow":
        [[yellow], [red]] = _MODEL.rate([[yellow], [red]])
    else:
        [[red], [yellow]] = _MODEL.rate([[red], [yellow]], _DRAW if result == "draw" else None)
    return red, yellow


@dataclass(slots=True)
class RatingLedger:
    """The ratings of one game. Matches must be rated in the order in which they ended.

    Only `max_per_day` matches of the same two players count per UTC day; None means all.
    """

    max_per_day: int | None = None
    player_ratings: dict[int, PlayerRating] = field(default_factory=dict)
    meetings: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def rate(self, finished: FinishedMatch) -> RatingChange | None:
        """Rate a match and return the change, or None if it exceeds the daily limit of the pair."""
        if self.max_per_day is not None and not self._count_meeting(finished, self.max_per_day):
            return None
        red, yellow = self._player_rating(finished.red), self._player_rating(finished.yellow)
        skills = rate_pair(red.skill, yellow.skill, finished.result)
        self.player_ratings[finished.red] = PlayerRating(skills[0], red.games + 1, finished.ended_at)
        self.player_ratings[finished.yellow] = PlayerRating(skills[1], yellow.games + 1, finished.ended_at)
        return RatingChange(red.skill.mu, skills[0].mu, yellow.skill.mu, skills[1].mu)

    def _count_meeting(self, finished: FinishedMatch, most: int) -> bool:
        meeting = meeting_key(finished)
        times = self.meetings[meeting] = self.meetings.get(meeting, 0) + 1
        return times <= most

    def _player_rating(self, player: int) -> PlayerRating:
        known = self.player_ratings.get(player)
        return known or PlayerRating(skill(START, FIRST_SIGMA), 0, 0)


def meeting_key(finished: FinishedMatch) -> tuple[int, int, int]:
    """Return the pair, lower number first, and the UTC day of the match."""
    red, yellow, day = finished.red, finished.yellow, finished.ended_at // DAY_MS
    return (red, yellow, day) if red < yellow else (yellow, red, day)
