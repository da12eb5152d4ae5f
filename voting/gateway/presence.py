"""Presence heartbeat: report voters to the ballot box, send the turnout, notice when a turn may end."""

from itertools import islice

from asgiref.sync import sync_to_async

from games.engine.game import SIDES
from voting import protocol
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_clock import BoxClock, local_ms
from voting.ballot_box.box_types import Turnout
from voting.ballot_box.cheers import CheerCounter, Cheers
from voting.ballot_box.known_voters import VoterRecorder
from voting.counting.bank import BankTerms
from voting.counting.methods.voting_method import find_method
from voting.gateway import hooks
from voting.gateway.event_room import EventRoom
from voting.gateway.supplements import send_open_counts, send_team_counts, send_turnout, write_to_few
from voting.terms import PHONES
from voting.turns.tasks import enqueue_early_close

UNANIMOUS_HEARTBEATS = 2
MAX_DEPARTURES = 500
MIN_ELAPSED_MS = 500  # the time of another ballot box may be behind


class Presence:
    """The heartbeats of the gateway `name`. Each one updates `clock`.

    All methods raise redis.RedisError or OSError if the ballot box fails.
    """

    def __init__(self, name: str, box: AsyncBallotBox, clock: BoxClock) -> None:
        self._name = name
        self._box = box
        self._clock = clock
        self._cheers = CheerCounter(name, box)
        self._recorder = VoterRecorder(name, box)

    async def heartbeat(self, room: EventRoom) -> Turnout:
        """Report the room's connected voters and return the turnout over all gateways."""
        asked = local_ms()
        turnout = await self._box.heartbeat(
            room.event_id, self._name, room.turn_ref, room.presence_counts(), room.shards
        )
        self._clock.observe(turnout.now, asked, local_ms())
        return turnout

    async def send_updates(self, room: EventRoom, *, phones: bool, teams: bool) -> None:
        """Send one heartbeat, then the turnout, interim counts and cheers that are due.

        Screens get them each time, phones only with `phones` (turnout) and `teams` (interim counts).
        """
        turn_ref = room.turn_ref
        turnout = await self.heartbeat(room)
        if room.turn_ref == turn_ref:  # else it counts the ballots of a past turn
            await send_turnout(room, _turnout_message(room, turnout), phones=phones or room.is_one_on_one)
        await self._record_departures(room)
        for heartbeat in hooks.heartbeats:
            await heartbeat(self._box, room)
        await self._send_counts(room, teams=teams)
        await self._send_cheers(room)
        await self._show_picks_cast_elsewhere(room, turnout)
        if room.turn_ref == turn_ref:
            before, room.heartbeat.turnout = room.heartbeat.turnout, turnout
            await _close_early(room, before, turnout)

    async def _record_departures(self, room: EventRoom) -> None:
        """Record who has disconnected, at most MAX_DEPARTURES. The next heartbeat records the others."""
        if room.heartbeat.departed:
            some = dict(islice(room.heartbeat.departed.items(), MAX_DEPARTURES))
            await self._recorder.record(room.event_id, some, connected=False)
            for voter_code in some:
                room.heartbeat.departed.pop(voter_code, None)

    async def _show_picks_cast_elsewhere(self, room: EventRoom, turnout: Turnout) -> None:
        """Send players of a duel their own pick that another gateway took, or that was cast in advance."""
        if not room.is_one_on_one:
            return
        turn_ref = room.turn_ref
        picked = {room.team_of(side) for side, at in zip(SIDES, turnout.picked_at, strict=True) if at}
        unaware = [v for v in room.voters.values() if v.team in picked and v.voted_in != turn_ref]
        if not unaware:
            return
        voters = [voter.seat.voter for voter in unaware]
        ballots = await self._box.load_ballots(room.event_id, turn_ref[0], voters)
        for voter in unaware:
            ballot = ballots.get(voter.seat.voter)
            if ballot and room.turn_ref == turn_ref and voter.voted_in != turn_ref:
                room.count_vote(voter, turn_ref)
                for socket in tuple(voter.sockets):
                    socket.welcome_again(ballot)

    async def _send_counts(self, room: EventRoom, *, teams: bool) -> None:
        """Send interim counts while a window is open, with one read for all recipients.

        Ballot secrecy: only an open vote shows them to everyone, screens first. Consoles get them if the
        event has `peek`, and each team its own if it has `own_counts`; both settings are public. A concealed
        vote has none.
        """
        match, turn = room.state.match, room.turn
        teams = teams and bool(room.voters)
        if match is None or turn is None or not _shows_counts(room, match, teams=teams):
            return
        if turn.paused or not turn.opens_at <= self._clock.now() < turn.closes_at:
            return
        method = find_method(match.tally_method)
        red, yellow = await self._box.live_counts(
            room.event_id, turn.id, match.board.columns, method.max_votes, match.shards
        )
        if room.turn != turn:
            return
        counts = protocol.CountsUpdated(turn=turn.id, red=tuple(red), yellow=tuple(yellow))
        if room.state.peek:
            write_to_few(room.sockets.consoles, counts)
        if match.board.vote == "open":
            await send_open_counts(room, counts, phones=teams)
        elif teams and room.state.own_counts:
            await send_team_counts(room, counts)

    async def _send_cheers(self, room: EventRoom) -> None:
        """Send displays the cheers of all gateways since the last heartbeat. Drop cheers during a turn."""
        if not room.is_between_turns(self._clock.now()):
            room.heartbeat.cheers = Cheers()
            return
        projectors = room.sockets.screens - room.sockets.consoles
        if projectors or room.heartbeat.cheers.has_unsent:
            presses = await self._cheers.exchange(room.event_id, room.heartbeat.cheers)
            if any(presses):
                write_to_few(projectors, protocol.CheersCounted(presses=presses))

    async def request_clock_check(self, room: EventRoom) -> None:
        """Enqueue a check whether the turn is over or its deadline moves. Does nothing without a turn."""
        if turn := room.turn:
            await sync_to_async(enqueue_early_close, thread_sensitive=False)(turn.id, turn.closes_at)

    async def leave(self, room: EventRoom) -> None:
        """Remove this gateway's presence in the event from the ballot box."""
        await self._box.leave(room.event_id, self._name)


def may_move_deadline(room: EventRoom) -> bool:
    """Whether a duel's deadline may have to move after a pick. May be True when it need not.

    A side with no voter connected here counts as having picked, so that no last pick is missed. With equal
    time left, the deadline does not show whether the other side has picked elsewhere: the answer is True.
    """
    match, turn = room.state.match, room.turn
    if match is None or turn is None or match.clocks is None:
        return False
    clocks = match.clocks
    terms = BankTerms.from_seconds(clocks.bank_s, clocks.increment_s, clocks.cap_s, match.no_ballot_rule)
    left = {side: clocks.red_ms if side == "red" else clocks.yellow_ms for side in turn.to_move}
    picked = [side for side in turn.to_move if not room.waiting_on(side)]
    alike = len({terms.usable_ms(ms) for ms in left.values()}) < len(left)
    return alike or turn.opens_at + terms.ends_after_ms(left, picked) != turn.closes_at


def _shows_counts(room: EventRoom, match: protocol.Match, *, teams: bool) -> bool:
    """Whether anyone connected here may see interim counts."""
    if match.board.vote == "concealed":
        return False
    if match.board.vote == "open" and (room.sockets.screens or teams):
        return True
    return (teams and room.state.own_counts) or (room.state.peek and bool(room.sockets.consoles))


def _turnout_message(room: EventRoom, turnout: Turnout) -> protocol.TurnoutCounted:
    red, yellow = room.team_of("red"), room.team_of("yellow")
    voted = {red: turnout.red, yellow: turnout.yellow}
    since = turnout.picked_at if room.is_one_on_one else turnout.all_voted_at
    at = dict(zip((red, yellow), since, strict=True))
    return protocol.TurnoutCounted(
        turn=room.turn.id if room.turn else None,
        connected=turnout.connected,
        voted=(voted.get(1, 0), voted.get(2, 0)),
        picked_at=(at.get(1, 0), at.get(2, 0)) if room.by_clocks else None,
        watching=turnout.watching if room.state.is_duel else 0,
        votes_per_s=_votes_per_s(room.heartbeat.turnout, turnout),
        figures=protocol.NO_FIGURES if room.state.is_duel else turnout.figures,
    )


def _votes_per_s(before: Turnout | None, turnout: Turnout) -> int:
    if before is None:
        return 0
    elapsed_ms = max(MIN_ELAPSED_MS, turnout.now - before.now)
    return max(0, round((turnout.voted - before.voted) * 1000 / elapsed_ms))


async def _close_early(room: EventRoom, before: Turnout | None, turnout: Turnout) -> None:
    """Enqueue an early close when all have voted for UNANIMOUS_HEARTBEATS, or a crowd's clock stops."""
    turn, match = room.turn, room.state.match
    if turn is None or match is None or turn.paused or not (match.close_early or match.clocks):
        return
    is_unanimous = _have_all_voted(room, turn, match, turnout)
    room.heartbeat.unanimous = room.heartbeat.unanimous + 1 if is_unanimous else 0
    is_due = _is_close_due(room) if is_unanimous else _has_clock_stopped(room, before, turnout)
    if is_due and turn.opens_at <= turnout.now < turn.closes_at:
        await sync_to_async(enqueue_early_close, thread_sensitive=False)(turn.id, turn.closes_at)


def _have_all_voted(room: EventRoom, turn: protocol.Turn, match: protocol.Match, turnout: Turnout) -> bool:
    """Whether every connected voter has voted; in a match with clocks, whether every side has its pick.

    A pick counts even if its voter has disconnected since.
    """
    if match.clocks is None:
        return turnout.waiting == 0 and turnout.voted > 0
    red, yellow = (turnout.red, turnout.yellow) if room.is_one_on_one else turnout.all_voted_at
    return all(red if side == "red" else yellow for side in turn.to_move)


def _is_close_due(room: EventRoom) -> bool:
    """Whether to ask for the close at this unanimous heartbeat.

    Asks at the 2nd, 4th, 8th and so on, to spare the workers. Ballots that don't come from phones notify no
    gateway, so with a team without phones it asks each time.
    """
    heartbeats = room.heartbeat.unanimous
    is_power_of_two = heartbeats & (heartbeats - 1) == 0
    all_by_phone = all(team.source == PHONES for team in room.state.teams)
    return heartbeats >= UNANIMOUS_HEARTBEATS and (is_power_of_two or not all_by_phone)


def _has_clock_stopped(room: EventRoom, before: Turnout | None, turnout: Turnout) -> bool:
    """Whether a crowd's clock has stopped since the last heartbeat. In a duel, picks request checks."""
    if not room.by_clocks or room.is_one_on_one:
        return False
    known = before.clocks_stopped if before else (False, False)
    return any(turnout.clocks_stopped) and turnout.clocks_stopped != known
