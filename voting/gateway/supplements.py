"""Supplements to the state of an event: turnout, interim counts and the like, each encoded once."""

import asyncio
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from voting import protocol
from voting.gateway.event_room import EventRoom
from voting.gateway.room_sockets import WRITES_PER_ITERATION
from voting.gateway.text_frames import encode
from voting.gateway.voters import ConnectedVoter, Socket


def write_to_few(sockets: Iterable[Socket], message: msgspec.Struct) -> None:
    """Encode the message and write it to all sockets at once, without yielding to the event loop."""
    frame = encode(message)
    for socket in sockets:
        socket.write(frame)


async def write_to_all(sockets: Iterable[Socket], frame: bytes) -> None:
    """Write a frame to all sockets. Yields to the event loop, so that acks do not wait for a broadcast."""
    for number, socket in enumerate(sockets, 1):
        socket.write(frame)
        if number % WRITES_PER_ITERATION == 0:
            await asyncio.sleep(0)


async def send_turnout(room: EventRoom, turnout: protocol.TurnoutCounted, *, phones: bool) -> None:
    """Send the turnout to the screens, and with `phones` to phones that show it, unless it is unchanged."""
    frame = encode(turnout)
    if frame != room.last_sent.turnout:
        room.last_sent.turnout = frame
        await write_to_all(tuple(room.sockets.screens), frame)
    if not room.phones_show_turnout:
        room.last_sent.phones = b""
        return
    for_phones = replace(turnout, votes_per_s=0, figures=protocol.NO_FIGURES)
    frame = encode(for_phones) if phones else room.last_sent.phones
    if frame != room.last_sent.phones:
        room.last_sent.phones = frame
        await write_to_all(tuple(room.sockets.phones), frame)


async def send_team_counts(room: EventRoom, counts: protocol.CountsUpdated) -> None:
    """Send the phones of each voting team the interim counts of their own team, unless they are unchanged."""
    if room.poll is None:
        return
    for team in room.poll.legal:
        own = getattr(counts, room.poll.sides[team])
        frame = encode(protocol.TeamCounted(turn=counts.turn, counts=own))
        if frame != room.last_sent.teams.get(team):
            room.last_sent.teams[team] = frame
            await _write_to_voters([one for one in room.voters.values() if one.team == team], frame)


async def send_open_counts(room: EventRoom, counts: protocol.CountsUpdated, *, phones: bool) -> None:
    """Send the interim counts of an open vote to the screens, and with `phones` to the voters, if changed."""
    if room.turn is None:
        return
    [side] = room.turn.to_move
    frame = encode(protocol.TeamCounted(turn=counts.turn, counts=getattr(counts, side)))
    if frame != room.last_sent.open:
        room.last_sent.open = frame
        await write_to_all(tuple(room.sockets.screens), frame)
    if phones and frame != room.last_sent.teams.get(1):
        room.last_sent.teams = {1: frame, 2: frame}
        await _write_to_voters(room.voters.values(), frame)


async def _write_to_voters(voters: Iterable[ConnectedVoter], frame: bytes) -> None:
    await write_to_all([socket for voter in voters for socket in voter.sockets], frame)


def send_rehearsal(room: EventRoom, now: protocol.RehearsalUpdated | None) -> None:
    """Send the consoles the progress of a dry run, and once that it has stopped or is gone."""
    before, room.last_sent.rehearsal = room.last_sent.rehearsal, now
    if now is None and before is not None and before.running:
        now = replace(before, running=False)
    if now is not None and (now.running or now != before):
        write_to_few(room.sockets.consoles, now)
