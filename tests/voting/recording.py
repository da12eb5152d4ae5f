"""Matches played for their records: every way in which a pick can come about."""

import secrets
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from games.models import Match
from tests.voting.playing import CLASSIC, SELECTOR, ballots, new_event, only_turn, open_now, run_out
from voting.box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.match.turns import boxed, close_turn, start_match
from voting.records.exports import export_match
from voting.records.match_record import MatchRecord

T = TypeVar("T")
Record = dict[str, Any]
Crowds = Sequence[tuple[Sequence[int], Sequence[int]]]

TIED = {"tie_rule": "lot", "no_ballot_rule": "random"}
MATCHES: dict[str, tuple[dict[str, Any], Crowds]] = {
    # a plain turn, a conflict, ties by lot, nobody votes, then red wins in column 7
    "lots": (
        TIED,
        [([4, 4, 2], [4]), ([1, 2, 1, 2], [3, 5]), ([], [])] + [([7, 7], [6, 6, 1]), ([7, 7], [1, 6, 1])] * 2,
    ),
    "lottery": ({"tally_method": "lottery"}, [([1, 2, 3, 3, 7], [5, 6, 6]), ([4], [4, 4, 2])]),
    "first": ({"tie_rule": "first", "no_ballot_rule": "pass"}, [([5, 1, 1, 5], []), ([], [2, 3]), ([], [])]),
    "forfeit": ({"no_ballot_rule": "forfeit"}, [([3], [3]), ([2, 2], [])]),
    "both forfeit": ({"no_ballot_rule": "forfeit"}, [([], [])]),
    "alternating": (
        {"game": CLASSIC, "options": {"first": "yellow"}, "no_ballot_rule": "pass"},
        [([1], [1, 2, 2]), ([3, 3], [7]), ([], []), ([4], [4])],
    ),
    # the same column, then yellow in secret and red openly; a half that is still kept is not in the record
    "selector": (
        {"game": SELECTOR, "tie_rule": "lot", "no_ballot_rule": "random"},
        [([4, 4, 2], []), ([], [4, 1, 4]), ([], [2, 1, 2, 1]), ([], []), ([], [5])],
    ),
    "selector, passing": ({"game": SELECTOR, "no_ballot_rule": "pass"}, [([], []), ([], [5])] * 2),
    "selector, to the end": (
        {"game": SELECTOR, "options": {"columns": 6}},
        [([1], []), ([], [6])] * 4,
    ),
    "selector, given up": ({"game": SELECTOR, "no_ballot_rule": "forfeit"}, [([3], []), ([], [])]),
    "begun": ({}, []),
}


def play_match(box: BallotBox, terms: dict[str, Any], crowds: Crowds) -> Match:
    """Until the crowds or the match are at an end."""
    match = start_match(new_event(**terms).pk, box)
    for red, yellow in crowds:
        turn = only_turn(match)
        open_now(turn, box)
        box.cast(boxed(turn), blinded(ballots("red", red) + ballots("yellow", yellow)))
        run_out(turn, box)
        close_turn(turn.pk, box)
        match.refresh_from_db()
        if match.state != "playing":
            break
    return match


def of_each_match(blocker: DjangoDbBlocker, read: Callable[[Match], T]) -> dict[str, T]:
    """What is read of each of MATCHES, played once; nothing of them stays."""
    box = BallotBox()
    box.forget_all_events()
    with blocker.unblock(), transaction.atomic():
        found = {name: read(play_match(box, *match)) for name, match in MATCHES.items()}
        transaction.set_rollback(True)
    box.close()
    return found


def blinded(cast: list[Ballot]) -> list[Ballot]:
    return [Ballot(b.voter, b.side, b.column, b.sequence, 0, secrets.token_hex(16)) for b in cast]


def record_of(match: Match) -> MatchRecord:
    exported = export_match(match.event.code, match.number)
    assert exported is not None
    return exported[1]
