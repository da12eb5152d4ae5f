"""A gateway's beat: it tells the box whom it holds, and its rooms what all gateways hold together."""

import msgspec
from asgiref.sync import sync_to_async

from voting import protocol
from voting.ballot_box import AsyncBallotBox, Turnout
from voting.box_clock import BoxClock, local_ms
from voting.deadlines import arm_early_close
from voting.hub import Room
from voting.peek import Peek
from voting.playbill import Playbill

UNANIMOUS_BEATS = 2


class Presence:
    """Of the gateway `name`; its clock learns from each beat. All of it raises redis.RedisError."""

    def __init__(self, name: str, box: AsyncBallotBox, clock: BoxClock) -> None:
        self._name = name
        self._box = box
        self._clock = clock
        self.playbill = Playbill(box)
        self._peek = Peek(box)

    async def beat(self, room: Room) -> Turnout:
        asked = local_ms()
        turnout = await self._box.beat(
            room.event_id, self._name, room.occasion, room.connected(), room.waiting()
        )
        self._clock.learn(turnout.now, asked, local_ms())
        return turnout

    async def tell(self, room: Room, *, phones: bool) -> None:
        """Beat, and tell the screens of it, and if `phones` is set everybody."""
        occasion = room.occasion
        turnout = await self.beat(room)
        if room.occasion == occasion:  # else it counts the ballots of a turn that is over
            await room.tell_turnout(_turnout_of(room, turnout), phones=phones)
        if room.consoles:
            room.tell_rehearsal(await self.playbill.watch(room.event_id))
            await self._tell_counts(room)
        if room.occasion == occasion:
            await _close_early(room, turnout)

    async def _tell_counts(self, room: Room) -> None:
        """To the control rooms, if everybody knows that they see them, and while they still change."""
        match, turn = room.state.match, room.turn
        if not room.state.peek or match is None or turn is None or turn.paused:
            return
        if not turn.opens_at <= self._clock.now() < turn.closes_at:
            return
        told = await self._peek.counts(room.event_id, turn.id, match.board.columns)
        if room.state.peek and room.turn == turn:
            frame = msgspec.json.encode(told).decode()
            for console in room.consoles:
                console.write(frame)

    async def leave(self, room: Room) -> None:
        await self._box.leave(room.event_id, self._name)


def _turnout_of(room: Room, turnout: Turnout) -> protocol.TurnoutCounted:
    voted = {room.team_of("red"): turnout.red, room.team_of("yellow"): turnout.yellow}
    return protocol.TurnoutCounted(
        turn=room.turn.id if room.turn else None,
        connected=turnout.connected,
        voted=(voted.get(1, 0), voted.get(2, 0)),
    )


async def _close_early(room: Room, turnout: Turnout) -> None:
    turn, match = room.turn, room.state.match
    if turn is None or match is None or not match.close_early or turn.paused:
        return
    unanimous = turnout.waiting == 0 and turnout.red + turnout.yellow > 0
    room.unanimous_beats = room.unanimous_beats + 1 if unanimous else 0
    open_now = turn.opens_at <= turnout.now < turn.closes_at
    if open_now and room.unanimous_beats >= UNANIMOUS_BEATS:
        await sync_to_async(arm_early_close, thread_sensitive=False)(turn.id, turn.closes_at)
