"""A simulated phone that records what it sent and what was acknowledged.

Sometimes it votes at the deadline, so that ballots are in flight when the turn is sealed.
"""

import asyncio
from random import Random

from msgspec.structs import replace

from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.simulated_phone import Phone
from tests.chaos.journal import JournalWriter
from voting import protocol
from voting.admission.seats import unverified_voter

LATE_SHARE, REVOTE_SHARE = 0.15, 0.4
EARLIEST_MS, LATEST_MS = -80.0, 700.0


class RecordingPhone(Phone):
    def __init__(self, index: int, context: RehearsalContext, journal: JournalWriter) -> None:
        super().__init__(index, context)
        self._journal = journal
        self._blinds: dict[tuple[int, int], str] = {}
        self._watched: tuple[int, int] | None = None
        self._late: asyncio.TimerHandle | None = None

    @property
    def seq(self) -> int:
        """The sequence number of the last change received; -1 while disconnected."""
        return self._seq

    def receive(self, message: protocol.ToPhone) -> None:
        super().receive(message)
        match message:
            case protocol.BallotCounted():
                self._record_ack(message.turn, message.choice, message.sequence)
            case protocol.PhoneWelcomed():
                you = message.you
                if you.turn is not None and you.choice is not None:
                    self._record_ack(you.turn, you.choice, you.sequence)
                self._plan_late_ballot()
            case protocol.TurnSealed():
                self._journal.sealed(message)
            case protocol.Change():
                self._plan_late_ballot()

    def _record_ack(self, turn: int, choice: int, sequence: int) -> None:
        self._journal.acknowledged(self._context.clock.now_ms(), self._voter_id, turn, choice, sequence)

    def _cast(self, ballot: protocol.BallotCast) -> bool:
        """Use one blinding factor per choice, also when it is sent again."""
        key = (ballot.turn, ballot.sequence)
        if key not in self._blinds:
            if len(self._blinds) > 8:
                self._blinds.clear()
            self._blinds[key] = ballot.blind or _draw_blind(self._context.rng)
        ballot = replace(ballot, blind=self._blinds[key])
        sent = super()._cast(ballot)
        if sent:
            self._journal.sent(self._context.clock.now_ms(), self._voter_id, ballot)
        return sent

    @property
    def _voter_id(self) -> str:
        return unverified_voter(self._context.tokens[self.index])

    def _plan_late_ballot(self) -> None:
        """Plan at most one late ballot per window; after an extension many phones vote again."""
        turn, before = self._context.turn, self._watched
        watched = (turn.id, turn.closes_at) if turn and not turn.paused else None
        if watched == before:
            return
        self._watched = watched
        if self._late:
            self._late.cancel()
        if turn is None or watched is None:
            return
        rng, now = self._context.rng, self._context.clock.now_ms()
        if before and before[0] == turn.id and turn.closes_at > now and rng.random() < REVOTE_SHARE:
            self._vote_at(rng.uniform(now, turn.closes_at), turn.id)
        elif rng.random() < LATE_SHARE:
            self._vote_at(turn.closes_at + rng.uniform(EARLIEST_MS, LATEST_MS), turn.id)

    def _vote_at(self, at_ms: float, turn: int) -> None:
        loop = asyncio.get_running_loop()
        self._late = loop.call_later(max(0.0, self._context.clock.until(at_ms)), self._voter._vote, turn)


def _draw_blind(rng: Random) -> str:
    return f"{rng.getrandbits(128):032x}"
