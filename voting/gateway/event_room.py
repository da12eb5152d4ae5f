"""An event at one gateway process: its sockets, its connected voters, its queues and its state."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field

from games.engine.game import SIDES, Side
from voting import protocol
from voting.admission.restrictions import NO_RESTRICTION, Restriction, Restrictions
from voting.admission.seats import ReservedSeats, Seat
from voting.announcements.channel_layer import LayerMessage
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import PresenceCounts, Turnout
from voting.ballot_box.cheers import Cheers
from voting.ballot_box.known_voters import JoinedVoter, VoterRecorder
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.admission_queue import AdmissionQueue
from voting.gateway.live_event import LiveEvent
from voting.gateway.room_sockets import Broadcaster, RoomSockets
from voting.gateway.side_change_queue import SideChangeQueue
from voting.gateway.threads import in_ticket_thread
from voting.gateway.ticket_claims import TicketClaims
from voting.gateway.voters import ConnectedVoter, SeatedSocket, Socket
from voting.protocol import CloseCode

MAX_SOCKETS_PER_SEAT = 4


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

    turnout: bytes = b""
    phones: bytes = b""
    teams: dict[int, bytes] = field(default_factory=dict)
    open: bytes = b""
    rehearsal: protocol.RehearsalUpdated | None = None


@dataclass(slots=True)
class TeamCounts:
    """How many voters of each team are connected, and how many of them have voted in the current turn.

    Kept up to date, so that a heartbeat does not count the voters.
    """

    connected: list[int] = field(default_factory=lambda: [0, 0, 0])
    voted: list[int] = field(default_factory=lambda: [0, 0, 0])

    def add(self, voter: ConnectedVoter) -> None:
        """Count a voter who has not voted for this team."""
        self.connected[voter.team] += 1

    def remove(self, voter: ConnectedVoter, turn_ref: tuple[int, int]) -> None:
        self.connected[voter.team] -= 1
        self.voted[voter.team] -= voter.voted_in == turn_ref

    def count_vote(self, voter: ConnectedVoter) -> None:
        self.voted[voter.team] += 1

    def waiting(self, team: int) -> int:
        """How many voters of the team have yet to vote."""
        return self.connected[team] - self.voted[team]

    def start_turn(self) -> None:
        self.voted = [0, 0, 0]


@dataclass(slots=True)
class HeartbeatState:
    """What the heartbeats of an event remember, and what the next one reports.

    Attributes:
        departed: the voters who disconnected since the last heartbeat, by voter code.
        turnout: the turnout at the last heartbeat; None before the first one of a turn.
        unanimous: how many heartbeats in a row every voter connected to any gateway has voted.
    """

    departed: dict[str, JoinedVoter] = field(default_factory=dict)
    cheers: Cheers = field(default_factory=Cheers)
    turnout: Turnout | None = None
    unanimous: int = 0


@dataclass(eq=False)
class EventRoom(LiveEvent):
    """An event with its connections at this process.

    Attributes:
        now: returns the ballot box's time in milliseconds, as this process estimates it.
        voters: the connected voters, by the voter id of their seat.
        restrictions: bans, kicks and moves, by voter code.
        broadcaster: sends changes and seals to the sockets.
        last_sent: the last frames sent.
        asked_at: the time of the last join, as time.monotonic().
    """

    box: InitVar[AsyncBallotBox]
    recorder: InitVar[VoterRecorder]
    now: Callable[[], int]
    restrictions: Restrictions = field(default_factory=dict)
    sockets: RoomSockets = field(default_factory=RoomSockets, init=False)
    voters: dict[str, ConnectedVoter] = field(default_factory=dict, init=False)
    counts: TeamCounts = field(default_factory=TeamCounts, init=False)
    reserved_seats: ReservedSeats = field(default_factory=ReservedSeats, init=False)
    admission_queue: AdmissionQueue = field(init=False)
    ticket_claims: TicketClaims = field(init=False)
    side_change_queue: SideChangeQueue = field(init=False)
    broadcaster: Broadcaster = field(default_factory=Broadcaster, init=False)
    last_sent: LastSent = field(default_factory=LastSent, init=False)
    heartbeat: HeartbeatState = field(default_factory=HeartbeatState, init=False)
    asked_at: float = field(default_factory=time.monotonic, init=False)
    apply_lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def __post_init__(self, box: AsyncBallotBox, recorder: VoterRecorder) -> None:
        super().__post_init__()
        self.admission_queue = AdmissionQueue(self, self.sockets, box, recorder)
        self.ticket_claims = TicketClaims(self.event_id, in_ticket_thread)
        self.side_change_queue = SideChangeQueue(self, self.voters, self.now)

    def apply(self, copy: LayerMessage) -> None:
        """Take over the event's state from a change.

        Raises msgspec.MsgspecError if it cannot be decoded; the room is unchanged then.
        """
        before, turn = self.turn_ref, self.turn
        super().apply(copy)
        if turn and self.turn and self.turn.number < turn.number:
            self.side_change_queue.log.invalidate()
        self.heartbeat.unanimous = 0
        if before != self.turn_ref:
            self.counts.start_turn()
            self.heartbeat.turnout = None
        if before != self.turn_ref or not self.state.own_counts:
            self.last_sent.teams, self.last_sent.open = {}, b""

    def add_voter(self, socket: SeatedSocket, seat: Seat) -> ConnectedVoter:
        """Add a seated socket. Beyond MAX_SOCKETS_PER_SEAT, close the oldest socket of the seat."""
        self.sockets.add_seated(socket)
        self.reserved_seats.take(seat.voter)
        voter = self.voters.get(seat.voter)
        if voter is None:
            voter_code = derive_voter_code(seat.voter)
            voter = self.voters[seat.voter] = ConnectedVoter(
                seat, voter_code, self._team_by(self.restriction_for(voter_code), seat)
            )
            self.counts.add(voter)
            self.heartbeat.departed.pop(voter_code, None)
        else:
            voter.seat = seat
            self.move(voter)
        voter.sockets.append(socket)
        if len(voter.sockets) > MAX_SOCKETS_PER_SEAT:
            voter.sockets.pop(0).end(CloseCode.OPEN_ELSEWHERE)
        return voter

    def leave(self, socket: Socket, seat: Seat | None) -> None:
        """Remove a socket. Idempotent."""
        self.sockets.remove(socket)
        voter = self.voters.get(seat.voter) if seat else None
        if seat is None or voter is None or socket not in voter.sockets:
            return
        voter.sockets.remove(socket)
        if not voter.sockets:
            del self.voters[seat.voter]
            self.heartbeat.departed[voter.voter_code] = JoinedVoter(seat.team, seat.voter)
            self.counts.remove(voter, self.turn_ref)

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
        self.counts.remove(voter, self.turn_ref)
        voter.team, voter.voted_in = team, None
        self.counts.add(voter)
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
            self.counts.count_vote(voter)

    def connected(self) -> tuple[int, int]:
        """The voters connected here, of team 1 and of team 2."""
        return self.counts.connected[1], self.counts.connected[2]

    def presence_counts(self) -> PresenceCounts:
        """This gateway's numbers for the ballot box. Unseated phones count as watching, like displays."""
        waiting = (self.waiting_on("red"), self.waiting_on("yellow"))
        return PresenceCounts(self.connected(), waiting, self.sockets.watching())

    def waiting(self) -> int:
        """How many voters connected here are to move and have not voted."""
        return sum(self.waiting_on(side) for side in SIDES)

    def waiting_on(self, side: Side) -> int:
        """How many voters of this side are connected here and have yet to vote; 0 if none vote by phone."""
        team = self.team_of(side)
        moves = self.poll is not None and team in self.poll.legal
        return self.counts.waiting(team) if moves else 0
