"""View model of a player's conditional picks on the page of a duel."""

from dataclasses import dataclass

from crowdgame.play.duels.conditional_picks import list_choices, load_plan, may_plan
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.player_actions import find_side
from crowdgame.play.duels.turn_history import name_pick
from voting.models import Match
from voting.positions import Position

Option = tuple[int, str]


@dataclass(frozen=True, slots=True)
class PlannedPick:
    """A row of the plan: the opponent's choice `theirs`, and the names of both choices."""

    theirs: int
    their_name: str
    own_name: str


@dataclass(frozen=True, slots=True)
class PlanView:
    """The plan of a player in the live turn with the id `turn`, and the choices of its form."""

    turn: int
    picks: tuple[PlannedPick, ...]
    their_options: tuple[Option, ...]
    own_options: tuple[Option, ...]


def view_plan(duel: Duel, match: Match, position: Position, team: int, turn: int) -> PlanView | None:
    """Build the section for the player of `team`; None in matches without conditional picks."""
    if not may_plan(duel, match, position):
        return None
    side = find_side(match, team)
    board = position.game.view(position.state, None)
    names = {choice: name_pick(board, choice) for choice in range(1, board.columns + 1)}
    choices, picks = list_choices(position, side), load_plan(match, side, position).picks
    return PlanView(
        turn,
        tuple(PlannedPick(theirs, names[theirs], names[own]) for theirs, own in sorted(picks.items())),
        tuple((choice, names[choice]) for choice in choices.theirs),
        tuple((choice, names[choice]) for choice in choices.own),
    )
