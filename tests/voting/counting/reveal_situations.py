"""Reveals of every kind, for the test that their captions can be read (`captions/readable.test.ts`).

`python -m tests.voting.counting.reveal_situations` writes SITUATIONS, which the frontend's tests read.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from games.engine.game import SIDES, Picks, Side
from games.engine.registry import find_game, read_options
from tests.voting.counting.method_cases import CASES
from voting.counting.ballots import Ballot
from voting.counting.pacing import find_close_call, pace_reveal
from voting.counting.tally import SideBallots, SideTally, TallyTerms, decide
from voting.protocol import Reveal
from voting.terms import NoBallotRule, Pace, TieRule

SITUATIONS = Path(__file__).parents[3] / "frontend/src/display/captions/situations.json"
CAPTAINS = "simultaneous-captains-mistress"
PACES = (Pace.BRISK, Pace.NORMAL, Pace.DRAMATIC)
NAMES = (
    ("North Hall", "South Hall"),
    ("The Owls of Riverside Comprehensive", "Grundschule am Alten Mühlenweg"),
)
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


def situations() -> list[dict[str, Any]]:
    """Every situation as a dictionary: what the wall needs of the match, and the steps at each pace."""
    plain = SideTally(counts=(40, 60, *[0] * 5), ballots=100, pick=2, decided_by="plurality")
    played = [_played(name, match, plain, names) for name, match in PLAYED.items() for names in NAMES]
    decided = [
        _played(name, (CAPTAINS, [(1, 2)]), _decide(terms, choices), names, terms.tally_method)
        for name, (terms, choices) in DECIDED.items()
        for names in NAMES
    ]
    resigned = SideTally(counts=(9, *[0] * 6), ballots=9, pick=None, decided_by="resign", resigning=9)
    given_up = _played("a resignation", (CAPTAINS, [(None, None)]), resigned, NAMES[0])
    return [*played, *decided, given_up]


def _decide(terms: TallyTerms, choices: Sequence[int]) -> SideTally:
    ballots = [Ballot(f"v{n}", "red", choice, n) for n, choice in enumerate(choices)]
    captain = 0 if terms.tie_rule == TieRule.CAPTAIN else None
    return decide(SideBallots("red", ballots, captain), range(1, 8), 7, terms, lambda n: n - 1)


def _played(
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
        turn=1,
        number=len(turns),
        resolved_at=0,
        red=tallies.get("red"),
        yellow=tallies.get("yellow"),
        resolution=resolution,
        steps=paced(Pace.NORMAL),
        close_call=call,
    )
    return {
        "name": f"{name} ({names[0]})",
        "names": list(names),
        "game": slug,
        "tally_method": method,
        "board": game.view(state, None),
        "reveal": reveal,
        "steps": {pace: paced(pace) for pace in PACES},
    }


def render() -> bytes:
    """Return the text of SITUATIONS: a line per situation."""
    encode = msgspec.json.Encoder(enc_hook=str).encode  # texts of games in English
    return b"[\n" + b",\n".join(map(encode, situations())) + b"\n]\n"


if __name__ == "__main__":
    SITUATIONS.write_bytes(render())
