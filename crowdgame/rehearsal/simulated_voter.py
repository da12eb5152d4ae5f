"""A simulated voter (bot): decides when and what to vote, and resends the ballot until it is settled."""

import asyncio
from collections.abc import Callable

from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.pending_ballot import PendingBallot
from crowdgame.rehearsal.profile import draw_moments
from crowdgame.rehearsal.receipt_checker import ReceiptChecker
from games.engine.game import SIDES, Side
from voting.protocol import BallotCast, BallotCounted, BallotRefused, EventState, Match, Turn, You

RESEND_AFTER_S = 2.0
RESEND_LATER_S = 6.0
RETRY_SOON_S = 0.4

Write = Callable[[BallotCast], bool]


class SimulatedVoter:
    """The voter of one phone. `write` sends a ballot if the phone is connected, and says whether it did."""

    def __init__(self, index: int, context: RehearsalContext, write: Write, receipts: ReceiptChecker) -> None:
        self._index = index
        self._context = context
        self._write = write
        self._receipts = receipts
        self._team = 0
        self._state: EventState | None = None
        self._pending: PendingBallot | None = None
        self._planned: tuple[int, int] | None = None
        self._vote_timers: list[asyncio.TimerHandle] = []
        self._resend_timer: asyncio.TimerHandle | None = None
        self._left = False

    def welcome(self, you: You, state: EventState) -> None:
        """Apply the state after joining.

        Adopts the ballot that the server already has, and resends an unsettled one.
        """
        self._team, self._state = you.team, state
        turn = self._turn()
        if self._pending is None and you.turn is not None and you.choice is not None:
            counted = BallotCounted(turn=you.turn, choice=you.choice, sequence=you.sequence)
            blinds = {counted.sequence: you.blind or ""}
            self._pending = PendingBallot(
                counted.turn, 1, counted.choice, counted.sequence, blinds, settled=True
            )
            self._count(counted, newest=True)
        elif self._pending and turn and turn.id == self._pending.turn:
            self._pending.apply_welcome(you)
        self._update_plan()
        self._resend()

    def apply_state(self, state: EventState) -> None:
        self._state = state
        self._update_plan()

    def _update_plan(self) -> None:
        if self._left:
            return
        turn = self._turn()
        if self._pending and (turn is None or turn.id != self._pending.turn):
            self._drop_ballot(self._pending)
        if turn and self._pending and self._pending.apply_epoch(turn):
            self._resend()
        plan = (turn.id, turn.closes_at) if turn and not turn.paused else None
        if plan != self._planned:
            self._planned = plan
            self._plan(turn)

    def counted(self, counted: BallotCounted) -> None:
        pending = self._pending
        newest = pending is not None and pending.counted(counted)
        self._count(counted, newest=newest)
        if newest and pending and pending.first_sent_ms is not None:
            self._context.ledger.ack_ms.add(self._context.clock.local_ms() - pending.first_sent_ms)
            self._cancel_resend()

    def _count(self, counted: BallotCounted, *, newest: bool) -> None:
        pending = self._pending
        blind = pending.blinds.get(counted.sequence, "") if pending and pending.turn == counted.turn else ""
        self._context.ledger.count_ballot(self._index, counted, newest=newest, blind=blind)

    def refused(self, refused: BallotRefused) -> None:
        self._context.ledger.refused[refused.code] += 1
        after = self._pending.refused(refused) if self._pending else "settled"
        if after == "now":
            self._resend()
        elif after == "soon":
            self._resend_in(RETRY_SOON_S * (0.5 + self._context.rng.random()))

    def cut_off(self) -> None:
        if self._pending and not self._pending.settled:
            self._pending.cut_off = True

    def leave(self) -> None:
        self._left = True
        self._cancel_resend()
        self._cancel_plan()

    def _match(self) -> Match | None:
        return self._state.match if self._state else None

    def _turn(self) -> Turn | None:
        match = self._match()
        return match.turn if match else None

    def _side(self, match: Match) -> Side:
        return SIDES[0] if match.red == self._team else SIDES[1]

    def _plan(self, turn: Turn | None) -> None:
        """Draw the times to vote once a turn, and again if its deadline moves before the first vote."""
        self._cancel_plan()
        match = self._match()
        if turn is None or match is None or turn.paused or self._pending or self._context.voting_over:
            return
        begins = max(self._context.clock.now_ms(), turn.opens_at)
        if self._side(match) not in turn.to_move or begins >= turn.closes_at:
            return
        loop = asyncio.get_running_loop()
        for moment in draw_moments(self._context.profile, begins, turn.closes_at, self._context.rng):
            self._vote_timers.append(loop.call_later(self._context.clock.until(moment), self._vote, turn.id))

    def _cancel_plan(self) -> None:
        for handle in self._vote_timers:
            handle.cancel()
        self._vote_timers.clear()

    def _vote(self, turn_id: int) -> None:
        match, turn = self._match(), self._turn()
        if match is None or turn is None or turn.id != turn_id or turn.paused:
            return
        mood = self._context.mood(match, turn, self._side(match))
        choice = mood.vote(self._context.rng, match.tally_method)
        sequence = self._pending.sequence + 1 if self._pending else 1
        before = self._pending.blinds if self._pending else {}
        blind = f"{self._context.rng.getrandbits(128):032x}"
        self._pending = PendingBallot(turn.id, turn.epoch, choice, sequence, {**before, sequence: blind})
        self._resend()

    def _resend(self, wait_s: float = RESEND_AFTER_S) -> None:
        """Send the pending ballot, with the same sequence number each time, until it is settled."""
        pending = self._pending
        if pending is None or pending.settled:
            return
        if self._write(pending.cast()):
            self._note_sent(pending)
        self._cancel_resend()
        self._resend_timer = asyncio.get_running_loop().call_later(wait_s, self._resend, RESEND_LATER_S)

    def _note_sent(self, pending: PendingBallot) -> None:
        """Start the time to the acknowledgment. It restarts after the crowd itself cut the phone off."""
        if pending.first_sent_ms is None:
            self._context.ledger.send_ballot(self._index, pending.turn)
        if pending.first_sent_ms is None or pending.cut_off:
            pending.first_sent_ms = self._context.clock.local_ms()
        pending.cut_off = False

    def _resend_in(self, seconds: float) -> None:
        self._cancel_resend()
        self._resend_timer = asyncio.get_running_loop().call_later(seconds, self._resend)

    def _cancel_resend(self) -> None:
        if self._resend_timer:
            self._resend_timer.cancel()
            self._resend_timer = None

    def _drop_ballot(self, pending: PendingBallot) -> None:
        """Give up the ballot of a turn that is over. An unsettled one counts as lost."""
        if not pending.settled and pending.first_sent_ms is not None:
            self._context.ledger.lose_ballot(pending.turn, cut_off=pending.cut_off)
        if pending.settled:
            self._receipts.turn_over(pending.turn, self._state)
        self._pending = None
        self._cancel_resend()
