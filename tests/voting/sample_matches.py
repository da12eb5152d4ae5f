"""Sample matches for record tests, covering every way to decide a pick."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from games.engine.game import SIDES
from tests.voting.counting.method_cases import scored
from tests.voting.match_helpers import CLASSIC, SELECTOR, ballots, new_event, only_turn, open_now, run_out
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import DRAW, RESIGN, Ballot, encode_ranking, encode_set
from voting.counting.commitments import FROM_ROOTS
from voting.counting.voter_codes import derive_voter_code
from voting.models import Match, Turn
from voting.records.exports import export_match
from voting.records.match_record import MatchRecord
from voting.turns.closing import close_turn
from voting.turns.turns import start_match, to_boxed_turn

Record = dict[str, Any]
Crowds = Sequence[tuple[Sequence[int], Sequence[int]]]


def liked(*columns: int) -> int:
    return encode_set(columns)


def ranked(*columns: int) -> int:
    return encode_ranking(columns)


TIED = {"tie_rule": "lot", "no_ballot_rule": "random"}
OFFERS = {"draw_offers": True}
MATCHES: dict[str, tuple[dict[str, Any], Crowds]] = {
    # a plain turn, a conflict, ties decided by lot, no votes, then red wins in column 7
    "lots": (
        TIED,
        [([4, 4, 2], [4, 4]), ([1, 2, 1, 2], [3, 5]), ([], [])]
        + [([7, 7], [6, 6, 1]), ([7, 7], [1, 6, 1])] * 2,
    ),
    "lottery": ({"tally_method": "lottery"}, [([1, 2, 3, 3, 7], [5, 6, 6]), ([4], [4, 4, 2])]),
    "first": ({"tie_rule": "first", "no_ballot_rule": "pass"}, [([5, 1, 1, 5], []), ([], [2, 3]), ([], [])]),
    "forfeit": ({"no_ballot_rule": "forfeit"}, [([3], [3]), ([2, 2], [])]),
    "both forfeit": ({"no_ballot_rule": "forfeit"}, [([], [])]),
    "alternating": (
        {"game": CLASSIC, "options": {"first": "yellow"}, "no_ballot_rule": "pass"},
        [([1], [1, 2, 2]), ([3, 3], [7]), ([], []), ([4], [4])],
    ),
    # the same column, then yellow concealed and red open; a half that is still concealed is not in the record
    "selector": (
        {"game": SELECTOR, "tie_rule": "lot", "no_ballot_rule": "random"},
        [([4, 4, 2], []), ([], [4, 1, 4]), ([], [2, 1, 2, 1]), ([], []), ([], [5])],
    ),
    "selector, passing": ({"game": SELECTOR, "no_ballot_rule": "pass"}, [([], []), ([], [5])] * 2),
    "selector, to the end": ({"game": SELECTOR, "options": {"columns": 6}}, [([1], []), ([], [6])] * 4),
    "selector, given up": ({"game": SELECTOR, "no_ballot_rule": "forfeit"}, [([3], []), ([], [])]),
    "begun": ({}, []),
    # red goes straight on without votes; yellow leaves the field
    "trails": ({"game": "trails", "no_ballot_rule": "pass"}, [([1, 1, 2], [1]), ([], [2]), ([2], [2])]),
    # one prize waits for the next
    "goofspiel": (
        {"game": "goofspiel", "options": {"cards": 5}, "no_ballot_rule": "pass"},
        [([5, 5, 1], [1]), ([3], [3]), ([1], [4]), ([], []), ([2], [5])],
    ),
    # two columns with equal approval, one with more, and one alone
    "approval": (
        {"tally_method": "approval", "tie_rule": "lot"},
        [([liked(1, 2), liked(2, 4), 4], [liked(3, 7), 3]), ([liked(1, 2, 3, 4, 5, 6, 7), 5], [6])],
    ),
    # most points, a tie decided by the captain's points, and one that they leave to a draw
    "score": (
        {"tally_method": "score", "tie_rule": "captain"},
        [
            ([scored({1: 5, 2: 3}), scored({2: 3, 7: 1}), 4], [scored({3: 5, 5: 2}), scored({5: 4, 3: 1})]),
            ([scored({1: 2, 2: 2}), 1, 2], [6]),
        ],
    ),
    # transfers in two rounds, an exhausted ballot, ties for the last place
    "runoff": (
        {"tally_method": "instant_runoff", "tie_rule": "lot"},
        [
            ([4, 4, 4, ranked(1, 2), ranked(2, 1, 5), ranked(5, 3, 1), 2], [ranked(7, 6), ranked(6, 7)]),
            ([ranked(1, 2), ranked(2, 3), ranked(3, 1)], [3]),
        ],
    ),
    "runoff by arrival": (
        {"tally_method": "instant_runoff", "tie_rule": "first"},
        [([ranked(1, 2), ranked(2, 1), ranked(3, 2), ranked(4, 3, 2), 1, 2], [ranked(7, 6), 6])],
    ),
    # the captain, first in the list, votes for one of two leaders, for neither, and with a ranking
    "captain": ({"tie_rule": "captain"}, [([5, 1, 1, 5], [2, 3]), ([7, 1, 1, 5, 5], [4])]),
    "captain ranks": (
        {"tally_method": "instant_runoff", "tie_rule": "captain"},
        [([ranked(1, 6), 6], [ranked(3, 2, 1), 1, 2]), ([ranked(7, 2), 2, 2, 6, 6, 7], [ranked(5, 1), 3, 4])],
    ),
    "resigned": (
        {"resign": "two_thirds", "tally_method": "approval"},
        [([3, RESIGN + 3, 2], [3]), ([RESIGN + liked(2, 5), RESIGN + 4, 4], [RESIGN + 1, 1])],
    ),
    "both resigned": ({"resign": "half"}, [([RESIGN + 3, 3], [RESIGN + 3])]),
    # half of the ballots, an offer that lapses, one that is repeated, and one that is accepted
    "draw accepted": (
        OFFERS | {"tally_method": "approval"},
        [
            ([DRAW + 3, 3], [DRAW + 4, 5]),
            ([DRAW + 1], [2]),
            ([DRAW + liked(1, 2), DRAW + 1, 1], [2, 2]),
            ([4], [DRAW + 5, DRAW + 6, 5]),
        ],
    ),
    "draw offered by both": (OFFERS, [([DRAW + 3], [DRAW + 3, DRAW + 4, 4])]),
    "draw offers lapsed": (OFFERS, [([DRAW + 1], [2]), ([1], []), ([2], [DRAW + 2]), ([3], [3])]),
    "won despite offers": (OFFERS, [([1], [2])] * 3 + [([DRAW + 1], [DRAW + 3])]),
    "draw alternating": (
        OFFERS | {"game": CLASSIC, "options": {"first": "yellow"}},
        [([], [DRAW + 1]), ([DRAW + 1], [])],
    ),
    # red's offer is concealed while yellow votes
    "draw concealed": (
        OFFERS | {"game": SELECTOR},
        [([DRAW + 1], []), ([], [2]), ([3], []), ([], [DRAW + 4])],
    ),
    "draw in both halves": (OFFERS | {"game": SELECTOR}, [([DRAW + 1], []), ([], [DRAW + 1])]),
    "draw accepted in secret": (OFFERS | {"game": SELECTOR}, [([1], []), ([], [DRAW + 2]), ([DRAW + 1], [])]),
}

DRAWN = ("lots", "lottery", "selector", "approval", "score", "runoff", "captain", "captain ranks")
RNG = Random(1)


#: Those with draws, which are also played as by an earlier version: from the seed alone.
EARLIER = {name: f"{name}, before version 5" for name in MATCHES if name in DRAWN}


def play_match(box: BallotBox, terms: dict[str, Any], crowds: Crowds, draws: int = FROM_ROOTS) -> Match:
    """Play a turn per crowd, until the match ends. `draws` is the turns' `draws_version`."""
    event = new_event(**terms)
    for number, side in enumerate(SIDES, 1):
        event.teams.filter(number=number).update(captain=derive_voter_code(f"{side}1"))
    match = start_match(event.pk, box)
    for red, yellow in crowds:
        turn = only_turn(match)
        open_now(turn, box)
        Turn.objects.filter(pk=turn.pk).update(draws_version=draws)
        box.cast(to_boxed_turn(turn), with_blinds(ballots("red", red) + ballots("yellow", yellow)))
        run_out(turn, box)
        close_turn(turn.pk, box)
        match.refresh_from_db()
        if match.state != "playing":
            break
    return match


def with_blinds(cast: list[Ballot]) -> list[Ballot]:
    return [Ballot(b.voter, b.side, b.choice, b.sequence, 0, RNG.randbytes(16).hex()) for b in cast]


def record_of(match: Match) -> MatchRecord:
    exported = export_match(match.event.code, match.number)
    assert exported is not None
    return exported[1]


def plain(match: Match) -> Record:
    record: Record = json.loads(msgspec.json.encode(record_of(Match.objects.get(pk=match.pk))))
    return record
