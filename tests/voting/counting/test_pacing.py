"""Close calls, and when each step of a reveal begins. `captions/readable.test.ts` tests the captions."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from games.engine.game import SIDES, Drop, Resolution, Result, Side
from tests.voting.counting.reveal_situations import PACES, SITUATIONS, render, situations
from voting.counting.pacing import CloseCall, RevealSteps, count_words, find_close_call, pace_reveal
from voting.counting.tally import SideTally
from voting.terms import Pace

NAMES: Mapping[Side, str] = {"red": "North", "yellow": "South"}
DROPS = (Drop("red", 4, 1), Drop("yellow", 4, 2))
CONFLICT = Resolution(drops=DROPS, conflict=4, token_before="red", token_after="yellow", result="open")
OPEN = Resolution(result="open")
LINE = (((1, 1), (2, 1), (3, 1), (4, 1)),)
ORDINARY = Resolution(drops=(Drop("red", 4, 1), Drop("yellow", 5, 1)), result="open")


def pace(resolution: Resolution, pace: Pace = Pace.NORMAL, **given: Any) -> RevealSteps:
    tallies: Mapping[Side, SideTally] = dict.fromkeys(SIDES, tally((60, 40), 1))
    return pace_reveal(resolution, tallies, given.get("call"), given.get("names", NAMES), pace)


def times(steps: RevealSteps) -> list[int]:
    order = (steps.pour, steps.picks, steps.hold, steps.drops, steps.second, steps.lines, steps.verdict)
    return [at for at in (*order, steps.token, steps.replay, steps.over) if at is not None]


def test_situations_for_frontend_are_current() -> None:
    assert SITUATIONS.read_bytes() == render(), "run: python -m tests.voting.counting.reveal_situations"


def tally(counts: tuple[int, ...], pick: int, **given: Any) -> SideTally:
    return SideTally(counts=counts, ballots=sum(counts), pick=pick, **{"decided_by": "plurality"} | given)


@pytest.mark.parametrize(
    ("red", "margin"),
    [
        (tally((60, 40), 1), None),
        (tally((51, 49), 1), 2),
        (tally((505, 495), 1), 10),
        (tally((6, 4), 1), 2),
        (tally((5, 4), 1), None),
        (tally((100, 0), 1), None),
        (tally((50, 50), 2, decided_by="lottery"), None),
        (tally((51, 49), 1, rounds=((51, 49),)), None),
        (tally((), 1, decided_by=None), None),
    ],
)
def test_close_count_is_a_margin_of_few_votes(red: SideTally, margin: int | None) -> None:
    call = margin and CloseCall(kind="count", side="red", first=1, second=2, margin=margin)
    assert find_close_call(OPEN, {"red": red}) == call


def test_smallest_margin_is_the_close_call() -> None:
    yellow = tally((50, 50), 2, decided_by="first")
    call = find_close_call(OPEN, {"red": tally((51, 49), 1), "yellow": yellow})
    assert call == CloseCall(kind="count", side="yellow", first=2, second=1, margin=0)


def test_conflict_is_a_close_call_if_its_ball_completed_the_line() -> None:
    won = replace(CONFLICT, lines=LINE, result="red")
    assert find_close_call(won, {}) == CloseCall(kind="conflict", side="red")
    elsewhere = (((1, 1), (1, 2), (1, 3), (1, 4)),)
    for other in (replace(won, lines=elsewhere), replace(won, conflict=None)):
        assert find_close_call(other, {}) is None


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
    assert 0 < (steps.hold or 0) < steps.drops


def test_conflict_drops_in_turn_and_then_moves_the_token() -> None:
    steps = pace(CONFLICT)
    assert steps.drops < (steps.second or 0) < steps.lines < (steps.token or 0)


def test_verdict_follows_the_lines_of_both_sides() -> None:
    won = replace(CONFLICT, result="red", lines=LINE)
    steps = pace(replace(won, double_win=True))
    assert steps.lines < (steps.verdict or 0) < steps.over
    assert pace(won).verdict is None


@pytest.mark.parametrize("result", ["red", "draw"])
def test_token_stays_in_a_conflict_that_ends_the_match(result: Result) -> None:
    assert pace(replace(CONFLICT, result=result)).token is None


def test_paces_differ_and_brisk_has_no_replay() -> None:
    call = CloseCall(kind="count", side="red", first=1, second=2, margin=1)
    brisk, normal, dramatic = (pace(ORDINARY, way, call=call) for way in PACES)
    assert brisk.over < normal.over < dramatic.over
    assert (brisk.replay is None, normal.replay is None) == (True, False)


def test_longer_names_take_longer() -> None:
    long_names = {"red": "The Owls of Riverside", "yellow": "South"}
    assert pace(CONFLICT, names=long_names).over > pace(CONFLICT).over


def test_instant_reveal_lasts_a_second() -> None:
    steps = RevealSteps(pour=0, picks=0, drops=0, second=500, lines=1_000, over=1_000)
    assert pace(CONFLICT, Pace.INSTANT) == steps
    assert pace(ORDINARY, Pace.INSTANT).second is None
