"""The one who holds a simulated phone: when to vote, what, and to insist until it counts."""

import asyncio
from collections.abc import Callable

from crowdgame.rehearsal.hall import Hall
from crowdgame.rehearsal.kept_ballot import KeptBallot
from crowdgame.rehearsal.profile import draw_moments
from games.engine.game import SIDES, Side
from voting.protocol import BallotCast, BallotCounted, BallotRefused, EventState, Match, Turn, You

PATIENCE_S = 2.0
SOON_S = 0.4

Write = Callable[[BallotCast], bool]


class Voter:
    """`write` sends a ballot if the phone is connected, and says whether it did."""

    def __init__(self, index: int, hall: Hall, write: Write) -> None:
        self._index = index
        self._hall = hall
        self._write = write
        self._team = 0
        self._state: EventState | None = None
        self._kept: KeptBallot | None = None
        self._planned: tuple[int, int] | None = None
        self._moments: list[asyncio.TimerHandle] = []
        self._patience: asyncio.TimerHandle | None = None
        self._left = False

    def welcome(self, you: You, state: EventState) -> None:
        self._team, self._state = you.team, state
        turn = self._turn()
        if self._kept is None and you.turn is not None and you.column is not None:
            held = BallotCounted(turn=you.turn, column=you.column, sequence=you.sequence)
            blinds = {held.sequence: you.blind or ""}
            self._kept = KeptBallot(held.turn, 1, held.column, held.sequence, blinds, settled=True)
            self._count(held, newest=True)
        elif self._kept and turn and turn.id == self._kept.turn:
            self._kept.take_welcome(you)
        self._consider()
        self._insist()

    def see(self, state: EventState) -> None:
        """Thinking about it can wait."""
        self._state = state
        self._hall.agenda.add(self._consider)

    def _consider(self) -> None:
        if self._left:
            return
        turn = self._turn()
        if self._kept and (turn is None or turn.id != self._kept.turn):
            self._let_go(self._kept)
        if turn and self._kept and self._kept.take_epoch(turn):
            self._insist()
        plan = (turn.id, turn.closes_at) if turn and not turn.paused else None
        if plan != self._planned:
            self._planned = plan
            self._plan(turn)

    def counted(self, counted: BallotCounted) -> None:
        kept = self._kept
        newest = kept is not None and kept.counted(counted)
        self._count(counted, newest=newest)
        if newest and kept and kept.first_sent_ms is not None:
            self._hall.ledger.ack_ms.add(self._hall.clock.local_ms() - kept.first_sent_ms)
            self._calm()

    def _count(self, counted: BallotCounted, *, newest: bool) -> None:
        kept = self._kept
        blind = kept.blinds.get(counted.sequence, "") if kept and kept.turn == counted.turn else ""
        self._hall.ledger.count_ballot(self._index, counted, newest=newest, blind=blind)

    def refused(self, refused: BallotRefused) -> None:
        self._hall.ledger.refused[refused.code] += 1
        after = self._kept.refused(refused) if self._kept else "settled"
        if after == "now":
            self._insist()
        elif after == "soon":
            self._insist_in(SOON_S * (0.5 + self._hall.rng.random()))

    def cut_off(self) -> None:
        """The phone loses its network."""
        if self._kept and not self._kept.settled:
            self._kept.cut_off = True

    def leave(self) -> None:
        """The phone is switched off."""
        self._left = True
        self._calm()
        self._forget_plan()

    def _match(self) -> Match | None:
        return self._state.match if self._state else None

    def _turn(self) -> Turn | None:
        match = self._match()
        return match.turn if match else None

    def _side(self, match: Match) -> Side:
        return SIDES[0] if match.red == self._team else SIDES[1]

    def _plan(self, turn: Turn | None) -> None:
        """Draw the moments to vote at, once a turn, anew if its deadline moves before the first."""
        self._forget_plan()
        match = self._match()
        if turn is None or match is None or turn.paused or self._kept or self._hall.played_out:
            return
        begins = max(self._hall.clock.now_ms(), turn.opens_at)
        if self._side(match) not in turn.to_move or begins >= turn.closes_at:
            return
        loop = asyncio.get_running_loop()
        for moment in draw_moments(self._hall.profile, begins, turn.closes_at, self._hall.rng):
            self._moments.append(loop.call_later(self._hall.clock.until(moment), self._vote, turn.id))

    def _forget_plan(self) -> None:
        for handle in self._moments:
            handle.cancel()
        self._moments.clear()

    def _vote(self, turn_id: int) -> None:
        match, turn = self._match(), self._turn()
        if match is None or turn is None or turn.id != turn_id or turn.paused:
            return
        mood = self._hall.mood(match, turn, self._side(match))
        column = mood.vote(self._hall.rng, match.tally_method)
        sequence = self._kept.sequence + 1 if self._kept else 1
        before = self._kept.blinds if self._kept else {}
        blind = f"{self._hall.rng.getrandbits(128):032x}"
        self._kept = KeptBallot(turn.id, turn.epoch, column, sequence, {**before, sequence: blind})
        self._insist()

    def _insist(self) -> None:
        """Send the kept ballot, the same one, until it is settled."""
        kept = self._kept
        if kept is None or kept.settled:
            return
        if self._write(kept.cast()):
            self._note_sent(kept)
        self._insist_in(PATIENCE_S)

    def _note_sent(self, kept: KeptBallot) -> None:
        """How long a phone was cut off is not the server's time."""
        if kept.first_sent_ms is None:
            self._hall.ledger.send_ballot(self._index, kept.turn)
        if kept.first_sent_ms is None or kept.cut_off:
            kept.first_sent_ms = self._hall.clock.local_ms()
        kept.cut_off = False

    def _insist_in(self, seconds: float) -> None:
        self._calm()
        self._patience = asyncio.get_running_loop().call_later(seconds, self._insist)

    def _calm(self) -> None:
        if self._patience:
            self._patience.cancel()
            self._patience = None

    def _let_go(self, kept: KeptBallot) -> None:
        """Its turn is over."""
        if not kept.settled and kept.first_sent_ms is not None:
            self._hall.ledger.lose_ballot(kept.turn, cut_off=kept.cut_off)
        self._kept = None
        self._calm()
