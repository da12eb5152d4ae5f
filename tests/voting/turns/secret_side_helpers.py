"""Play matches with secret sides through the public functions."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from games.engine.game import Side
from tests.voting.match_helpers import new_event, open_now, play_out, set_window, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match, Turn
from voting.turns.side_change_store import SideChangeAnswer, SideChangeRequest, change_sides
from voting.turns.turns import load_turn, start_match

TEAMS = {"red": 1, "yellow": 2}


def start_secret(box: BallotBox, **choices: Any) -> Match:
    return start_match(new_event(**{"max_side_changes": 1, **choices}).pk, box)


def between(turn: Turn, box: BallotBox) -> None:
    """Move the window into the future, so that the match is between two turns."""
    set_window(turn, box, 60_000, 120_000)


def side_change_request(voter: str, turn: Turn, number: int = 1) -> SideChangeRequest:
    """A request of `red1`…`red9` or `yellow1`…`yellow9` to change sides; even numbers change back."""
    home: Side = "red" if voter.startswith("red") else "yellow"
    away = TEAMS[home] if number % 2 == 0 else 3 - TEAMS[home]
    blind = sha256(f"{voter} {number}".encode()).hexdigest()[:32]
    return SideChangeRequest(voter, TEAMS[home], turn.pk, number, away, blind)


def request_side_changes(turn: Turn, box: BallotBox, *voters: str, number: int = 1) -> list[SideChangeAnswer]:
    between(turn, box)
    requests = [side_change_request(voter, turn, number) for voter in voters]
    return change_sides(turn.match.event_id, requests, box.now)


def play_with(turn: Turn, box: BallotBox, red: Sequence[int], yellow: Sequence[int]) -> Turn:
    """Each column is the ballot of another voter, listed by the side that they joined."""
    open_now(load_turn(turn.pk), box)
    vote(load_turn(turn.pk), box, red, yellow)
    return play_out(turn, box)
