"""A fake server that speaks the protocol: one event, a real game and windows of about a second."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from games.engine.game import Picks, Side
from games.engine.registry import find_game
from games.engine.terms import Ending, MatchState, TeamChoice
from voting import protocol
from voting.counting.tally import SideTally
from voting.protocol import CloseCode

REVEAL_MS = 300
GRACE_MS = 3_000
LEAD_MS = 200
SIDES_OF_TEAM: dict[int, Side] = {1: "red", 2: "yellow"}

decode = msgspec.json.Decoder(protocol.PhoneMessage).decode


@dataclass
class Seat:
    voter: str
    team: int


Refuse = Callable[[Seat, protocol.BallotCast], protocol.BallotRefused | None]


@dataclass
class FakeServer:
    """`ballots` holds those of the current turn, `sealed` those of earlier turns.

    `refuse`, `accepts` and `loses_ballot` inject faults: an unexpected refusal, a ballot that is ignored,
    an acknowledged ballot that is not counted.
    """

    window_ms: int = 700
    code: str = "HALL"
    ask_team: bool = False
    lobby: Any = "open"
    bad_tokens: frozenset[str] = frozenset()
    refuse: Refuse = lambda seat, cast: None
    accepts: Callable[[protocol.BallotCast], bool] = lambda cast: True
    loses_ballot: bool = False
    casts: list[tuple[str, protocol.BallotCast]] = field(default_factory=list)
    joins: list[protocol.PhoneJoin] = field(default_factory=list)
    ballots: dict[str, tuple[Side, int, int]] = field(default_factory=dict)
    sealed: dict[int, dict[str, tuple[Side, int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.game = find_game("simultaneous-captains-mistress")
        self.position = self.game.start(self.game.options())
        self.seq, self.epoch, self.turn_id = 1, 1, 0
        self.opens_at = self.closes_at = 0
        self.reveal: protocol.Reveal | None = None
        self.seats: dict[str, Seat] = {}
        self.sockets: dict[ServerConnection, Seat] = {}
        self.port = 0
        self.aborted = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def open(self, port: int = 0) -> AsyncIterator["FakeServer"]:
        async with serve(self.converse, "127.0.0.1", port, ping_interval=None, close_timeout=0.2) as server:
            self.port = next(iter(server.sockets)).getsockname()[1]
            yield self

    async def converse(self, socket: ServerConnection) -> None:
        try:
            async for frame in socket:
                await self.receive(socket, decode(frame))
        except ConnectionClosed:
            pass
        finally:
            self.sockets.pop(socket, None)

    async def receive(self, socket: ServerConnection, message: protocol.PhoneMessage) -> None:
        match message:
            case protocol.ClockAsk():
                await self.send(socket, protocol.ClockSynced(sent=message.sent, now_at=now()))
            case protocol.PhoneJoin():
                self.joins.append(message)
                await self.join(socket, message)
            case protocol.BallotCast():
                await self.cast(socket, message)

    async def join(self, socket: ServerConnection, join: protocol.PhoneJoin) -> None:
        if join.code != self.code:
            await socket.close(CloseCode.NO_SUCH_EVENT)
        elif join.token in self.bad_tokens:
            await socket.close(CloseCode.BAD_TOKEN)
        elif self.lobby == "closed":
            await self.send(socket, protocol.Error(code="lobby_closed", text="not yet"))
        elif self.ask_team and join.team is None and join.token is None:
            await self.send(socket, protocol.Error(code="team_needed", text="choose"))
        else:
            await self.welcome(socket, join)

    async def welcome(self, socket: ServerConnection, join: protocol.PhoneJoin) -> None:
        seat = self.seats.get(join.token or "") or Seat(
            f"v{len(self.seats)}", join.team or len(self.seats) % 2 + 1
        )
        token = f"1.{seat.voter}.{seat.team}:small"
        self.seats[token] = seat
        self.sockets[socket] = seat
        _, column, sequence = self.ballots.get(seat.voter, (None, None, 0))
        you = protocol.You(
            token=token,
            team=seat.team,
            turn=self.turn_id if column else None,
            choice=column,
            sequence=sequence,
        )
        welcome = protocol.PhoneWelcomed(now_at=now(), seq=self.seq, you=you, state=self.state())
        await self.send(socket, welcome)

    async def cast(self, socket: ServerConnection, cast: protocol.BallotCast) -> None:
        seat = self.sockets[socket]
        self.casts.append((seat.voter, cast))
        if not self.accepts(cast):
            return
        refused = self.refuse(seat, cast) or self.judge(seat, cast)
        if refused:
            await self.send(socket, refused)
            return
        self.ballots[seat.voter] = (SIDES_OF_TEAM[seat.team], cast.choice, cast.sequence)
        counted = protocol.BallotCounted(turn=cast.turn, choice=cast.choice, sequence=cast.sequence)
        await self.send(socket, counted)

    def judge(self, seat: Seat, cast: protocol.BallotCast) -> protocol.BallotRefused | None:
        held = self.ballots.get(seat.voter, ("", 0, 0))
        code: protocol.Refusal | None = None
        if cast.turn != self.turn_id:
            code = "no_such_turn"
        elif cast.epoch < self.epoch:
            code = "unknown"
        elif held[1:] != (cast.choice, cast.sequence):
            code = self.judge_time()
            code = "stale" if code is None and held[2] >= cast.sequence else code
        return refusal(cast, code, held[2]) if code else None

    def judge_time(self) -> protocol.Refusal | None:
        if now() < self.opens_at:
            return "early"
        return "late" if self.turn_id in self.sealed else None

    async def play(self, turns: int) -> None:
        for _ in range(turns):
            self.open_turn()
            self.announce(protocol.MatchStarted if self.turn_id == 1 else protocol.TurnResumed)
            await self.wait_until(self.closes_at)
            await self.wait_for_all()
            self.resolve()
            self.announce(protocol.TurnRevealed)
            await asyncio.sleep(REVEAL_MS / 1000)

    async def wait_until(self, at: int) -> None:
        await asyncio.sleep(max(0, at - now()) / 1000)

    async def wait_for_all(self) -> None:
        """Wait for late ballots, so that a slow test machine loses none."""
        until = now() + GRACE_MS
        while now() < until:
            if len(self.ballots) >= len(self.sockets):
                return
            await asyncio.sleep(0.01)

    def open_turn(self) -> None:
        self.turn_id, self.epoch = self.turn_id + 1, 1
        self.opens_at = now() + LEAD_MS
        self.closes_at = self.opens_at + self.window_ms
        self.ballots = {}

    def lose_box(self) -> None:
        self.ballots = {}
        self.epoch += 1
        self.announce(protocol.TurnRestored)

    def abort(self) -> None:
        self.aborted = True
        self.announce(protocol.MatchAborted)

    def resolve(self) -> None:
        if self.loses_ballot:
            self.ballots.popitem()
        self.sealed[self.turn_id] = dict(self.ballots)
        tallies = {side: self.tally(side) for side in ("red", "yellow")}
        picks = Picks(*(tallies[side].pick for side in ("red", "yellow")))
        self.position, resolution = self.game.resolve(self.position, picks)
        self.reveal = protocol.Reveal(
            turn=self.turn_id,
            number=self.turn_id,
            sealed_at=now(),
            resolved_at=now(),
            resolution=resolution,
            red=tallies["red"],
            yellow=tallies["yellow"],
        )

    def tally(self, side: str) -> SideTally:
        columns = [column for ballot_side, column, _ in self.ballots.values() if ballot_side == side]
        counts = tuple(columns.count(column) for column in range(1, 8))
        pick = counts.index(max(counts)) + 1 if columns else None
        return SideTally(counts=counts, ballots=len(columns), pick=pick, decided_by="plurality")

    def announce(self, kind: type[protocol.Change]) -> None:
        self.seq += 1
        change = kind(seq=self.seq, at=now(), state=self.state())
        broadcast(self.sockets, msgspec.json.encode(change).decode())

    async def send(self, socket: ServerConnection, message: msgspec.Struct) -> None:
        await socket.send(msgspec.json.encode(message).decode())

    def state(self) -> protocol.EventState:
        return protocol.EventState(
            code=self.code,
            name="A small hall",
            lobby=self.lobby,
            team_choice=TeamChoice.CHOOSE if self.ask_team else TeamChoice.BALANCE,
            teams=(protocol.Team(number=1, name="Reds"), protocol.Team(number=2, name="Yellows")),
            match=self.match() if self.turn_id else None,
            next_match_at=None,
            finished=(),
        )

    def match_state(self, result: str) -> MatchState:
        if self.aborted:
            return MatchState.ABORTED
        return MatchState.PLAYING if result == "open" else MatchState.ENDED

    def match(self) -> protocol.Match:
        result = self.game.result(self.position)
        return protocol.Match(
            id=1,
            number=1,
            game=self.game.slug,
            title=self.game.title,
            state=self.match_state(result),
            red=1,
            yellow=2,
            result=result,
            ended_by=None if result == "open" else Ending.BOARD,
            window_s=1,
            reveal_s=1,
            close_early=False,
            board=self.game.view(self.position, None),
            turn=self.turn()
            if result == "open" and self.turn_id not in self.sealed and not self.aborted
            else None,
            reveal=self.reveal,
        )

    def turn(self) -> protocol.Turn:
        return protocol.Turn(
            id=self.turn_id,
            number=self.turn_id,
            opens_at=self.opens_at,
            closes_at=self.closes_at,
            epoch=self.epoch,
            paused=False,
            left_ms=0,
            to_move=self.game.to_move(self.position),
            legal=protocol.Legal(
                red=self.game.legal_actions(self.position, "red"),
                yellow=self.game.legal_actions(self.position, "yellow"),
            ),
        )


def now() -> int:
    """The fake server's clock is an hour ahead of this machine's."""
    return time.time_ns() // 1_000_000 + 3_600_000


def refusal(cast: protocol.BallotCast, code: protocol.Refusal, last: int = 0) -> protocol.BallotRefused:
    return protocol.BallotRefused(turn=cast.turn, sequence=cast.sequence, code=code, last=last)
