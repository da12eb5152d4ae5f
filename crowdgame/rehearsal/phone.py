"""A simulated phone: it joins, comes back by the close code's policy, and keeps its seat."""

import asyncio
import time

from crowdgame.rehearsal.hall import Hall
from crowdgame.rehearsal.line import Line
from crowdgame.rehearsal.side_changes import Turncoat
from crowdgame.rehearsal.voter import Voter
from voting import protocol
from voting.protocol import MAX_RETRY_MS, CloseCode

BACK_OFF_S = 0.5
BACK_OFF_MAX_S = 8.0
STAY_AWAY = range(4500, 5000)
BUSY = {CloseCode.TOO_SLOW, CloseCode.RESTARTING, CloseCode.CROWDED}
KNOCK_AGAIN_S = 3.0
NO_KEY = {"key_needed", "key_wrong", "key_used"}
CLOCK_FIRST_S = 2.0
CLOCK_EVERY_S = 15.0
SILENCE_S = 40.0


class Phone:
    """`away`: the server wants it to stay away. `trouble` is what went wrong last."""

    def __init__(self, index: int, hall: Hall) -> None:
        self.index = index
        self.away = False
        self.trouble = ""
        self._hall = hall
        self._line = Line(self)
        self._voter = Voter(index, hall, self._cast)
        self._turncoat = Turncoat(index, hall, self._change_side)
        self._seq = self._newest = -1
        self._state: protocol.EventState | None = None
        self._team = hall.team
        self._key: str | None = None
        self._attempts = 0
        self._seats_taken = 0
        self._retry_s: float | None = None
        self._cut_at_ballot_s: float | None = None
        self._left = False
        self._lost_at = 0.0
        self._heard_at = 0.0
        self._coming: asyncio.TimerHandle | None = None
        self._knocking: asyncio.TimerHandle | None = None
        self._asking: asyncio.TimerHandle | None = None

    @property
    def joined(self) -> bool:
        return self._seq >= 0

    def come(self) -> None:
        """For the first time, or back."""
        self._lost_at = self._lost_at or time.perf_counter()
        self._line.dial(self._hall.address)

    def leave(self) -> None:
        """Switched off."""
        self._left = True
        self._forget_timers()
        if self._coming:
            self._coming.cancel()
        self._voter.leave()
        self._turncoat.leave()
        self._line.hang_up()

    def cut(self, back_s: float, *, at_ballot: bool = False) -> None:
        """Lose the network: now or just after the next ballot went out. It comes back within so long."""
        if at_ballot:
            self._cut_at_ballot_s = back_s
        elif self.joined:
            self._retry_s = back_s
            self._voter.cut_off()
            self._line.cut()

    def opened(self) -> None:
        self._heard_at = time.perf_counter()
        self._key = None
        self._knock()

    def closed(self, code: int | None, trouble: str) -> None:
        self.trouble = "" if code in BUSY else trouble
        self._lost_at = time.perf_counter() if self.joined else self._lost_at
        self._hall.connected -= self.joined
        self._seq = -1
        self._forget_timers()
        if self._left:
            return
        if self._comes_back(code):
            self._coming = asyncio.get_running_loop().call_later(self._pause_s(), self.come)
        else:
            self.away = True
            self._voter.leave()

    def _comes_back(self, code: int | None) -> bool:
        """A seat that is no longer good is given up, as a person would who joins anew."""
        if code == CloseCode.BAD_TOKEN and self._hall.tokens.pop(self.index, ""):
            return True
        if code in STAY_AWAY:
            self._hall.ledger.away[str(code)] += 1
            return False
        if self._retry_s is None or code is not None:
            self._hall.ledger.closed[str(code or "no word")] += 1
        return True

    def _pause_s(self) -> float:
        """As the server said before it closed, else longer with every attempt in vain."""
        limit, self._retry_s = self._retry_s, None
        if limit is None:
            limit = min(BACK_OFF_MAX_S, BACK_OFF_S * 2**self._attempts)
            self._attempts = min(self._attempts + 1, 10)
        return self._hall.rng.uniform(0, limit)

    def _knock(self) -> None:
        token = self._hall.tokens.get(self.index)
        join = protocol.PhoneJoin(code=self._hall.code, token=token, team=self._team, key=self._key)
        self._line.write(join)

    def _knock_again(self) -> None:
        """The time before a closed door is not the server's."""
        self._lost_at = time.perf_counter()
        self._key = None
        self._knock()

    def _cast(self, ballot: protocol.BallotCast) -> bool:
        sent = self.joined and self._line.write(ballot)
        if sent and self._cut_at_ballot_s is not None:
            back_s, self._cut_at_ballot_s = self._cut_at_ballot_s, None
            asyncio.get_running_loop().call_soon(self.cut, back_s)
        return sent

    def _change_side(self, change: protocol.SideChange) -> bool:
        return self.joined and self._line.write(change)

    def _ask_time(self) -> None:
        """And look alive; a server that was silent for long is gone without a word."""
        if time.perf_counter() - self._heard_at > SILENCE_S:
            self._line.cut()
            return
        self._line.write(protocol.ClockAsk(sent=self._hall.clock.local_ms()))
        self._ask_time_in(CLOCK_EVERY_S * self._hall.rng.uniform(0.8, 1.2))

    def _ask_time_in(self, seconds: float) -> None:
        self._asking = asyncio.get_running_loop().call_later(seconds, self._ask_time)

    def _forget_timers(self) -> None:
        for timer in (self._knocking, self._asking):
            if timer:
                timer.cancel()

    def hear_noise(self) -> None:
        self._hall.ledger.unreadable += 1

    def hear(self, message: protocol.ToPhone) -> None:
        self._heard_at = time.perf_counter()
        self._turncoat.hear(message)
        match message:
            case protocol.BallotCounted():
                self._voter.counted(message)
            case protocol.Change():
                self._change(message)
            case protocol.BallotRefused():
                self._voter.refused(message)
            case protocol.ClockTold():
                self._hall.clock.told(message.sent, message.now_at)
            case protocol.PhoneWelcomed():
                self._welcome(message)
            case protocol.RetryTold():
                self._hall.ledger.retries += 1
                self._retry_s = min(message.within_ms, MAX_RETRY_MS) / 1000
            case protocol.ErrorTold():
                self._error(message)

    def _welcome(self, welcomed: protocol.PhoneWelcomed) -> None:
        hall, took_ms = self._hall, (time.perf_counter() - self._lost_at) * 1000
        (hall.ledger.back_ms if self._seats_taken else hall.ledger.join_ms).add(took_ms)
        hall.ledger.reconnects += bool(self._seats_taken)
        hall.ledger.joined += not self._seats_taken
        hall.connected += 1
        hall.answered.set()
        hall.tokens[self.index], hall.teams[self.index] = welcomed.you.token, welcomed.you.team
        hall.clock.welcome(welcomed.now_at)
        self._seats_taken += 1
        self._attempts = 0
        went_back, self._newest = welcomed.seq < self._newest, welcomed.seq
        self._seq, self._state = welcomed.seq, welcomed.state
        self._ask_time_in(hall.rng.uniform(0, CLOCK_FIRST_S))
        self._voter.welcome(welcomed.you, welcomed.state)
        self._turncoat.welcome(welcomed.you.team, welcomed.you.changes, welcomed.state)
        hall.hear(welcomed.seq, welcomed.state, went_back=went_back)

    def _change(self, change: protocol.Change) -> None:
        if not self.joined or change.seq <= self._seq:
            return
        before, self._seq, self._state = self._state, change.seq, change.state
        self._newest = change.seq
        self._hall.hear(change.seq, change.state)
        if isinstance(change, protocol.TurnRevealed):
            self._revealed(before, change.state)
        self._voter.see(change.state)
        self._turncoat.see(change.state)

    def _revealed(self, before: protocol.EventState | None, state: protocol.EventState) -> None:
        reveal = state.match.reveal if state.match else None
        turn = before.match.turn if before and before.match else None
        if reveal and turn and turn.id == reveal.turn:
            self._hall.ledger.tell(reveal, turn.closes_at, self._hall.clock.now_ms())

    def _find_key(self, event: protocol.EventState | None) -> bool:
        """Once: a key that is not taken is not tried again."""
        if self._key is not None or event is None:
            return False
        self._key = self._hall.key_of(self.index, event)
        return self._key is not None

    def _error(self, error: protocol.ErrorTold) -> None:
        self._hall.ledger.errors[error.code] += 1
        self._hall.answered.set()
        self.trouble = error.text
        if error.code == "team_needed":
            self._team = self.index % 2 + 1
            self._knock()
        elif error.code == "key_needed" and self._find_key(error.event):
            self._knock()
        elif error.code in NO_KEY:
            self.away = True
        elif error.code in ("lobby_closed", "joining_locked", "hands_only"):
            pause_s = KNOCK_AGAIN_S * self._hall.rng.uniform(0.5, 1.5)
            self._knocking = asyncio.get_running_loop().call_later(pause_s, self._knock_again)
