"""A message is encoded once and written to all; what says nothing new is not written again."""

import asyncio
import time
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from voting import protocol
from voting.gateway.event_room import EventRoom
from voting.gateway.voters import ConnectedVoter, Socket
from voting.metrics.metrics import BROADCAST_S

WRITES_PER_ITERATION = 200


def encode(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()


def write_to_few(sockets: Iterable[Socket], message: msgspec.Struct) -> None:
    frame = encode(message)
    for socket in sockets:
        socket.write(frame)


async def write_to_all(sockets: Iterable[Socket], frame: str) -> None:
    """Others get their turn in between, so that an ack does not wait for a broadcast."""
    for number, socket in enumerate(sockets, 1):
        socket.write(frame)
        if number % WRITES_PER_ITERATION == 0:
            await asyncio.sleep(0)


async def broadcast(room: EventRoom, frame: bytes) -> None:
    began = time.monotonic()
    await write_to_all([*room.screens, *room.phones], frame.decode())
    BROADCAST_S.observe(time.monotonic() - began)


async def send_turnout(room: EventRoom, turnout: protocol.TurnoutCounted, *, phones: bool) -> None:
    """Tell what is new to the screens, and if `phones` is set to everybody."""
    frame = encode(turnout)
    if frame != room.last_sent.turnout:
        room.last_sent.turnout = frame
        await write_to_all(tuple(room.screens), frame)
    if phones and frame != room.last_sent.phones:
        room.last_sent.phones = frame
        await write_to_all(tuple(room.phones), frame)


async def send_team_counts(room: EventRoom, counts: protocol.CountsUpdated) -> None:
    """Tell the phones of each team to move its own votes so far, if they are others than told before."""
    if room.poll is None:
        return
    for team in room.poll.legal:
        own = getattr(counts, room.poll.sides[team])
        frame = encode(protocol.TeamCounted(turn=counts.turn, counts=own))
        if frame != room.last_sent.teams.get(team):
            room.last_sent.teams[team] = frame
            await _write_to_voters([one for one in room.voters.values() if one.team == team], frame)


async def send_open_counts(room: EventRoom, counts: protocol.CountsUpdated, *, phones: bool) -> None:
    """Tell the screens, and if `phones` is set everybody, how the vote stands, if it is news to them."""
    if room.turn is None:
        return
    [side] = room.turn.to_move
    frame = encode(protocol.TeamCounted(turn=counts.turn, counts=getattr(counts, side)))
    if frame != room.last_sent.open:
        room.last_sent.open = frame
        await write_to_all(tuple(room.screens), frame)
    if phones and frame != room.last_sent.teams.get(1):
        room.last_sent.teams = {1: frame, 2: frame}
        await _write_to_voters(room.voters.values(), frame)


async def _write_to_voters(voters: Iterable[ConnectedVoter], frame: str) -> None:
    await write_to_all([socket for voter in voters for socket in voter.sockets], frame)


def send_rehearsal(room: EventRoom, now: protocol.RehearsalUpdated | None) -> None:
    """Tell the control rooms how a dry run fares, and once that it is over or gone."""
    before, room.last_sent.rehearsal = room.last_sent.rehearsal, now
    if now is None and before is not None and before.running:
        now = replace(before, running=False)
    if now is not None and (now.running or now != before):
        write_to_few(room.consoles, now)
