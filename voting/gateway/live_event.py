"""An event as a gateway process knows it, kept up to date by announcements, and the rules for its ballots.

The gateway refuses an illegal choice, a wrong turn or an early ballot without asking the ballot box.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from games.engine.game import SIDES, Side
from voting import protocol
from voting.admission.links import base_url
from voting.admission.seats import find_phone_team
from voting.announcements.channel_layer import LayerMessage
from voting.ballot_box.intake import MAX_PAUSE_S, BallotQueue, Intake, Slot
from voting.ballot_box.shards import Shard
from voting.counting.methods.voting_method import VotingMethod, find_method
from voting.gateway.drop_requests import DropRequests
from voting.terms import PHONES, Admission

MAX_REVEALED_TURNS = 3  # the current one, and those of a reveal: the last one and one that was concealed
EARLY_TOLERANCE_MS = 50


@dataclass(frozen=True, slots=True)
class Poll:
    """The rules for ballots of the current turn.

    `sides` is the side of each team, `legal` the columns that each voting team may choose. There is a queue
    for each shard, so that a node that is slow or away delays no other shard's ballots. Times are in
    milliseconds of the ballot box's time. The ballot box gets a turn shortly after its announcement, so
    ballots that come over EARLY_TOLERANCE_MS before the turn opens are refused here.
    """

    turn_id: int
    epoch: int
    sides: dict[int, Side]
    legal: dict[int, frozenset[int]]
    queues: tuple[BallotQueue, ...]
    opens_at: int
    closes_at: int
    method: VotingMethod
    may_resign: bool = False
    draw_offers: bool = False

    def refusal(
        self, team: int, ballot: protocol.BallotCast, now: int, *, voted: bool = False
    ) -> protocol.Refusal | None:
        """Return why to refuse the ballot, or None if the ballot box decides.

        With `voted` the voter has a ballot in this turn, and may repeat it before the window reopens.
        """
        if ballot.turn != self.turn_id:
            return "no_such_turn"
        if ballot.epoch > self.epoch:
            return "unknown"
        legal = self.legal.get(team)
        if legal is None:
            return "not_to_move"
        if not self.method.accepts(
            ballot.choice, legal, may_resign=self.may_resign, draw_offers=self.draw_offers
        ):
            return "illegal"
        return "early" if now < self.opens_at - EARLY_TOLERANCE_MS and not voted else None

    def queue_for(self, voter: str) -> BallotQueue:
        return self.queues[Shard.of(voter, len(self.queues)).number]

    def closes_soon(self, now: int) -> bool:
        return now > self.closes_at - 2000 * MAX_PAUSE_S


@dataclass(eq=False)
class LiveEvent:
    """An event's public state up to the change number `seq`, and what follows from it.

    Attributes:
        poll: the rules for ballots of the current turn.
        seal: the seal of the current turn, if it is sealed.
        drop_requests: who wants to see their own drop in the reveal of the current turn or of the last ones.
    """

    event_id: int
    seq: int
    state: protocol.EventState
    intake: Intake
    poll: Poll | None = field(default=None, init=False)
    seal: bytes | None = field(default=None, init=False)
    drop_requests: dict[int, DropRequests] = field(default_factory=dict, init=False)
    _encoded_state: msgspec.Raw | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._set_poll()

    @property
    def encoded_state(self) -> msgspec.Raw:
        """The state in JSON, encoded once for all the snapshots that contain it."""
        if self._encoded_state is None:
            self._encoded_state = msgspec.Raw(msgspec.json.encode(self.state))
        return self._encoded_state

    def apply(self, copy: LayerMessage) -> None:
        """Take over the event's state from a change.

        Raises msgspec.MsgspecError if it cannot be decoded; nothing is changed then.
        """
        self.state = protocol.decode_change(copy.body).state
        self.seq, self.seal, self._encoded_state = copy.seq, None, None
        self._set_poll()
        self._close_drop_requests()
        for turn_id in sorted(self.drop_requests)[:-MAX_REVEALED_TURNS]:
            del self.drop_requests[turn_id]

    @property
    def turn(self) -> protocol.Turn | None:
        return self.state.match.turn if self.state.match else None

    @property
    def shards(self) -> int:
        """The number of shards of the ballot box in this match."""
        return self.state.match.shards if self.state.match else 1

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

    def team_of(self, side: Side) -> int:
        """The team that plays this side; 1 if there is no match."""
        match = self.state.match
        return 1 if match is None else getattr(match, side)

    def team_for_new_voter(self, team: int) -> int:
        """The team of a new voter who asks for `team` (0: any).

        If only one team takes new voters (with phones, not solo), it is that one.
        """
        return find_phone_team([one for one in self.state.teams if not one.solo], team)

    def team_for_seat(self, team: int) -> int:
        """The team of a voter whose seat is in `team`. If only one team votes by phone, it is that one."""
        return find_phone_team(self.state.teams, team)

    @property
    def has_solo(self) -> bool:
        return any(team.solo for team in self.state.teams)

    @property
    def accepts_phones(self) -> bool:
        """Whether a team votes by phone."""
        return any(team.source == PHONES for team in self.state.teams)

    def is_between_turns(self, now: int) -> bool:
        """Whether no turn is open or being revealed at `now` (ms): before a window or after the match."""
        match = self.state.match
        if match is None:
            return True
        if match.turn and now >= match.turn.opens_at:
            return False
        return match.reveal is None or now >= match.reveal.resolved_at + match.reveal.steps.over

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
        slots = [Slot(self.event_id, turn.id, turn.epoch, shard) for shard in Shard.all(self.shards)]
        with_phones = {team.number for team in self.state.teams if team.source == PHONES}
        moving = {self.team_of(side): frozenset(getattr(turn.legal, side)) for side in turn.to_move}
        queues = self.poll.queues if self.poll else ()
        self.poll = Poll(
            turn_id=turn.id,
            epoch=turn.epoch,
            sides={self.team_of(side): side for side in SIDES},
            legal={team: legal for team, legal in moving.items() if team in with_phones},
            queues=queues
            if [queue.slot for queue in queues] == slots
            else tuple(map(self.intake.new_queue, slots)),
            opens_at=turn.opens_at,
            closes_at=turn.closes_at,
            method=find_method(match.tally_method if match else None),
            may_resign=match is not None and match.resign is not None,
            draw_offers=match is not None and match.draw_offers,
        )
