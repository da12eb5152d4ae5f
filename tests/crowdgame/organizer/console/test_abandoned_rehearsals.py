"""A rehearsal's match is aborted once its simulated crowd has left, unless people play it."""

import pytest
from redis import Redis

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.abandoned_rehearsals import GRACE_S, AbandonedRehearsals
from tests.voting.match_helpers import start
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key
from voting.models import Match

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(box: BallotBox) -> Match:
    match = start(box).match
    Match.objects.filter(pk=match.pk).update(rehearsed=True)
    return match


def abort_after(seconds: float, box: BallotBox, match: Match) -> str:
    """Check now and after some seconds; return the state of the match."""
    times = iter((0.0, seconds))
    job = AbandonedRehearsals(box, lambda: next(times))
    job.abort_all()
    job.abort_all()
    return str(Match.objects.get(pk=match.pk).state)


def test_match_is_aborted_after_its_crowd_has_left(match: Match, box: BallotBox) -> None:
    assert abort_after(GRACE_S - 1, box, match) == "playing"
    assert abort_after(GRACE_S, box, match) == "aborted"
    entry = AuditEntry.objects.get(event_id=match.event_id)
    assert str(entry) == f"The simulated crowd has left, so match {match.number} was aborted"


@pytest.mark.parametrize("rehearsed", [True, False])
def test_match_goes_on_during_or_without_a_rehearsal(
    rehearsed: bool, match: Match, box: BallotBox, valkey_url: str
) -> None:
    Match.objects.filter(pk=match.pk).update(rehearsed=rehearsed)
    if rehearsed:
        Redis.from_url(valkey_url).hset(event_key(match.event_id, "rehearsal"), "run", "a crowd")
    assert abort_after(GRACE_S, box, match) == "playing"
