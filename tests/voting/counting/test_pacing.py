"""When each step of a reveal begins. `captions/readable.test.ts` tests that its captions can be read."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from games.engine.game import Drop, Resolution, Result, Side
from tests.voting.counting.reveal_situations import SITUATIONS, render, situations
from voting.counting.pacing import CloseCall, RevealSteps, count_words, pace_reveal
from voting.counting.tally import SideTally
from voting.terms import Pace

NAMES: Mapping[Side, str] = {"red": "North", "yellow": "South"}
TALLY = SideTally(counts=(60, 40), ballots=100, pick=1, decided_by="plurality")
DROPS = (Drop("red", 4, 1), Drop("yellow", 4, 2))
CONFLICT = Resolution(drops=DROPS, conflict=4, token_before="red", token_after="yellow", result="open")
LINE = (((1, 1), (2, 1), (3, 1), (4, 1)),)
ORDINARY = Resolution(drops=(Drop("red", 4, 1), Drop("yellow", 5, 1)), result="open")


def pace(resolution: Resolution, pace: Pace = Pace.NORMAL, **given: Any) -> RevealSteps:
    tallies: Mapping[Side, SideTally] = {"red": TALLY, "yellow": TALLY}
    return pace_reveal(resolution, tallies, given.get("call"), given.get("names", NAMES), pace)


def times(steps: RevealSteps) -> list[int]:
    order = (steps.pour, steps.picks, steps.hold, steps.drops, steps.second, steps.lines, steps.verdict)
    return [at for at in (*order, steps.token, steps.replay, steps.over) if at is not None]


def test_situations_for_frontend_are_current() -> None:
    assert SITUATIONS.read_bytes() == render(), "run: python -m tests.voting.counting.reveal_situations"


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("Red picks 4", 3), ("\u7ea2\u961f\u9009\u7b2c\u56db", 3), ("\u7ea2\u961f 4", 2)],
)
def test_two_chinese_characters_count_as_a_word(text: str, words: int) -> None:
    assert count_words(text) == words


def test_steps_begin_one_after_the_other_in_every_situation() -> None:
    for situation in situations():
        for steps in situation["steps"].values():
            assert times(steps) == sorted(times(steps)), situation["name"]


def test_ordinary_turn_takes_about_six_seconds_at_normal_pace() -> None:
    """Reading how many voted, four words and figures, takes 2 s, and the picks, twelve, 4 s."""
    steps = pace(ORDINARY)
    assert (steps.picks, steps.over) == (2_400, 6_400)
    assert (steps.hold, steps.second, steps.verdict, steps.token, steps.replay) == (None,) * 5


@pytest.mark.parametrize(
    "resolution",
    [
        CONFLICT,
        Resolution(drops=ORDINARY.drops, block=ORDINARY.drops[1], result="open"),
        Resolution(drops=ORDINARY.drops, lines=(((4, 1),),), result="red"),
    ],
    ids=["conflict", "block", "win"],
)
def test_special_turn_takes_longer_and_holds_the_balls(resolution: Resolution) -> None:
    steps = pace(resolution)
    assert steps.over > pace(ORDINARY).over
    assert steps.hold is not None
    assert steps.hold < steps.drops


def test_conflict_drops_in_turn_and_then_moves_the_token() -> None:
    steps = pace(CONFLICT)
    assert steps.second is not None
    assert steps.token is not None
    assert steps.drops < steps.second < steps.lines < steps.token


def test_verdict_follows_the_lines_of_both_sides() -> None:
    steps = pace(msgspec.structs.replace(CONFLICT, result="red", lines=LINE, double_win=True))
    assert steps.verdict is not None
    assert steps.lines < steps.verdict < steps.over
    assert pace(msgspec.structs.replace(CONFLICT, result="red", lines=LINE)).verdict is None


@pytest.mark.parametrize("result", ["red", "draw"])
def test_token_stays_in_a_conflict_that_ends_the_match(result: Result) -> None:
    assert pace(msgspec.structs.replace(CONFLICT, result=result)).token is None


def test_paces_differ_and_brisk_has_no_replay() -> None:
    call = CloseCall(kind="count", side="red", first=1, second=2, margin=1)
    brisk, normal, dramatic = (
        pace(ORDINARY, way, call=call) for way in (Pace.BRISK, Pace.NORMAL, Pace.DRAMATIC)
    )
    assert brisk.over < normal.over < dramatic.over
    assert (brisk.replay is None, normal.replay is None) == (True, False)


def test_longer_names_take_longer() -> None:
    long_names = {"red": "The Owls of Riverside", "yellow": "South"}
    assert pace(CONFLICT, names=long_names).over > pace(CONFLICT).over


def test_instant_reveal_lasts_a_second() -> None:
    assert pace(CONFLICT, Pace.INSTANT) == RevealSteps(
        pour=0, picks=0, drops=0, second=500, lines=1_000, over=1_000
    )
    assert pace(ORDINARY, Pace.INSTANT).second is None
