from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings

from tests.voting.box_helpers import ask
from tests.voting.match_helpers import COMMON_TERMS, run_out, start_open, vote
from tests.voting.recovery_model import Crash
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastReply, PresenceCounts
from voting.counting.ballots import Ballot
from voting.models import Turn

DueTurn = Callable[..., Turn]


@contextmanager
def crashing(owner: Any, step: str, *, after: bool = False) -> Iterator[None]:
    """Run a process that dies just before, or just after, it calls this step."""
    call = getattr(owner, step)

    def crash(*arguments: Any, **options: Any) -> None:
        if after:
            call(*arguments, **options)
        raise Crash

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, step, crash)
        with pytest.raises(Crash):
            yield


def cast_at_gateway(turn: Turn, *ballots: Ballot) -> CastReply:
    return ask(lambda box: box.cast(turn.match.event_id, turn.pk, turn.epoch, ballots))


def report(turn: Turn, voters: int) -> None:
    """The heartbeat of a gateway with this many voters."""
    present = PresenceCounts(connected=(voters, 0))
    ask(lambda box: box.heartbeat(turn.match.event_id, "a", (turn.pk, turn.epoch), present))


@pytest.fixture(autouse=True, params=[1, pytest.param(3, marks=pytest.mark.nightly)])
def shards(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, db: None) -> int:
    """The shards of a turn's box. All tests of turns use the database."""
    monkeypatch.setitem(COMMON_TERMS, "shards", request.param)
    monkeypatch.setattr(settings, "MAX_SHARDS", request.param)
    return int(request.param)


@pytest.fixture
def due(box: BallotBox) -> DueTurn:
    """Start a match and vote in its first turn, which is at its deadline then."""

    def vote_until_deadline(red: Sequence[int] = (), yellow: Sequence[int] = (), **choices: Any) -> Turn:
        turn = start_open(box, **choices)
        vote(turn, box, red, yellow)
        run_out(turn, box)
        return turn

    return vote_until_deadline
