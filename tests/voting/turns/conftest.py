from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.voting.match_helpers import open_now, run_out, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Turn

DueTurn = Callable[..., Turn]


@pytest.fixture
def due(box: BallotBox) -> DueTurn:
    """Start a match and vote in its first turn, which is at its deadline then."""

    def vote_until_deadline(red: Sequence[int] = (), yellow: Sequence[int] = (), **choices: Any) -> Turn:
        turn = start(box, **choices)
        open_now(turn, box)
        vote(turn, box, red, yellow)
        run_out(turn, box)
        return turn

    return vote_until_deadline
