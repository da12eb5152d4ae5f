"""Organizer actions in tests, and a check that a refused action changes nothing."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core import serializers

from crowdgame.events.audit_text import format_text
from crowdgame.organizer.console.audit_log import PerformedAction
from crowdgame.organizer.console.control import run_action
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.known_voters import JoinedVoter, VoterRecorder
from voting.matches import MatchError
from voting.models import Announcement, Event, Match, StoredBallot, TallyRecord, Team, Turn
from voting.protocol import ActionAsk

MODELS = (Event, Team, Match, Turn, StoredBallot, TallyRecord, Announcement)


def everything() -> str:
    return "".join(serializers.serialize("json", model._default_manager.order_by("pk")) for model in MODELS)


@contextmanager
def refused(words: str) -> Iterator[None]:
    """Expect a refusal that matches `words` and changes nothing in the database."""
    before = everything()
    with pytest.raises(MatchError, match=words):
        yield
    assert everything() == before


def record_voters(event_id: int, *voter_codes: str, gateway: str = "a", connected: bool = True) -> None:
    """Record voters of team 1 as a gateway does when they join or leave."""

    async def record() -> None:
        box = AsyncBallotBox()
        voters = {code: JoinedVoter(1, f"voter-{code}") for code in voter_codes}
        await VoterRecorder(gateway, box).record(event_id, voters, connected=connected)
        await box.close()

    asyncio.run(record())


def press(event_id: int, action: str, box: BallotBox, **more: Any) -> None:
    words_of(event_id, action, box, **more)


def words_of(event_id: int, action: str, box: BallotBox, **more: Any) -> str:
    """Perform an action; return its audit text, as for "olga"."""
    message, values = done_by(event_id, action, box, **more).what
    return format_text(message, {"by": "olga", **values})


def done_by(event_id: int, action: str, box: BallotBox, **more: Any) -> PerformedAction:
    return run_action(event_id, ActionAsk(id=1, action=action, **more), box)


def event_of(turn: Turn) -> int:
    return int(turn.match.event_id)
