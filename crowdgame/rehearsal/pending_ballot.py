"""The ballot that a phone keeps: the newest choice of the present turn, sent until it is settled."""

from dataclasses import dataclass, field
from typing import Literal

from voting.protocol import BallotCast, BallotCounted, BallotRefused, Refusal, Turn, You

NextStep = Literal["now", "soon", "wait", "settled"]

#: What a refusal asks of the phone; "wait" is for the new epoch, or the patience of an unanswered one.
NEXT_STEP: dict[Refusal, NextStep] = {"stale": "now", "early": "soon", "busy": "soon", "unknown": "wait"}


@dataclass(slots=True)
class PendingBallot:
    """`blinds` are the secrets of this turn's choices, by sequence.

    `cut_off`: the crowd itself took its phone from the network before there was an answer.
    """

    turn: int
    epoch: int
    choice: int
    sequence: int
    blinds: dict[int, str] = field(default_factory=dict)
    first_sent_ms: float | None = None
    settled: bool = False
    cut_off: bool = False

    def cast(self) -> BallotCast:
        return BallotCast(
            turn=self.turn,
            epoch=self.epoch,
            choice=self.choice,
            sequence=self.sequence,
            blind=self.blinds.get(self.sequence) or None,
        )

    def apply_epoch(self, turn: Turn) -> bool:
        """Whether the ballot box lost the turn since: then the ballot is to be sent again, counted or not."""
        if turn.id != self.turn or turn.epoch <= self.epoch:
            return False
        self.epoch = turn.epoch
        self.settled = False
        return True

    def apply_welcome(self, you: You) -> None:
        """While its turn is on: a box that holds none of this voter's ballots, or an older one, gets it."""
        held = you.sequence if you.turn == self.turn else 0
        self.settled = self.settled and held >= self.sequence

    def counted(self, counted: BallotCounted) -> bool:
        """Whether this settles it."""
        if self.settled or (counted.turn, counted.sequence) != (self.turn, self.sequence):
            return False
        self.settled = True
        return True

    def refused(self, refused: BallotRefused) -> NextStep:
        if self.settled or (refused.turn, refused.sequence) != (self.turn, self.sequence):
            return "settled"
        after = NEXT_STEP.get(refused.code, "settled")
        if refused.code == "stale":
            self.blinds[refused.last + 1] = self.blinds.get(self.sequence, "")
            self.sequence = refused.last + 1
        self.settled = after == "settled"
        return after
