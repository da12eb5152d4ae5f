"""A simulated phone (bot): joins, reconnects as the close code demands, and keeps its seat token."""

import asyncio
import time
from functools import partial

from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.phone_connection import PhoneConnection
from crowdgame.rehearsal.receipt_checker import ReceiptChecker
from crowdgame.rehearsal.side_changer import SideChanger
from crowdgame.rehearsal.simulated_voter import SimulatedVoter
from voting import protocol
from voting.protocol import MAX_RETRY_MS, CloseCode

BACK_OFF_S = 0.5
BACK_OFF_MAX_S = 8.0
# A range finds an int at once, but compares None with each of its members: 30 µs for a lost connection.
STAY_AWAY = range(4500, 5000)
CLOSED_BY_GATEWAY = range(4000, 5000)
RETRY_JOIN_S = 3.0
NO_KEY = {"key_needed", "key_wrong", "key_used"}
CLOCK_FIRST_S = 2.0
CLOCK_CHECK_S = 15.0
CLOCK_FRESH_S = 45.0
QUIET_S = 20.0
SERVER_TIMEOUT_S = 40.0


class Phone:
    """One phone of a simulated crowd. `away`: the server has refused it for good.

    `failure` is the last error. `is_unreachable`: its last connection failed, or ended without a close code
    of a gateway.
    """

    def __init__(self, index: int, context: RehearsalContext) -> None:
        self.index = index
        self.away = False
        self.failure = ""
        self.is_unreachable = False
        self._context = context
        self._connection = PhoneConnection(self)
        self._receipts = ReceiptChecker(index, context, self._write)
        self._voter = SimulatedVoter(index, context, self._cast, self._receipts)
        self._side_changer = SideChanger(index, context, self._write)
        self._seq = self._newest = -1
        self._state: protocol.EventState | None = None
        self._team = context.team
        self._key: str | None = None
        self._attempts = 0
        self._seats_taken = 0
        self._retry_s: float | None = None
        self._cut_at_ballot_s: float | None = None
        self._left = False
        self._lost_at = 0.0
        self._received_at = self._time_learned_at = 0.0
        self._reconnect_timer: asyncio.TimerHandle | None = None
        self._join_timer: asyncio.TimerHandle | None = None
        self._clock_timer: asyncio.TimerHandle | None = None

    @property
    def joined(self) -> bool:
        return self._seq >= 0

    def connect(self) -> None:
        """Connect or reconnect, as soon as a dial slot is free."""
        self._lost_at = self._lost_at or time.perf_counter()
        self._connection.dial(self._context.address)

    def leave(self) -> None:
        """Disconnect for good."""
        self._left = True
        self._cancel_timers()
        if self._reconnect_timer:
            self._reconnect_timer.cancel()
        self._voter.leave()
        self._receipts.leave()
        self._side_changer.leave()
        self._connection.hang_up()

    def drop_connection(self, back_s: float, *, at_ballot: bool = False) -> None:
        """Simulate a network loss, now or just after the next ballot. Reconnects within `back_s` seconds."""
        if at_ballot:
            self._cut_at_ballot_s = back_s
        elif self.joined:
            self._retry_s = back_s
            self._voter.cut_off()
            self._connection.drop_connection()

    def opened(self) -> None:
        self._received_at = time.perf_counter()
        self._key = None
        self._send_join()

    def closed(self, code: int | None, failure: str) -> None:
        self.failure, self.is_unreachable = failure, (code or 0) not in CLOSED_BY_GATEWAY
        self._lost_at = time.perf_counter() if self.joined else self._lost_at
        self._context.connected -= self.joined
        self._seq = -1
        self._cancel_timers()
        if self._left:
            return
        if self._reconnects(code):
            self._reconnect_timer = asyncio.get_running_loop().call_later(
                self._reconnect_delay_s(), self.connect
            )
        else:
            self.away = True
            self._voter.leave()

    def _reconnects(self, code: int | None) -> bool:
        """Whether to reconnect after close code `code`; None stands for a lost connection.

        A phone whose seat token is invalid drops it and joins as a new voter.
        """
        if code == CloseCode.BAD_TOKEN and self._context.tokens.pop(self.index, ""):
            return True
        if (code or 0) in STAY_AWAY:
            self._context.ledger.away[str(code)] += 1
            return False
        if self._retry_s is None or code is not None:
            self._context.ledger.closed[str(code or "no word")] += 1
        return True

    def _reconnect_delay_s(self) -> float:
        """Return a random delay up to the server's limit, else up to an exponential backoff."""
        limit, self._retry_s = self._retry_s, None
        if limit is None:
            limit = min(BACK_OFF_MAX_S, BACK_OFF_S * 2**self._attempts)
            self._attempts = min(self._attempts + 1, 10)
        return self._context.rng.uniform(0, limit)

    def _send_join(self) -> None:
        token = self._context.tokens.get(self.index)
        join = protocol.PhoneJoin(code=self._context.code, token=token, team=self._team, key=self._key)
        self._connection.write(join)

    def _retry_join(self) -> None:
        """Join again after a refusal. The time spent waiting does not count as the server's."""
        self._lost_at = time.perf_counter()
        self._key = None
        self._send_join()

    def _cast(self, ballot: protocol.BallotCast) -> bool:
        sent = self._write(ballot)
        if sent and self._cut_at_ballot_s is not None:
            back_s, self._cut_at_ballot_s = self._cut_at_ballot_s, None
            asyncio.get_running_loop().call_soon(self.drop_connection, back_s)
        return sent

    def _write(self, message: protocol.PhoneMessage) -> bool:
        return self.joined and self._connection.write(message)

    def _sync_clock(self) -> None:
        """Ask for the server's time, unless a recent answer contained it. Keeps the connection alive, too.

        Drops the connection if the server has been silent for SERVER_TIMEOUT_S.
        """
        now = time.perf_counter()
        if now - self._received_at > SERVER_TIMEOUT_S:
            self._connection.drop_connection()
            return
        if now > min(self._time_learned_at + CLOCK_FRESH_S, self._received_at + QUIET_S):
            self._connection.write(protocol.ClockAsk(sent=self._context.clock.local_ms()))
        self._sync_clock_in(CLOCK_CHECK_S * self._context.rng.uniform(0.8, 1.2))

    def _sync_clock_in(self, seconds: float) -> None:
        self._clock_timer = asyncio.get_running_loop().call_later(seconds, self._sync_clock)

    def _cancel_timers(self) -> None:
        for timer in (self._join_timer, self._clock_timer):
            if timer:
                timer.cancel()

    def receive_unreadable(self) -> None:
        self._context.ledger.unreadable += 1

    def receive(self, message: protocol.ToPhone) -> None:
        self._received_at = time.perf_counter()
        if isinstance(message, protocol.Change):
            self._change(message)
        elif not isinstance(message, protocol.TurnSealed):
            self._receive_own(message)

    def _receive_own(self, message: protocol.ToPhone) -> None:
        self._side_changer.receive(message)
        match message:
            case protocol.BallotCounted():
                self._time_learned_at = self._received_at if message.now_at else 0.0
                self._voter.counted(message)
            case protocol.BallotRefused():
                self._voter.refused(message)
            case protocol.ReceiptIssued():
                self._receipts.receive(message)
            case protocol.ClockSynced():
                self._time_learned_at = self._received_at
                self._context.clock.sync(message.sent, message.now_at)
            case protocol.PhoneWelcomed():
                self._welcome(message)
            case protocol.RetryAfter():
                self._context.ledger.retries += 1
                self._retry_s = min(message.within_ms, MAX_RETRY_MS) / 1000
            case protocol.Error():
                self._error(message)

    def _welcome(self, welcomed: protocol.PhoneWelcomed) -> None:
        context, took_ms = self._context, (time.perf_counter() - self._lost_at) * 1000
        (context.ledger.back_ms if self._seats_taken else context.ledger.join_ms).add(took_ms)
        context.ledger.reconnects += bool(self._seats_taken)
        context.ledger.joined += not self._seats_taken
        context.connected += 1
        context.answered.set()
        context.tokens[self.index], context.teams[self.index] = welcomed.you.token, welcomed.you.team
        context.clock.welcome(welcomed.now_at)
        self._seats_taken += 1
        self._attempts = 0
        went_back, self._newest = welcomed.seq < self._newest, welcomed.seq
        self._seq, self._state = welcomed.seq, welcomed.state
        self._time_learned_at = 0.0
        self._sync_clock_in(context.rng.uniform(0, CLOCK_FIRST_S))
        self._voter.welcome(welcomed.you, welcomed.state)
        self._side_changer.welcome(welcomed.you.team, welcomed.you.side_changes, welcomed.state)
        context.receive(welcomed.seq, welcomed.state, went_back=went_back)

    def _change(self, change: protocol.Change) -> None:
        """Note a change and when it arrived. The rest is deferred to the agenda."""
        if not self.joined or change.seq <= self._seq:
            return
        before, self._seq, self._state = self._state, change.seq, change.state
        self._newest = change.seq
        self._context.receive(change.seq, change.state)
        self._context.agenda.add(partial(self._apply, change, before, self._received_at * 1000))

    def _apply(self, change: protocol.Change, before: protocol.EventState | None, received_ms: float) -> None:
        """Record a reveal, and plan by the new state unless a newer one has replaced it."""
        if isinstance(change, protocol.TurnRevealed):
            self._revealed(before, change.state, received_ms)
        if change.state is self._state and not self._left:
            self._voter.apply_state(change.state)
            self._side_changer.apply_state(change.state)

    def _revealed(
        self, before: protocol.EventState | None, state: protocol.EventState, received_ms: float
    ) -> None:
        match, turn = state.match, before.match.turn if before and before.match else None
        if match and match.reveal and turn and turn.id == match.reveal.turn:
            self._context.ledger.record_reveal(match, turn.closes_at, self._context.clock.at(received_ms))

    def _find_key(self, event: protocol.EventState | None) -> bool:
        """Look for an admission key. A refused key is not tried again."""
        if self._key is not None or event is None:
            return False
        self._key = self._context.find_key(self.index, event)
        return self._key is not None

    def _error(self, error: protocol.Error) -> None:
        self._context.ledger.errors[error.code] += 1
        self._context.answered.set()
        self.failure = error.text
        if error.code == "team_needed":
            self._team = self.index % 2 + 1
            self._send_join()
        elif error.code == "key_needed" and self._find_key(error.event):
            self._send_join()
        elif error.code in NO_KEY:
            self.away = True
        elif error.code in ("lobby_closed", "joining_locked", "hands_only"):
            pause_s = RETRY_JOIN_S * self._context.rng.uniform(0.5, 1.5)
            self._join_timer = asyncio.get_running_loop().call_later(pause_s, self._retry_join)
