"""The positions of matches, replayed from their closed turns."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.engine.errors import GameError
from games.engine.game import Game, Picks, Resolution, Side, Vote
from games.engine.registry import find_game, read_options
from voting.models import CLOSED_STATES, Match, MatchResult, Turn, TurnState
from voting.terms import Ending, EndReason


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a match: the replay of its closed turns.

    `turns` are resolved and public. `resolutions` are theirs, and `votes` how each was voted. `concealed` is
    the turn after them that is still secret; `state` includes its pick.
    """

    game: Game[Any]
    state: Any
    turns: tuple[Turn, ...]
    resolutions: tuple[Resolution, ...]
    votes: tuple[Vote | None, ...]
    concealed: Turn | None

    @property
    def vote(self) -> Vote | None:
        """How the next turn is voted."""
        return self.game.view(self.state, None).vote

    @property
    def to_move(self) -> tuple[Side, ...]:
        """The sides that vote in the next turn."""
        return self.game.to_move(self.state)

    @property
    def last(self) -> Turn | None:
        """The turn that closed last."""
        return self.concealed or (self.turns[-1] if self.turns else None)

    @property
    def revealed_with_last(self) -> Turn | None:
        """The turn that was kept secret until the last one was revealed."""
        return self.turns[-2] if self.votes[-2:-1] == ("concealed",) else None

    def advance(self, turn: Turn, state: Any, resolution: Resolution) -> "Position":
        """Return the position after `turn`, which led to `state`."""
        if turn.state == TurnState.CONCEALED:
            return replace(self, state=state, concealed=turn)
        return Position(
            self.game,
            state,
            (*self.turns, turn),
            (*self.resolutions, resolution),
            (*self.votes, self.vote),
            None,
        )


def load_position(match: Match, before: Turn | None = None) -> Position:
    """Load the current position, or the one before the turn `before`, which may be closed already."""
    closed = match.turns.filter(state__in=CLOSED_STATES)
    return replay(match, (closed.filter(number__lt=before.number) if before else closed).order_by("number"))


def load_positions(turns: Iterable[Turn]) -> dict[Turn, Position]:
    """Return the position before each of these turns. Makes one query."""
    turns = list(turns)
    closed = _load_closed_turns(turn.match_id for turn in turns)
    return {
        turn: replay(turn.match, [one for one in closed[turn.match_id] if one.number < turn.number])
        for turn in turns
    }


def _load_closed_turns(match_ids: Iterable[int]) -> Mapping[int, list[Turn]]:
    """Return the closed turns of each match, in order."""
    by_match = defaultdict[int, list[Turn]](list)
    for turn in Turn.objects.filter(match__in=list(match_ids), state__in=CLOSED_STATES).order_by("number"):
        by_match[turn.match_id].append(turn)
    return by_match


def replay(match: Match, closed: Iterable[Turn]) -> Position:
    """Return the position after these closed turns, given in order."""
    game = find_game(match.game)
    state = game.start(read_options(game, match.options))
    return extend(Position(game, state, (), (), (), None), closed)


def extend(position: Position, closed: Iterable[Turn]) -> Position:
    """Return the position after further closed turns, given in order. `position` has no concealed turn."""
    for turn in closed:
        state, resolution = position.game.resolve(position.state, Picks(turn.red_pick, turn.yellow_pick))
        position = position.advance(turn, state, resolution)
    return position


def try_replay(match: Match, closed: Iterable[Turn]) -> Position | None:
    """Return the position after these closed turns.

    None if the game can't replay them: it is not installed any more, or its rules have changed.
    """
    try:
        return replay(match, closed)
    except GameError:
        return None


def end_reason(match: Match, position: Position | None) -> EndReason | None:
    """Return why the match ended. None unless it has ended. `position` is None if it can't be replayed."""
    if match.ended_by != Ending.BOARD:
        return EndReason(match.ended_by) if match.ended_by else None
    if position is None:
        return EndReason.GAME
    last = position.resolutions[-1] if position.resolutions else None
    if last and last.double_win:
        return EndReason.HOLDER if last.result == last.token_before else EndReason.OTHER
    if last and last.lines:
        return EndReason.LINE
    is_full = position.game.view(position.state, None).kind == "columns" and match.result == MatchResult.DRAW
    return EndReason.FULL if is_full else EndReason.GAME


def load_end_reasons(matches: Iterable[Match]) -> dict[int, EndReason | None]:
    """Return why each of these matches ended, by primary key. Makes one query."""
    found = {match.pk: match for match in matches}
    turns = _load_closed_turns(found)
    return {pk: end_reason(match, try_replay(match, turns[pk])) for pk, match in found.items()}
