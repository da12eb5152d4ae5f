"""The socket of a phone: seats a voter, then takes its ballots, cheers and requests."""

import secrets
import time
from typing import Any, ClassVar, cast

from msgspec.structs import replace as replace_fields

from games.engine.game import Side
from voting import protocol
from voting.admission.seats import Seat, sign_seat
from voting.ballot_box.box_types import CastResult
from voting.ballot_box.intake import REFUSED_BALLOTS, Slot
from voting.counting.ballots import Ballot
from voting.gateway.admission_queue import AdmittedVoter, RetryLater
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import gateway
from voting.gateway.phone_admission import admit_phone
from voting.gateway.phone_requests import PhoneRequests, Request
from voting.gateway.socket import SocketConsumer
from voting.gateway.supplements import write_to_few
from voting.gateway.ticket_claims import GUESSED_RETRY_MS, AdmissionDenied
from voting.gateway.voters import ConnectedVoter
from voting.metrics.metrics import JOINS, count_refusal
from voting.protocol import (
    BallotCast,
    CheerSend,
    ErrorCode,
    PhoneJoin,
    PhoneMessage,
    Refusal,
    SideChangeAsk,
)
from voting.turns.long_windows import LONG_WINDOW_MS
from voting.turns.side_change_store import SideChangeRequest

RETURNED, SEATED = JOINS.labels("returned"), JOINS.labels("seated")
CHEERS_PER_SECOND = 4.0
MAX_WRONG_KEYS = 10
COUNTED_CODES = frozenset({int(CastResult.OK), int(CastResult.DUPLICATE)})
REFUSAL_BY_CODE: dict[int, Refusal] = {
    CastResult.LATE: "late",
    CastResult.UNKNOWN: "unknown",
    CastResult.EARLY: "early",
    CastResult.BUSY: "busy",
}
DENIAL_TEXTS: dict[ErrorCode, str] = {
    "lobby_closed": "The lobby isn't open yet.",
    "joining_locked": "Joining is locked.",
    "team_needed": "Join again with a team.",
    "key_needed": "Join again with a key.",
    "key_wrong": "The key is not valid.",
    "key_used": "Another device joined with this ticket.",
    "hands_only": "Both teams vote without phones.",
}


class PhoneConsumer(SocketConsumer):
    kind: ClassVar = "phone"
    messages: ClassVar = protocol.PhoneMessage
    voter: ConnectedVoter
    _claimed: tuple[int, float] | None = None
    _requests: PhoneRequests | None = None
    _cheers_until = 0.0
    _wrong_keys = 0

    def leave(self) -> None:
        """Leave the room.

        Releases the ticket claimed here if no frame followed the claim: the phone may never have received its
        seat.
        """
        super().leave()
        if self._requests:
            self._requests.cancel()
            self._requests = None  # its cancelled tasks still refer to this consumer
        if self.room and self._claimed and self._claimed[1] == self._frames_until:
            self.room.ticket_claims.release(self._claimed[0])
            self._claimed = None

    async def join(self, message: PhoneJoin, room: EventRoom) -> None:
        """Seat the phone, or refuse it with an Error and let it wait without a seat.

        Raises CloseSocket (BAD_TOKEN, BANNED, KICKED), RetryLater (also after MAX_WRONG_KEYS),
        redis.RedisError, OSError and DATABASE_ERRORS.
        """
        try:
            admitted = await admit_phone(message, room, room.now())
        except AdmissionDenied as denied:
            self._refuse_join(denied.code, room)
            return
        (SEATED if message.token is None else RETURNED).inc()
        self._claimed = (admitted.ticket, self._frames_until) if admitted.ticket else None
        self._take_seat(admitted, room)
        self._welcome(self._voter_state(admitted, room), room)

    def _refuse_join(self, code: ErrorCode, room: EventRoom) -> None:
        """Send an Error and keep the phone without a seat. Raises RetryLater."""
        self._wrong_keys += code == "key_wrong"
        if self._wrong_keys > MAX_WRONG_KEYS:
            raise RetryLater(GUESSED_RETRY_MS)
        room.admission_queue.check_unseated(self)
        JOINS.labels("refused").inc()
        self.wait_unseated(room)
        self.send(protocol.Error(code=code, text=DENIAL_TEXTS[code], event=room.state))

    def _welcome(self, you: protocol.You, room: EventRoom) -> None:
        state: Any = room.encoded_state
        welcome = protocol.PhoneWelcomed(now_at=room.now(), seq=room.seq, you=you, state=state)
        self.enter_room(room, welcome)
        if counts := room.last_sent.teams.get(you.team):
            self.write(counts)

    def welcome_again(self, ballot: Ballot | None = None) -> None:
        """Send a new welcome. After a move, no ballot: those for the other team don't count here."""
        if self.room:
            turn_ref = self.room.turn_ref if ballot else (0, 0)
            self._welcome(
                self._voter_state(AdmittedVoter(self.voter.seat, turn_ref, ballot), self.room), self.room
            )

    def _take_seat(self, admitted: AdmittedVoter, room: EventRoom) -> None:
        self.seat = admitted.seat
        self.voter = room.add_voter(self, admitted.seat)
        if admitted.ballot and self._is_for_team(admitted.ballot, admitted.turn_ref[0], room):
            room.count_vote(self.voter, admitted.turn_ref)

    def _is_for_team(self, ballot: Ballot, turn_id: int, room: EventRoom) -> bool:
        poll = room.poll
        return poll is None or poll.turn_id != turn_id or poll.sides[self.voter.team] == ballot.side

    def _voter_state(self, admitted: AdmittedVoter, room: EventRoom) -> protocol.You:
        ballot, (turn, _) = admitted.ballot, admitted.turn_ref
        side_changes = room.side_change_queue.accepted_changes(self.voter.seat.voter)
        you = protocol.You(
            token=sign_seat(self.voter.seat),
            team=self.voter.team,
            voter_code=self.voter.voter_code,
            side_changes=side_changes,
        )
        if ballot is None:
            return you
        if not self._is_for_team(ballot, turn, room):
            return replace_fields(you, turn=turn, sequence=ballot.sequence)
        choice, sequence, blind = ballot.choice, ballot.sequence, ballot.blind
        return replace_fields(you, turn=turn, choice=choice, sequence=sequence, blind=blind)

    def handle_joined(self, message: PhoneMessage, room: EventRoom) -> None:
        if self not in room.sockets.phones:
            return  # evicted, but not closed yet
        if isinstance(message, BallotCast):
            self._vote(message, room)
        elif isinstance(message, CheerSend):
            self._cheer(message.presses, room)
        elif isinstance(message, SideChangeAsk):
            room.side_change_queue.take(self, _side_change_request(self.voter, message))
        elif isinstance(message, Request):
            self._requests = self._requests or PhoneRequests(self)
            self._requests.handle(message, room)
        else:
            self.send(protocol.Error(code="joined_already", text="one join per socket"))

    def _vote(self, message: BallotCast, room: EventRoom) -> None:
        poll, voter = room.poll, self.voter
        voted, now = voter.voted_in == room.turn_ref, room.now()
        refusal = poll.refusal(voter.team, message, now, voted=voted) if poll else "no_such_turn"
        if poll is None or refusal is not None:
            REFUSED_BALLOTS.inc()
            self._refuse(message.turn, message.sequence, refusal or "no_such_turn")
            return
        ballot = _build_ballot(voter.seat, poll.sides[voter.team], message)
        poll.queue_for(ballot.voter).add(ballot, self, closes_soon=poll.closes_soon(now))

    def _cheer(self, presses: int, room: EventRoom) -> None:
        """Count cheers between turns. Drops those over the rate limit, and those during a vote or reveal."""
        now = time.monotonic()
        until = max(self._cheers_until, now) + 1 / CHEERS_PER_SECOND
        if until > now + 1:
            count_refusal("cheer")
        elif room.is_between_turns(room.now()):
            self._cheers_until = until
            room.heartbeat.cheers.press(self.voter.team, presses)

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        """Send the result of a ballot. `code` is a CastResult, or below 0 minus the last sequence accepted.

        Sends nothing if the voter was moved meanwhile: the ballot was for the other team.
        """
        room = cast(EventRoom, self.room)
        if not self._is_for_team(ballot, slot.turn_id, room):
            return
        if code in COUNTED_CODES:
            first = self.voter.voted_in != (slot.turn_id, slot.epoch)
            room.count_vote(self.voter, (slot.turn_id, slot.epoch))
            if room.is_one_on_one and first:
                gateway().check_pick(room)
            self.send(
                protocol.BallotCounted(
                    turn=slot.turn_id, choice=ballot.choice, sequence=ballot.sequence, now_at=room.now()
                )
            )
            self._send_to_others(slot, ballot, room)
            return
        if code == CastResult.UNKNOWN and _closes_late(room):
            gateway().request_clock_check(room)  # the scheduler checks long windows only rarely
        if code < 0:
            self._refuse(slot.turn_id, ballot.sequence, "stale", last=-code)
        else:
            self._refuse(slot.turn_id, ballot.sequence, REFUSAL_BY_CODE[code])

    def _send_to_others(self, slot: Slot, ballot: Ballot, room: EventRoom) -> None:
        """Send the ballot to the other sockets of its voter, which show an earlier one."""
        voter = room.voters.get(ballot.voter)
        if others := [socket for socket in voter.sockets if socket is not self] if voter else []:
            choice, sequence, blind = ballot.choice, ballot.sequence, ballot.blind
            changed = protocol.BallotChanged(turn=slot.turn_id, choice=choice, sequence=sequence, blind=blind)
            write_to_few(others, changed)

    def _refuse(self, turn: int, sequence: int, code: Refusal, last: int = 0) -> None:
        self.send(protocol.BallotRefused(turn=turn, sequence=sequence, code=code, last=last))


def _closes_late(room: EventRoom) -> bool:
    return room.turn is not None and room.turn.closes_at > room.now() + LONG_WINDOW_MS


def _build_ballot(seat: Seat, side: Side, message: BallotCast) -> Ballot:
    blind = message.blind or secrets.token_hex(16)
    return Ballot(seat.voter, side, message.choice, message.sequence, blind=blind)


def _side_change_request(voter: ConnectedVoter, asked: SideChangeAsk) -> SideChangeRequest:
    blind = asked.blind or secrets.token_hex(16)
    return SideChangeRequest(voter.seat.voter, voter.team, asked.turn, asked.number, asked.team, blind)
