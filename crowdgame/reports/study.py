"""Votes for research: who voted how from turn to turn, and nothing of who that was.

Only of matches that are over, whose voters were told of a study from the first turn on, and are not yet
forgotten.
"""

import secrets
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.db.models import QuerySet

from games.models import Event, Match, MatchState, TurnState
from voting.counting.ballots import HAND_VOTER_PREFIX, unpack_ballots
from voting.counting.choices import decode_columns, resigns
from voting.models import TallyRecord

HEADER = ("match", "voter", "turn", "side", "choice", "resigns", "picked", "result")


class StudyVote(NamedTuple):
    """`choice` are columns, the first place first where the vote ranks them; `picked` is the side's own."""

    turn: int
    side: str
    choice: tuple[int, ...]
    resigns: bool
    picked: int | None


def studied_matches(event: Event) -> QuerySet[Match]:
    return event.matches.filter(state=MatchState.ENDED).exclude(consent="").order_by("number")


def study_rows(event: Event) -> Iterator[tuple[str, ...]]:
    """A head, then a row a vote, by match and voter. Voters are numbered anew in each match and call."""
    yield HEADER
    for match in studied_matches(event):
        voters = _votes_by_voter(match)
        if "" in voters:  # it is forgotten whose they were: no longer voters, but votes
            continue
        people = list(voters.values())
        secrets.SystemRandom().shuffle(people)
        for number, votes in enumerate(people, 1):
            for vote in votes:
                yield tuple(map(str, _cells(match, number, vote)))


def _votes_by_voter(match: Match) -> dict[str, list[StudyVote]]:
    """Of phones: a hand that was counted is another one in each turn."""
    tallies = TallyRecord.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    votes: dict[str, list[StudyVote]] = {}
    for tally in tallies.select_related("turn").order_by("turn__number"):
        for ballot in unpack_ballots(bytes(tally.sealed)):
            if not ballot.voter.startswith(HAND_VOTER_PREFIX):
                said = decode_columns(ballot.choice)
                vote = StudyVote(tally.turn.number, tally.side, said, resigns(ballot.choice), tally.pick)
                votes.setdefault(ballot.voter, []).append(vote)
    return votes


def _cells(match: Match, voter: int, vote: StudyVote) -> Iterable[object]:
    choice = " ".join(map(str, vote.choice))
    picked = "" if vote.picked is None else vote.picked
    return match.number, voter, vote.turn, vote.side, choice, int(vote.resigns), picked, match.result
