"""Close calls, and when each step of a reveal begins.

`captions/readable.test.ts` tests that captions of all kinds of reveals can be read. It reads SITUATIONS;
`python -m tests.voting.counting.test_pacing` writes them.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from games.engine.game import SIDES, Drop, Picks, Resolution, Side
from games.engine.registry import find_game, read_options
from tests.voting.counting.method_cases import CASES
from voting.counting.ballots import Ballot
from voting.counting.pacing import CloseCall, RevealSteps, count_words, find_close_call, pace_reveal
from voting.counting.tally import SideBallots, SideTally, TallyTerms, decide
from voting.protocol import Reveal
from voting.terms import NoBallotRule, Pace, TieRule

SITUATIONS = Path(__file__).parents[3] / "frontend/src/display/captions/situations.json"
CAPTAINS = "simultaneous-captains-mistress"
PACES = (Pace.BRISK, Pace.NORMAL, Pace.DRAMATIC)
LONG_NAMES = ("The Owls of Riverside Comprehensive", "Grundschule am Alten Mühlenweg")
TEAMS = (("North Hall", "South Hall"), LONG_NAMES)
Turns = Sequence[tuple[int | None, int | None]]

FULL_COLUMN: Turns = ((6, 6), (6, 6), (6, 1), (6, 6))
TWO_LINES: Turns = (
    *((2, 7), (1, 2), (6, 6), (4, 1), (5, 1), (4, 3), (2, 6), (6, 1), (4, 5), (2, 6), (5, 4)),
    (3, 3),
)
PLAYED: dict[str, tuple[str, Turns]] = {
    "an ordinary turn": (CAPTAINS, [(1, 2)]),
    "no ball drops": (CAPTAINS, [(None, None)]),
    "a conflict": (CAPTAINS, [(4, 4)]),
    "a conflict over a full column": (CAPTAINS, FULL_COLUMN),
    "a conflict over a winning column": (CAPTAINS, [(1, 7), (2, 7), (3, 6), (4, 4)]),
    "a block": (CAPTAINS, [(1, 7), (2, 6), (3, 7), (6, 4)]),
    "a win": (CAPTAINS, [(1, 7), (2, 6), (3, 7), (4, 6)]),
    "two lines at once": (CAPTAINS, TWO_LINES),
    "four in a row for both": (CAPTAINS, [(1, 7), (1, 7), (1, 7), (1, 7)]),
    "four in a row for both, without the token": (CAPTAINS, [(1, 7)] * 4),
    "four in a row for both in one column": (CAPTAINS, [(1, 5), (2, 6), (3, 7)] * 2 + [(4, 4)]),
    "an alternating turn": ("captains-mistress", [(3, None)]),
    "Goofspiel": ("goofspiel", [(3, 4)]),
    "a crash in Trails": ("trails", [(1, 3)] * 4),
}
OPTIONS = {"four in a row for both, without the token": {"tie": "other"}}
DECIDED: dict[str, tuple[TallyTerms, Sequence[int]]] = {
    **{
        f"{name} voting": (TallyTerms(name, TieRule.FIRST, NoBallotRule.RANDOM), case.cast)
        for name, case in CASES.items()
    },
    "several rounds": (
        TallyTerms("instant_runoff", TieRule.FIRST, NoBallotRule.RANDOM),
        [*[CASES["instant_runoff"].cast[0]] * 2, *CASES["instant_runoff"].cast],
    ),
    **{
        f"a tie decided by {rule}": (TallyTerms("plurality", rule, NoBallotRule.RANDOM), [1] * 6 + [2] * 6)
        for rule in TieRule
    },
    **{f"no ballots: {rule}": (TallyTerms("plurality", TieRule.FIRST, rule), ()) for rule in NoBallotRule},
    "a close vote": (TallyTerms("plurality", TieRule.FIRST, NoBallotRule.RANDOM), [1] * 51 + [2] * 49),
    "a close vote among thousands": (
        TallyTerms("plurality", TieRule.FIRST, NoBallotRule.RANDOM),
        [1] * 2_010 + [2] * 2_004,
    ),
}
NAMES: Mapping[Side, str] = {"red": "North", "yellow": "South"}
DROPS = (Drop("red", 4, 1), Drop("yellow", 4, 2))
CONFLICT = Resolution(drops=DROPS, conflict=4, token_before="red", token_after="yellow", result="open")
OPEN = Resolution(result="open")
LINE = (((1, 1), (2, 1), (3, 1), (4, 1)),)
ORDINARY = Resolution(drops=(Drop("red", 4, 1), Drop("yellow", 5, 1)), result="open")


def situations() -> list[dict[str, Any]]:
    """Every situation as a dictionary: what the wall needs of the match, and the steps at each pace."""
    plain = SideTally(counts=(40, 60, *[0] * 5), ballots=100, pick=2, decided_by="plurality")
    played = [play_and_reveal(name, match, plain, names) for name, match in PLAYED.items() for names in TEAMS]
    decided = [
        play_and_reveal(name, (CAPTAINS, [(1, 2)]), decide_red(terms, choices), names, terms.tally_method)
        for name, (terms, choices) in DECIDED.items()
        for names in TEAMS
    ]
    resigned = SideTally(counts=(9, *[0] * 6), ballots=9, pick=None, decided_by="resign", resigning=9)
    given_up = play_and_reveal("a resignation", (CAPTAINS, [(None, None)]), resigned, TEAMS[0])
    return [*played, *decided, given_up]


def decide_red(terms: TallyTerms, choices: Sequence[int]) -> SideTally:
    ballots = [Ballot(f"v{n}", "red", choice, n) for n, choice in enumerate(choices)]
    captain = 0 if terms.tie_rule == TieRule.CAPTAIN else None
    return decide(SideBallots("red", ballots, captain), range(1, 8), 7, terms, lambda n: n - 1)


def play_and_reveal(
    name: str, match: tuple[str, Turns], tally: SideTally, names: Sequence[str], method: str = "plurality"
) -> dict[str, Any]:
    slug, turns = match
    game = find_game(slug)
    options = game.draw_lots(read_options(game, OPTIONS.get(name, {})), 0)
    state = game.start(options)
    for red, yellow in turns:
        movers = game.to_move(state)
        state, resolution = game.resolve(state, Picks(red, yellow))
    tallies: Mapping[Side, SideTally] = dict.fromkeys(movers, tally)
    call = find_close_call(resolution, tallies)
    paced = partial(pace_reveal, resolution, tallies, call, dict(zip(SIDES, names, strict=True)))
    reveal = Reveal(
        turn=1, number=len(turns), resolved_at=0, red=tallies.get("red"), yellow=tallies.get("yellow"),
        resolution=resolution, steps=paced(Pace.NORMAL), close_call=call,
    )  # fmt: skip
    return {
        "name": f"{name} ({names[0]})", "names": list(names), "game": slug, "tally_method": method,
        "board": game.view(state, None), "reveal": reveal, "steps": {pace: paced(pace) for pace in PACES},
    }  # fmt: skip


def render() -> bytes:
    encode = msgspec.json.Encoder(enc_hook=str).encode  # texts of games in English
    return b"[\n" + b",\n".join(map(encode, situations())) + b"\n]\n"


def pace(resolution: Resolution, pace: Pace = Pace.NORMAL, **given: Any) -> RevealSteps:
    tallies: Mapping[Side, SideTally] = dict.fromkeys(SIDES, tally((60, 40), 1))
    return pace_reveal(resolution, tallies, given.get("call"), given.get("names", NAMES), pace)


def times(steps: RevealSteps) -> list[int]:
    order = (steps.pour, steps.picks, steps.hold, steps.drops, steps.second, steps.lines, steps.verdict)
    return [at for at in (*order, steps.token, steps.replay, steps.over) if at is not None]


def test_situations_are_current_and_their_steps_in_order() -> None:
    assert SITUATIONS.read_bytes() == render(), "run: python -m tests.voting.counting.test_pacing"
    for situation in situations():
        for steps in situation["steps"].values():
            assert times(steps) == sorted(times(steps)), situation["name"]


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


def test_close_call_is_the_smallest_margin_or_a_conflict_that_completed_a_line() -> None:
    yellow = tally((50, 50), 2, decided_by="first")
    call = find_close_call(OPEN, {"red": tally((51, 49), 1), "yellow": yellow})
    assert call == CloseCall(kind="count", side="yellow", first=2, second=1, margin=0)
    won = replace(CONFLICT, lines=LINE, result="red")
    assert find_close_call(won, {}) == CloseCall(kind="conflict", side="red")
    elsewhere = (((1, 1), (1, 2), (1, 3), (1, 4)),)
    for other in (replace(won, lines=elsewhere), replace(won, conflict=None)):
        assert find_close_call(other, {}) is None


def test_two_chinese_characters_count_as_a_word() -> None:
    texts = {"": 0, "Red picks 4": 3, "\u7ea2\u961f\u9009\u7b2c\u56db": 3, "\u7ea2\u961f 4": 2}
    assert {text: count_words(text) for text in texts} == texts


def test_ordinary_turn_takes_about_six_seconds_and_special_ones_longer() -> None:
    """Reading how many voted, four words and figures, takes 2 s, and the picks, twelve, 4 s."""
    steps = pace(ORDINARY)
    assert (steps.picks, steps.over) == (2_400, 6_400)
    assert (steps.hold, steps.second, steps.verdict, steps.token, steps.replay) == (None,) * 5
    block = Resolution(drops=ORDINARY.drops, block=ORDINARY.drops[1], result="open")
    win = Resolution(drops=ORDINARY.drops, lines=(((4, 1),),), result="red")
    for steps in map(pace, (CONFLICT, block, win)):
        assert steps.over > pace(ORDINARY).over
        assert 0 < (steps.hold or 0) < steps.drops


def test_conflict_drops_in_turn_and_then_moves_the_token_unless_it_ends_the_match() -> None:
    steps = pace(CONFLICT)
    assert steps.drops < (steps.second or 0) < steps.lines < (steps.token or 0)
    won = replace(CONFLICT, result="red", lines=LINE)
    for ended in (won, replace(CONFLICT, result="draw")):
        assert (pace(ended).token, pace(ended).verdict) == (None, None)
    both = pace(replace(won, double_win=True))
    assert both.lines < (both.verdict or 0) < both.over


def test_paces_differ_and_longer_names_take_longer() -> None:
    call = CloseCall(kind="count", side="red", first=1, second=2, margin=1)
    brisk, normal, dramatic = (pace(ORDINARY, way, call=call) for way in PACES)
    assert brisk.over < normal.over < dramatic.over
    assert (brisk.replay is None, normal.replay is None) == (True, False)
    long_names = {"red": "The Owls of Riverside", "yellow": "South"}
    assert pace(CONFLICT, names=long_names).over > pace(CONFLICT).over
    steps = RevealSteps(pour=0, picks=0, drops=0, second=500, lines=1_000, over=1_000)
    assert pace(CONFLICT, Pace.INSTANT) == steps
    assert pace(ORDINARY, Pace.INSTANT).second is None


if __name__ == "__main__":
    SITUATIONS.write_bytes(render())
