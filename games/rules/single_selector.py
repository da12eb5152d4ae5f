"""Single selector, variant 3 of Simultaneous Captain's Mistress: its holder picks first, in secret."""

from dataclasses import dataclass, replace

import msgspec

from games.engine.game import Board, Picks, Resolution, Result, Side, Vote, check_picks, other_side
from games.engine.texts import gettext_noop
from games.rules import simultaneous_captains_mistress as simultaneous

Options = simultaneous.Options
BASE_GAME = simultaneous.GAME


@dataclass(frozen=True, slots=True)
class State:
    """A turn of the base game has two halves, the holder's first. After it, `is_chosen` is set.

    `chosen` is the holder's pick, None for no drop.
    """

    board: simultaneous.State
    is_chosen: bool = False
    chosen: int | None = None


class SingleSelector:
    slug = "single-selector"
    title = gettext_noop("Captain's Mistress, Single Selector")
    rules = gettext_noop(
        "The token's holder chooses a column in secret. Then the other team votes in public. Both balls "
        "drop. In the same column, the holder's ball drops first, and the token changes sides. Four in a row "
        "win. If both teams get four at once, the token's holder wins."
    )
    options = Options

    def draw_lots(self, options: Options, lot: int) -> Options:
        return BASE_GAME.draw_lots(options, lot)

    def start(self, options: Options) -> State:
        return State(BASE_GAME.start(options))

    def to_move(self, state: State) -> tuple[Side, ...]:
        if self.result(state) != "open":
            return ()
        holder = state.board.token
        return (other_side(holder) if state.is_chosen else holder,)

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        """Return the open columns.

        They are the same in both halves, so they do not reveal the holder's pick.
        """
        return BASE_GAME.legal_actions(state.board, side) if side in self.to_move(state) else ()

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Store the holder's pick; with the other side's pick, drop both as a simultaneous turn."""
        check_picks(self, state, picks)
        holder = state.board.token
        if not state.is_chosen:
            return replace(state, is_chosen=True, chosen=picks.of(holder)), Resolution(result="open")
        second = picks.of(other_side(holder))
        both = Picks(state.chosen, second) if holder == "red" else Picks(second, state.chosen)
        board, resolution = BASE_GAME.resolve(state.board, both)
        return State(board), resolution

    def result(self, state: State) -> Result:
        return BASE_GAME.result(state.board)

    def view(self, state: State, side: Side | None) -> Board:
        vote: Vote = "open" if state.is_chosen else "concealed"
        board = BASE_GAME.view(state.board, side)
        return msgspec.structs.replace(board, vote=vote) if self.to_move(state) else board


GAME = SingleSelector()
