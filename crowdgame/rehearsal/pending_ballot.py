"""A simulated voter's pending ballot: the latest choice of the current turn, resent until it is settled."""

from dataclasses import dataclass, field
from typing import Literal

from voting.protocol import BallotCast, BallotCounted, BallotRefused, Refusal, Turn, You

NextStep = Literal["now", "soon", "wait", "settled"]

#: The reaction to a refusal. "wait" waits for the turn's new epoch or for the resend timer.
NEXT_STEP: dict[Refusal, NextStep] = {"stale": "now", "early": "soon", "busy": "soon", "unknown": "wait"}


@dataclass(slots=True)
class PendingBallot:
    """A ballot that is resent until it is counted or refused for good.

    `blinds` are the blinding factors of this turn's choices, by sequence number. `cut_off`: the crowd itself
    disconnected its phone before a reply.
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
        """Apply the turn's epoch. Returns True if it is newer: the ballot box has lost the turn's ballots.

        The ballot must then be sent again, even if it was counted.
        """
        if turn.id != self.turn or turn.epoch <= self.epoch:
            return False
        self.epoch = turn.epoch
        self.settled = False
        return True

    def apply_welcome(self, you: You) -> None:
        """Resend the ballot if the ballot box has no ballot of this voter, or an older one."""
        recorded = you.sequence if you.turn == self.turn else 0
        self.settled = self.settled and recorded >= self.sequence

    def counted(self, counted: BallotCounted) -> bool:
        """Apply an acknowledgment. Returns whether it settles the ballot."""
        if self.settled or (counted.turn, counted.sequence) != (self.turn, self.sequence):
            return False
        self.settled = True
        return True

    def refused(self, refused: BallotRefused) -> NextStep:
        """Apply a refusal and return the next step. A stale ballot takes the next free sequence number."""
        if self.settled or (refused.turn, refused.sequence) != (self.turn, self.sequence):
            return "settled"
        next_step = NEXT_STEP.get(refused.code, "settled")
        if refused.code == "stale":
            self.blinds[refused.last + 1] = self.blinds.get(self.sequence, "")
            self.sequence = refused.last + 1
        self.settled = next_step == "settled"
        return next_step
