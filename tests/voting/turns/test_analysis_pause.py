"""The next vote waits until people have read what the choices were worth, if that is said after each turn."""

from typing import Any

import pytest

from tests.voting.match_helpers import CLASSIC, only_turn, play_turn, reveal_ms, start
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.django_db


def pause_ms(box: BallotBox, **choices: Any) -> int:
    turn = start(box, pace="brisk", **choices)
    after, following = play_turn(turn, box, [1], [2]), only_turn(turn.match)
    return following.opens_at - (after.resolved_at or 0) - reveal_ms(turn)


def test_next_vote_waits_for_the_time_to_read_the_analysis(box: BallotBox) -> None:
    assert pause_ms(box, analysis="turn") == 1000 + 250 * (12 + 1)  # a word is the team's name


@pytest.mark.parametrize(
    "choices",
    [
        {"analysis": "match"},
        {"analysis": "off"},
        {"analysis": "turn", "max_side_changes": 1},
        {"analysis": "turn", "hide_hints": True},
        {"analysis": "turn", "game": "goofspiel"},
        {"analysis": "turn", "game": CLASSIC},
        {"analysis": "turn", "bank_s": 600},
    ],
    ids=["after the match", "never", "secret sides", "no hints", "no solver", "not exact yet", "time banks"],
)
def test_next_vote_does_not_wait_without_an_analysis(box: BallotBox, choices: dict[str, Any]) -> None:
    assert pause_ms(box, **choices) == 0


def test_time_to_talk_is_no_longer_because_of_the_analysis(box: BallotBox) -> None:
    assert pause_ms(box, analysis="turn", talk_s=30) == 30_000
