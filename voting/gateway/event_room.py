"""An event at one gateway process: its sockets, its connected voters and its state."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from games.engine.game import SIDES, Side
from voting import protocol
from voting.admission.links import base_url
from voting.admission.restrictions import NO_RESTRICTION, Restriction, Restrictions
from voting.admission.seats import ReservedSeats, Seat
from voting.announcements.channel_layer import LayerMessage
from voting.ballot_box.box_types import PresenceCounts, Turnout
from voting.ballot_box.cheers import Cheers
from voting.ballot_box.intake import Intake, Slot
from voting.counting.methods import find_method
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.broadcaster import Broadcaster
from voting.gateway.drop_requests import DropRequests
from voting.gateway.frames import Frames
from voting.gateway.poll import Poll
from voting.gateway.side_change_log import SideChangeLog
from voting.gateway.voters import ConnectedVoter, ConsoleSocket, SeatedSocket, Socket
from voting.protocol import CloseCode
from voting.terms import Admission

MAX_SOCKETS_PER_SEAT = 4
MAX_REVEALED_TURNS = 3  # the current one, and those of a reveal: the last one and one that was concealed


@dataclass(slots=True)
class LastSent:
    """The last frames of an event that this process sent, to skip unchanged ones.

    Attributes:
        turnout: the turnout as screens know it.
        phones: the turnout as phones know it.
        teams: the interim counts each team's phones know.
        open: the interim counts of an open vote, as screens know them.
        rehearsal: the progress of a dry run, as consoles know it.
    """

    turnout: str = ""
    phones: str = ""
    teams: dict[int, str] = field(default_factory=dict)
    open: str = ""
    rehearsal: protocol.RehearsalUpdated | None = None


@dataclass(slots=True, eq=False)
class EventRoom:
    """An event as this process knows it, up to the change number `seq`.

    Attributes:
        phones, screens: the event's sockets at this process.
        unseated: the phones without a seat.
        consoles: the sockets of organizers, also among the screens.
        displays: the displays without and with the display key, also among the screens, the oldest first.
        voters: the connected voters, by the voter id of their seat.
        departed: the teams of voters who disconnected since the last heartbeat, by voter code.
        broadcaster: sends changes and seals to the sockets.
        seal: the seal of the current turn, if it is sealed.
        last_sent: the last frames sent.
        unanimous_heartbeats: how many heartbeats in a row every voter connected to any gateway has voted.
        turnout: the turnout at the last heartbeat; None before the first one of a turn.
        asked_at: the time of the last join, as time.monotonic().
        restrictions: bans, kicks and moves, by voter code.
        side_changes: the side changes of the current match, where they are secret.
        drop_requests: who wants to see their own drop in the reveal of the current turn or of the last ones.
        role_changes: how many role changes of organizers this process has been notified of.

    The numbers of connected voters and of those who have voted are kept by team, so that a heartbeat does
    not count the voters.
    """

    event_id: int
    seq: int
    state: protocol.EventState
    intake: Intake
    phones: set[Socket] = field(default_factory=set)
    unseated: set[Socket] = field(default_factory=set)
    screens: set[Socket] = field(default_factory=set)
    consoles: set[ConsoleSocket] = field(default_factory=set)
    displays: tuple[dict[Socket, None], dict[Socket, None]] = field(default_factory=lambda: ({}, {}))
    voters: dict[str, ConnectedVoter] = field(default_factory=dict)
    departed: dict[str, int] = field(default_factory=dict)
    poll: Poll | None = None
    broadcaster: Broadcaster = field(default_factory=Broadcaster)
    seal: Frames | None = None
    last_sent: LastSent = field(default_factory=LastSent)
    cheers: Cheers = field(default_factory=Cheers)
    unanimous_heartbeats: int = 0
    turnout: Turnout | None = None
    asked_at: float = field(default_factory=time.monotonic)
    apply_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    restrictions: Restrictions = field(default_factory=dict)
    side_changes: SideChangeLog = field(default_factory=SideChangeLog)
    drop_requests: dict[int, DropRequests] = field(default_factory=dict)
    role_changes: int = 0
    reserved_seats: ReservedSeats = field(default_factory=ReservedSeats)
    _connected: list[int] = field(default_factory=lambda: [0, 0, 0])
    _voted: list[int] = field(default_factory=lambda: [0, 0, 0])

    def __post_init__(self) -> None:
        self._set_poll()

    @property
    def turn(self) -> protocol.Turn | None:
        return self.state.match.turn if self.state.match else None

    @property
    def by_clocks(self) -> bool:
        """Whether the match is played with time banks (a clock for each side)."""
        return self.state.match is not None and self.state.match.clocks is not None

    @property
    def is_one_on_one(self) -> bool:
        """Whether each clock belongs to a single voter, so that a side's first ballot is its pick."""
        match = self.state.match
        return match is not None and match.clocks is not None and not match.clocks.crowd

    @property
    def phones_show_turnout(self) -> bool:
        """Whether phones show the turnout: before the first match, and picks in a match with clocks."""
        return self.state.match is None or self.by_clocks

    @property
    def turn_ref(self) -> tuple[int, int]:
        """The current turn's id and epoch; (0, 0) if there is none."""
        return (self.turn.id, self.turn.epoch) if self.turn else (0, 0)

    def is_past(self, turn_id: int) -> bool:
        """Whether a turn ended before the current one. Ids of turns increase."""
        if self.turn:
            return turn_id < self.turn.id
        reveal = self.state.match.reveal if self.state.match else None
        return reveal is not None and turn_id <= reveal.turn

    def join_url(self, scope: dict[str, Any]) -> str:
        """The URL to join at. A duel with a roster assigns its seats on its own page, under /play."""
        assigns_seats = self.state.is_duel and self.state.admission == Admission.ROSTER
        return f"{base_url(scope)}{'/play' if assigns_seats else ''}/{self.state.code}"

    @property
    def is_empty(self) -> bool:
        return not (self.phones or self.screens)

    def team_of(self, side: Side) -> int:
        """The team that plays this side; 1 if there is no match."""
        match = self.state.match
        return 1 if match is None else getattr(match, side)

    def team_for_new_voter(self, team: int) -> int:
        """The team of a new voter who asks for `team` (0: any).

        If only one team takes new voters (no show of hands, not solo), it is that one.
        """
        return self._phones_in([one for one in self.state.teams if not one.solo], team)

    def team_for_seat(self, team: int) -> int:
        """The team of a voter whose seat is in `team`. If only one team votes by phone, it is that one."""
        return self._phones_in(self.state.teams, team)

    @staticmethod
    def _phones_in(teams: Iterable[protocol.Team], team: int) -> int:
        with_phones = [one.number for one in teams if not one.hands]
        return with_phones[0] if len(with_phones) == 1 else team

    @property
    def has_solo(self) -> bool:
        return any(team.solo for team in self.state.teams)

    @property
    def accepts_phones(self) -> bool:
        """Whether a team votes by phone; False if both vote by show of hands."""
        return not all(team.hands for team in self.state.teams)

    def is_between_turns(self, now: int) -> bool:
        """Whether no turn is open or being revealed at `now` (ms): before a window or after the match."""
        match = self.state.match
        if match is None:
            return True
        if match.turn and now >= match.turn.opens_at:
            return False
        return match.reveal is None or now >= match.reveal.resolved_at + match.reveal.steps.over

    # ------------------------------------------------------------ connections
    def add_voter(self, socket: SeatedSocket, seat: Seat) -> ConnectedVoter:
        """Add a seated socket. Beyond MAX_SOCKETS_PER_SEAT, close the oldest socket of the seat."""
        self.phones.add(socket)
        self.unseated.discard(socket)
        self.reserved_seats.take(seat.voter)
        voter = self.voters.get(seat.voter)
        if voter is None:
            voter_code = derive_voter_code(seat.voter)
            voter = self.voters[seat.voter] = ConnectedVoter(
                seat, voter_code, self._team_by(self.restriction_for(voter_code), seat)
            )
            self._connected[voter.team] += 1
            self.departed.pop(voter_code, None)
        else:
            voter.seat = seat
            self.move(voter)
        voter.sockets.append(socket)
        if len(voter.sockets) > MAX_SOCKETS_PER_SEAT:
            voter.sockets.pop(0).end(CloseCode.OPEN_ELSEWHERE)
        return voter

    def add_unseated(self, socket: Socket) -> None:
        """Add a phone without a seat. It receives the event's changes, and so learns when it can join."""
        self.phones.add(socket)
        self.unseated.add(socket)

    def add_display(self, socket: Socket, at_most: int, *, has_key: bool) -> Socket | None:
        """Add a display. Beyond `at_most`, with the key or without it, remove and return the oldest one."""
        displays = self.displays[has_key]
        oldest = next(iter(displays)) if len(displays) >= at_most else None
        if oldest is not None:
            self.leave(oldest, None)
        displays[socket] = None
        self.screens.add(socket)
        return oldest

    def leave(self, socket: Socket, seat: Seat | None) -> None:
        """Remove a socket. Idempotent."""
        everywhere: tuple[set[Any], ...] = (self.phones, self.unseated, self.screens, self.consoles)
        for sockets in everywhere:
            sockets.discard(socket)
        for displays in self.displays:
            displays.pop(socket, None)
        voter = self.voters.get(seat.voter) if seat else None
        if seat is None or voter is None or socket not in voter.sockets:
            return
        voter.sockets.remove(socket)
        if not voter.sockets:
            del self.voters[seat.voter]
            self.departed[voter.voter_code] = seat.team
            self._connected[voter.team] -= 1
            self._voted[voter.team] -= voter.voted_in == self.turn_ref

    def change_role(self, user_id: int) -> None:
        """Close the consoles of a user whose role or account has changed."""
        self.role_changes += 1
        for console in tuple(self.consoles):
            console.change_role(user_id)

    def restriction_for(self, voter_code: str) -> Restriction:
        return self.restrictions.get(voter_code, NO_RESTRICTION)

    def _team_by(self, restriction: Restriction, seat: Seat) -> int:
        return self.team_for_seat(restriction.team or seat.team)

    def move(self, voter: ConnectedVoter) -> None:
        """Move the voter to the team that restrictions and seat give, and send a new welcome.

        Idempotent. A ballot for the former team does not count for the new one.
        """
        team = self._team_by(self.restriction_for(voter.voter_code), voter.seat)
        if team == voter.team:
            return
        self._connected[voter.team] -= 1
        self._voted[voter.team] -= voter.voted_in == self.turn_ref
        self._connected[team] += 1
        voter.team, voter.voted_in = team, None
        for socket in tuple(voter.sockets):
            socket.welcome_again()

    def evict(self, voter: ConnectedVoter, code: int) -> None:
        """Close and remove all sockets of this voter at once. Later frames from them are ignored."""
        for socket in tuple(voter.sockets):
            socket.end(code)
            self.leave(socket, voter.seat)

    def count_vote(self, voter: ConnectedVoter, turn_ref: tuple[int, int]) -> None:
        """Count a voter as having voted. Ignored for another turn or after a disconnect."""
        if voter.voted_in != turn_ref and turn_ref == self.turn_ref and voter.sockets:
            voter.voted_in = turn_ref
            self._voted[voter.team] += 1

    def connected(self) -> tuple[int, int]:
        """The voters connected here, of team 1 and of team 2."""
        return self._connected[1], self._connected[2]

    def presence_counts(self) -> PresenceCounts:
        """This gateway's numbers for the ballot box. Unseated phones count as watching, like displays."""
        looking_on = len(self.screens) - len(self.consoles) + len(self.unseated)
        return PresenceCounts(
            self.connected(), (self.waiting_on("red"), self.waiting_on("yellow")), looking_on
        )

    def waiting(self) -> int:
        """How many voters connected here are to move and have not voted."""
        return sum(self.waiting_on(side) for side in SIDES)

    def waiting_on(self, side: Side) -> int:
        """How many voters of this side are connected here and have yet to vote; 0 if none vote by phone."""
        team = self.team_of(side)
        moves = self.poll is not None and team in self.poll.legal
        return self._connected[team] - self._voted[team] if moves else 0

    # ------------------------------------------------------------ the current vote
    def apply(self, copy: LayerMessage) -> None:
        """Take over the event's state from a change.

        Raises msgspec.MsgspecError if it cannot be decoded; the room is unchanged then.
        """
        before, turn, state = self.turn_ref, self.turn, protocol.decode_change(copy.body).state
        self.seq, self.state, self.seal = copy.seq, state, None
        if turn and self.turn and self.turn.number < turn.number:
            self.side_changes.invalidate()
        self.unanimous_heartbeats = 0
        if before != self.turn_ref:
            self._voted = [0, 0, 0]
            self.turnout = None
        if before != self.turn_ref or not state.own_counts:
            self.last_sent.teams, self.last_sent.open = {}, ""
        self._set_poll()
        self._close_drop_requests()
        for turn_id in sorted(self.drop_requests)[:-MAX_REVEALED_TURNS]:
            del self.drop_requests[turn_id]

    def drop_requests_for(self, turn_id: int) -> DropRequests:
        """The requests to mark drops in this turn, which is the current one or being revealed."""
        requests = self.drop_requests.setdefault(turn_id, DropRequests())
        self._close_drop_requests()
        return requests

    def _close_drop_requests(self) -> None:
        for turn_id, requests in self.drop_requests.items():
            if turn_id != self.turn_ref[0]:
                requests.closed.set()

    def _set_poll(self) -> None:
        turn, match = self.turn, self.state.match
        if turn is None:
            self.poll = None
            return
        slot = Slot(self.event_id, turn.id, turn.epoch)
        by_hands = {team.number for team in self.state.teams if team.hands}
        moving = {self.team_of(side): frozenset(getattr(turn.legal, side)) for side in turn.to_move}
        same = self.poll is not None and self.poll.lane.slot == slot
        self.poll = Poll(
            turn_id=turn.id,
            epoch=turn.epoch,
            sides={self.team_of(side): side for side in SIDES},
            legal={team: legal for team, legal in moving.items() if team not in by_hands},
            lane=self.poll.lane if self.poll and same else self.intake.lane(slot),
            opens_at=turn.opens_at,
            method=find_method(match.tally_method if match else None),
            may_resign=match is not None and match.resign is not None,
        )
