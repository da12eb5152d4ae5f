"""Ballot validation at the gateway: refuses an illegal choice, a wrong turn or an early ballot."""

from dataclasses import dataclass

from games.engine.game import Side
from voting import protocol
from voting.ballot_box.intake import Lane
from voting.counting.methods.voting_method import VotingMethod

EARLY_TOLERANCE_MS = 50


@dataclass(frozen=True, slots=True)
class Poll:
    """The rules for ballots of the current turn.

    `sides` is the side of each team, `legal` the columns that each voting team may choose. `opens_at` is in
    milliseconds of the ballot box's time. The ballot box gets a turn shortly after its announcement, so
    ballots that come over EARLY_TOLERANCE_MS before the turn opens are refused here.
    """

    turn_id: int
    epoch: int
    sides: dict[int, Side]
    legal: dict[int, frozenset[int]]
    lane: Lane
    opens_at: int
    method: VotingMethod
    may_resign: bool = False

    def refusal(
        self, team: int, ballot: protocol.BallotCast, now: int, *, voted: bool = False
    ) -> protocol.Refusal | None:
        """Return why to refuse the ballot, or None if the ballot box decides.

        With `voted` the voter has a ballot in this turn, and may repeat it before the window reopens.
        """
        if ballot.turn != self.turn_id:
            return "no_such_turn"
        if ballot.epoch > self.epoch:
            return "unknown"
        legal = self.legal.get(team)
        if legal is None:
            return "not_to_move"
        if not self.method.accepts(ballot.choice, legal, may_resign=self.may_resign):
            return "illegal"
        return "early" if now < self.opens_at - EARLY_TOLERANCE_MS and not voted else None
