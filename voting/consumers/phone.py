"""A phone: a voter's seat and its ballots."""

from typing import ClassVar, cast

from voting import protocol
from voting.ballot_box import Cast
from voting.ballots import Ballot
from voting.consumers.socket import CloseSocket, SocketConsumer
from voting.door import Entry
from voting.gateway import Gateway, gateway
from voting.hub import Room, Voter
from voting.intake import REFUSED, Slot
from voting.metrics import JOINS
from voting.protocol import BallotCast, CloseCode, PhoneJoin, Refusal
from voting.seats import Seat, read_seat, sign_seat

RETURNED, SEATED = JOINS.labels("returned"), JOINS.labels("seated")
COUNTED = frozenset({int(Cast.OK), int(Cast.DUP)})
REFUSALS: dict[int, Refusal] = {
    Cast.LATE: "late",
    Cast.UNKNOWN: "unknown",
    Cast.EARLY: "early",
    Cast.BUSY: "busy",
}


class PhoneConsumer(SocketConsumer):
    kind: ClassVar = "phone"
    messages: ClassVar = protocol.PhoneMessage
    voter: Voter

    async def join(self, message: PhoneJoin, room: Room, gateway: Gateway) -> None:
        seat = _known_seat(message, room)
        refusal = _refuse_newcomer(message, room.state) if seat is None else None
        if refusal:
            gateway.door(room).check_stranger(self)
            JOINS.labels("refused").inc()
            self.wait_in(room)
            self.tell(refusal)
            return
        wish = None if room.state.team_choice == "balance" else message.team
        entry = await gateway.door(room).let_in(seat, wish)
        (RETURNED if seat else SEATED).inc()
        self._sit(entry, room)
        self.enter(
            room,
            protocol.PhoneWelcomed(now_at=gateway.now(), seq=room.seq, you=_you(entry), state=room.state),
        )

    def _sit(self, entry: Entry, room: Room) -> None:
        self.seat = entry.seat
        self.voter = room.sit(self, entry.seat)
        if entry.ballot:
            room.count_vote(self.voter, entry.occasion)

    async def hear(self, message: PhoneJoin | BallotCast, room: Room) -> None:
        if isinstance(message, PhoneJoin):
            self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))
            return
        poll, seat = room.poll, cast(Seat, self.seat)
        refusal = poll.refusal(seat.team, message, gateway().now()) if poll else "no_such_turn"
        if poll is None or refusal is not None:
            REFUSED.inc()
            self._refuse(message.turn, message.sequence, refusal or "no_such_turn")
            return
        poll.lane.take(Ballot(seat.voter, poll.sides[seat.team], message.column, message.sequence), self)

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        if code in COUNTED:
            cast(Room, self.room).count_vote(self.voter, (slot.turn_id, slot.epoch))
            self.tell(
                protocol.BallotCounted(turn=slot.turn_id, column=ballot.column, sequence=ballot.sequence)
            )
        elif code < 0:
            self._refuse(slot.turn_id, ballot.sequence, "stale", last=-code)
        else:
            self._refuse(slot.turn_id, ballot.sequence, REFUSALS[code])

    def _refuse(self, turn: int, sequence: int, code: Refusal, last: int = 0) -> None:
        self.tell(protocol.BallotRefused(turn=turn, sequence=sequence, code=code, last=last))


def _known_seat(message: PhoneJoin, room: Room) -> Seat | None:
    if message.token is None:
        return None
    seat = read_seat(message.token)
    if seat is None or seat.event_id != room.event_id:
        raise CloseSocket(CloseCode.BAD_TOKEN)
    return seat


def _refuse_newcomer(message: PhoneJoin, state: protocol.EventState) -> protocol.ErrorTold | None:
    if state.lobby == "closed":
        return protocol.ErrorTold(code="lobby_closed", text="The doors are not open yet.", event=state)
    if state.lobby == "locked":
        return protocol.ErrorTold(code="joining_locked", text="No one new can join now.", event=state)
    if state.team_choice != "balance" and message.team is None:
        return protocol.ErrorTold(code="team_needed", text="Join again with a team.", event=state)
    return None


def _you(entry: Entry) -> protocol.You:
    token, team, ballot = sign_seat(entry.seat), entry.seat.team, entry.ballot
    if ballot is None:
        return protocol.You(token=token, team=team)
    return protocol.You(
        token=token, team=team, turn=entry.occasion[0], column=ballot.column, sequence=ballot.sequence
    )
