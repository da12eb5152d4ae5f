"""Draw offers: with a majority of its ballots in a turn, a side offers a draw or accepts one.

An offer is made with the reveal of its turn, and lapses unless the other side accepts it in its next turn.
"""

from collections.abc import Mapping
from typing import NamedTuple

from games.engine.game import SIDES, Side, other_side


def wants_draw(draw_votes: int, ballots: int) -> bool:
    """Return whether more than half of a side's ballots ask for a draw."""
    return 2 * draw_votes > ballots


class DrawOffers(NamedTuple):
    """The side whose offer is `standing`, one whose offer is still `concealed`, or an agreed draw."""

    standing: Side | None = None
    concealed: Side | None = None
    is_agreed: bool = False

    def after(self, wishes: Mapping[Side, bool], *, is_concealed: bool) -> "DrawOffers":
        """Return the offers after a turn. `wishes` says of each side that voted whether it wants a draw."""
        asked = other_side(self.standing) if self.standing else None
        is_accepted = asked is not None and wishes.get(asked, False)
        standing = None if asked in wishes else self.standing
        offering = [side for side in SIDES if wishes.get(side)]
        if is_concealed:
            return DrawOffers(standing, offering[0] if offering else None, is_accepted)
        offering += [self.concealed] if self.concealed else []
        is_agreed = is_accepted or len(offering) == len(SIDES)
        return DrawOffers(offering[0] if offering else standing, is_agreed=is_agreed)
