"""Research export: each voter's votes from turn to turn, under random numbers instead of identities.

Covers only ended matches whose voters agreed to a study (`consent`, `in_study`) from the first turn on, and
which aren't anonymized yet.
"""

import secrets
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.db.models import QuerySet

from voting.counting.ballots import HAND_VOTER_PREFIX, resigns, unpack_ballots
from voting.counting.methods.voting_method import find_method
from voting.models import Event, Match, TallyRecord, TurnState
from voting.sources.casting import is_cast_on_server
from voting.terms import MatchState

HEADER = ("match", "voter", "turn", "side", "choice", "resigns", "picked", "result")


class StudyVote(NamedTuple):
    """One vote. `choice` are columns, each once per vote, or by rank; `picked` is the side's pick."""

    turn: int
    side: str
    choice: tuple[int, ...]
    resigns: bool
    picked: int | None


def studied_matches(event: Event) -> QuerySet[Match]:
    """Return the event's ended matches whose votes go into a study. Simulated voters of a rehearsal don't."""
    return event.matches.filter(state=MatchState.ENDED, in_study=True, rehearsed=False).order_by("number")


def study_rows(event: Event) -> Iterator[tuple[str, ...]]:
    """Yield a header and one row per vote, by match and voter.

    Each call numbers the voters of each match in a new random order, so that exports can't be linked.
    """
    yield HEADER
    for match in studied_matches(event):
        voters = _votes_by_voter(match)
        if "" in voters:  # the match is anonymized: its votes can't be grouped by voter
            continue
        people = list(voters.values())
        secrets.SystemRandom().shuffle(people)
        for number, votes in enumerate(people, 1):
            for vote in votes:
                yield tuple(map(str, _cells(match, number, vote)))


def _votes_by_voter(match: Match) -> dict[str, list[StudyVote]]:
    """Group the votes by voter. Leaves out all but phones, which alone show the consent text."""
    tallies = TallyRecord.objects.filter(turn__match=match, turn__state=TurnState.RESOLVED)
    votes: dict[str, list[StudyVote]] = {}
    method = find_method(match.tally_method)
    for tally in tallies.select_related("turn").order_by("turn__number"):
        for ballot in unpack_ballots(bytes(tally.sealed)):
            by_hand = ballot.voter.startswith(HAND_VOTER_PREFIX)
            if not by_hand and not is_cast_on_server(tally.turn_id, ballot):
                said = method.decode(ballot.choice)
                vote = StudyVote(tally.turn.number, tally.side, said, resigns(ballot.choice), tally.pick)
                votes.setdefault(ballot.voter, []).append(vote)
    return votes


def _cells(match: Match, voter: int, vote: StudyVote) -> Iterable[object]:
    choice = " ".join(map(str, vote.choice))
    picked = "" if vote.picked is None else vote.picked
    return match.number, voter, vote.turn, vote.side, choice, int(vote.resigns), picked, match.result
