"""A phone: a voter's seat and its ballots."""

from typing import ClassVar, cast

from games.engine.game import Side
from voting import protocol
from voting.ballot_box import Cast
from voting.ballots import Ballot
from voting.consumers.socket import CloseSocket, SocketConsumer
from voting.gateway import Gateway, gateway
from voting.hub import Room
from voting.intake import Slot
from voting.protocol import BallotCast, CloseCode, PhoneJoin, Refusal
from voting.seats import Seat, new_seat, read_seat, sign_seat
from voting.window import is_stored

REFUSALS: dict[int, Refusal] = {
    Cast.LATE: "late",
    Cast.UNKNOWN: "unknown",
    Cast.EARLY: "early",
    Cast.BUSY: "busy",
}


class PhoneConsumer(SocketConsumer):
    messages: ClassVar = protocol.PhoneMessage

    async def join(self, message: PhoneJoin, room: Room, gateway: Gateway) -> None:
        seat = self._known_seat(message, room) or await self._new_seat(message, room, gateway)
        if seat is None:
            return
        turn = room.turn
        ballot = await gateway.box.ballot_of(room.event_id, turn.id, seat.voter) if turn else None
        self.seat = seat
        if ballot and room.turn is turn:
            room.voted.add(seat.voter)
        await self.enter(
            room,
            lambda: protocol.PhoneWelcomed(
                now_at=gateway.now(),
                seq=room.seq,
                you=_you(seat, turn, ballot),
                state=room.state,
            ),
        )

    def _known_seat(self, message: PhoneJoin, room: Room) -> Seat | None:
        if message.token is None:
            return None
        seat = read_seat(message.token)
        if seat is None or seat.event_id != room.event_id:
            raise CloseSocket(CloseCode.BAD_TOKEN)
        return seat

    async def _new_seat(self, message: PhoneJoin, room: Room, gateway: Gateway) -> Seat | None:
        refusal = _refuse_newcomer(message, room.state)
        if refusal:
            self.wait_in(room)
            await self.tell(refusal)
            return None
        wish = None if room.state.team_choice == "balance" else message.team
        return new_seat(room.event_id, await gateway.box.seat(room.event_id, wish))

    async def hear(self, message: PhoneJoin | BallotCast, room: Room) -> None:
        if isinstance(message, PhoneJoin):
            await self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))
            return
        await self._cast(message, room)

    async def _cast(self, message: BallotCast, room: Room) -> None:
        seat, match = cast(Seat, self.seat), room.state.match
        if match is None or match.turn is None or match.turn.id != message.turn:
            await self._refuse(message, "no_such_turn")
            return
        side: Side = "red" if match.red == seat.team else "yellow"
        if refusal := _refuse_ballot(message, side, match.turn):
            await self._refuse(message, refusal)
            return
        turn = match.turn
        slot = Slot(room.event_id, turn.id, turn.epoch, is_stored(turn.closes_at - turn.opens_at))

        async def answer(code: int) -> None:
            await self._answer(message, seat, code, room)

        ballot = Ballot(seat.voter, side, message.column, message.sequence)
        await gateway().intake.take(slot, ballot, answer)

    async def _answer(self, message: BallotCast, seat: Seat, code: int, room: Room) -> None:
        if code in (Cast.OK, Cast.DUP):
            if room.turn and room.turn.id == message.turn:
                room.voted.add(seat.voter)
            await self.tell(
                protocol.BallotCounted(turn=message.turn, column=message.column, sequence=message.sequence)
            )
        elif code < 0:
            await self._refuse(message, "stale", last=-code)
        else:
            await self._refuse(message, REFUSALS[code])

    async def _refuse(self, message: BallotCast, code: Refusal, last: int = 0) -> None:
        await self.tell(
            protocol.BallotRefused(turn=message.turn, sequence=message.sequence, code=code, last=last)
        )


def _refuse_newcomer(message: PhoneJoin, state: protocol.EventState) -> protocol.ErrorTold | None:
    if state.lobby == "closed":
        return protocol.ErrorTold(code="lobby_closed", text="The doors are not open yet.", event=state)
    if state.lobby == "locked":
        return protocol.ErrorTold(code="joining_locked", text="No one new can join now.", event=state)
    if state.team_choice != "balance" and message.team is None:
        return protocol.ErrorTold(code="team_needed", text="Join again with a team.", event=state)
    return None


def _refuse_ballot(message: BallotCast, side: Side, turn: protocol.Turn) -> Refusal | None:
    if message.epoch > turn.epoch:
        return "unknown"
    if side not in turn.to_move:
        return "not_to_move"
    legal = turn.legal.red if side == "red" else turn.legal.yellow
    return None if message.column in legal else "illegal"


def _you(seat: Seat, turn: protocol.Turn | None, ballot: Ballot | None) -> protocol.You:
    token = sign_seat(seat)
    if turn is None or ballot is None:
        return protocol.You(token=token, team=seat.team)
    return protocol.You(
        token=token, team=seat.team, turn=turn.id, column=ballot.column, sequence=ballot.sequence
    )
