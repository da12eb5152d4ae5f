"""Games of days with plans, for the tests of conditional picks."""

from typing import Any

from crowdgame.play.duels.conditional_picks import plan_pick
from crowdgame.play.duels.duels import seat_number
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from games.engine.game import Side
from tests.crowdgame.play.duels.test_player_actions import Playing, begin
from tests.voting.match_helpers import only_turn, open_now, play
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.models import StoredBallot, Ticket, Turn
from voting.turns.turns import to_boxed_turn

THREE_DAYS = TIME_CONTROLS_BY_SLUG["3-days"]
FIRST_TURN = [(1, 2)]


def begin_days(box: BallotBox, **settings: Any) -> Playing:
    return begin(box, time_control=THREE_DAYS, **settings)


def team_of(playing: Playing, side: Side) -> int:
    return seat_number(playing.duel, playing.red if side == "red" else playing.yellow)


def plan(playing: Playing, side: Side, theirs: int, own: int) -> None:
    turn = only_turn(playing.match).pk
    plan_pick(playing.duel.event_id, team_of(playing, side), turn, theirs, own)


def open_turn(playing: Playing, box: BallotBox) -> Turn:
    """Open the live turn's window and return the turn."""
    turn = only_turn(playing.match)
    open_now(turn, box)
    return turn


def begin_with_due_plan(box: BallotBox) -> tuple[Playing, Turn]:
    """Begin a game in which red planned 5 as the answer to 2, and yellow chose 2. Opens the second turn."""
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    play(playing.match, box, FIRST_TURN)
    return playing, open_turn(playing, box)


def voter(playing: Playing, side: Side) -> str:
    return Ticket.objects.get(event=playing.duel.event, team=team_of(playing, side)).voter


def in_box(turn: Turn, box: BallotBox) -> list[tuple[str, str, int]]:
    return [(ballot.voter, ballot.side, ballot.choice) for ballot in box.load_ballots(to_boxed_turn(turn))]


def in_database(turn: Turn) -> list[tuple[str, str, int]]:
    return list(StoredBallot.objects.filter(turn=turn).values_list("voter", "side", "choice"))


def cast_by_phone(playing: Playing, side: Side, turn: Turn, choice: int, box: BallotBox) -> None:
    ballot = Ballot(voter(playing, side), side, choice, 1, blind="ab" * 16)
    assert box.cast_new(to_boxed_turn(turn), [ballot]).answers == [1]
