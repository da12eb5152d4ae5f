"""What a ballot is held against before the box is asked."""

from dataclasses import dataclass

from games.engine.game import Side
from voting import protocol
from voting.ballot_box.intake import Lane
from voting.counting.choices import is_valid_choice

EARLY_TOLERANCE_MS = 50


@dataclass(frozen=True, slots=True)
class Poll:
    """The present turn as a ballot is held against it: by team the side, and what its phones may choose.

    The box has the turn a moment after it is announced: until shortly before it opens nobody asks it.
    """

    turn_id: int
    epoch: int
    sides: dict[int, Side]
    legal: dict[int, frozenset[int]]
    lane: Lane
    opens_at: int
    method: protocol.TallyMethod = "plurality"
    may_resign: bool = False

    def refusal(
        self, team: int, ballot: protocol.BallotCast, now: int, *, voted: bool = False
    ) -> protocol.Refusal | None:
        """Why the box need not be asked. One who `voted` may repeat it before a window that opens again."""
        if ballot.turn != self.turn_id:
            return "no_such_turn"
        if ballot.epoch > self.epoch:
            return "unknown"
        legal = self.legal.get(team)
        if legal is None:
            return "not_to_move"
        if not is_valid_choice(ballot.choice, self.method, legal, may_resign=self.may_resign):
            return "illegal"
        return "early" if now < self.opens_at - EARLY_TOLERANCE_MS and not voted else None
