"""Attack an event while an honest phone votes in it, and record the outcome."""

import asyncio
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import psutil

from tests.fuzz.attack import Attack
from tests.fuzz.messages import Known
from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients

VOTERS = 40
EVERY_S = 0.5
VOTES = 6
HOUR_MS = 3_600_000
SETTLE_S = 3.0
WARMUP_SHARE, WARMUP_FRAMES = 0.2, 10_000
MAX_ATTACKS = 4  # after the first
MAX_GROWTH_MIB = 8.0
MIB = 1 << 20


@dataclass
class HonestPhone:
    """A phone that votes at once, then changes its vote twice a second. Each ballot must be acknowledged."""

    phone: SocketClient
    turn: int
    cast: int = 0
    counted: int = 0
    slowest_s: float = 0.0
    over: threading.Event = field(default_factory=threading.Event)

    def vote(self) -> None:
        self._cast()
        while not self.over.wait(EVERY_S):
            self._cast()

    def _cast(self) -> None:
        self.cast += 1
        began = time.monotonic()
        ballot = {"turn": self.turn, "epoch": 1, "choice": self.cast % 7 + 1, "sequence": self.cast}
        self.phone.say("ballot.cast", **ballot)
        self.phone.receive("ballot.counted", sequence=self.cast)
        self.counted += 1
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)


@dataclass
class Outcome:
    """`memory_mib` is that of the gateway after each attack; `log_errors` are lines of its log.

    `unseated_voters` have a ballot in the event's box but never received a seat.
    """

    attack: Attack
    honest: HonestPhone
    seconds: float
    memory_mib: list[float]
    log_errors: list[str]
    logged: int
    changed: list[str]
    unseated_voters: list[str] = field(default_factory=list)

    @property
    def growth_mib(self) -> float:
        """MiB by which the last attack made the gateway grow."""
        return self.memory_mib[-1] - self.memory_mib[-2]


def attack(server: Server, frames: int, seed: int) -> Outcome:
    """Attack a gateway repeatedly, each time until the honest phone has VOTES acknowledgements.

    The first attack warms it up. Each of the others sends at least `frames` frames; they end with the first
    one after which the gateway has not grown. Garbage that is collected late makes a gateway grow once or
    twice, a leak makes it grow each time.
    """
    with ExitStack() as stack:
        clients = SocketClients(server, stack)
        target = server.ask("event", lobby="open")
        sandbox = server.ask("event", owner="mallory", lobby="open")
        turn = _open_for_long(server, target["id"])
        phone, tokens = _join_phone(server, clients, target)
        console = (f"Cookie: {server.ask('session', name='mallory')}", f"Origin: {server.http}")
        attack = Attack(
            server.stack.port,
            target=Known(target["code"], turn, tokens[1:]),
            sandbox=Known(sandbox["code"], 1, tokens[1:]),
            console=console,
            seed=seed,
        )
        _load_pages(server)
        outcome = _run_attacks(server, attack, frames, HonestPhone(phone, turn), target["id"])
        voted = set(server.ask("voters_in_box", event_id=target["id"], turn_id=turn))
        assert _voter_id(tokens[0]) in voted, "the box has no ballot of the honest phone"
        outcome.unseated_voters = sorted(voted - {_voter_id(token) for token in tokens})
        return outcome


def _open_for_long(server: Server, event: int) -> int:
    server.ask("begin", event_id=event)
    return int(server.ask("close_after", event_id=event, ms=24 * HOUR_MS))


def _join_phone(
    server: Server, clients: SocketClients, target: dict[str, Any]
) -> tuple[SocketClient, tuple[str, ...]]:
    """The honest phone and all seat tokens, its own first; joining is locked afterwards."""
    honest, *others = [clients.phone(target["code"]) for _ in range(VOTERS)]
    for phone, _ in others:
        phone.leave()
    server.ask("edit", event_id=target["id"], lobby="locked")
    honest[0].receive_until(lambda message: message.get("state", {}).get("lobby") == "locked")
    return honest[0], tuple(welcome["you"]["token"] for _, welcome in (honest, *others))


def _load_pages(server: Server) -> None:
    """Request a page, since the first request makes Django import the code of all pages."""
    with urllib.request.urlopen(f"{server.http}/console/login/") as page:  # noqa: S310
        page.read()


def _voter_id(token: str) -> str:
    return token.split(".")[1]


def _run_attacks(server: Server, attack: Attack, frames: int, honest: HonestPhone, event: int) -> Outcome:
    gateway = psutil.Process(server.supervisor.pid("gateway"))
    before, since = _event_rows(server, event), len(server.log("gateway"))
    memory_mib = []
    with ThreadPoolExecutor(max_workers=1) as thread:
        voting = thread.submit(honest.vote)
        began = time.monotonic()
        try:
            for at_least in (max(WARMUP_FRAMES, int(WARMUP_SHARE * frames)), *(frames,) * MAX_ATTACKS):
                enough = honest.counted + VOTES
                asyncio.run(attack.run(at_least, lambda: honest.counted >= enough or voting.done()))  # noqa: B023
                time.sleep(SETTLE_S)  # let garbage collection run before memory is measured
                memory_mib.append(gateway.memory_info().rss / MIB)
                if len(memory_mib) > 1 and memory_mib[-1] - memory_mib[-2] <= MAX_GROWTH_MIB:
                    break
        finally:
            honest.over.set()
        seconds = time.monotonic() - began
        voting.result()
    after = _event_rows(server, event)
    return Outcome(
        attack,
        honest,
        seconds,
        memory_mib,
        log_errors=server.log_errors("gateway", since),
        logged=len(server.log("gateway")) - since,
        changed=[name for name in before if before[name] != after[name]],
    )


def _event_rows(server: Server, event: int) -> dict[str, Any]:
    """The event's rows in the database, without the turnout that schedulers record."""
    queries = {
        "event": "SELECT * FROM games_event WHERE id = ?",
        "teams": "SELECT * FROM games_team WHERE event_id = ?",
        "matches": "SELECT * FROM games_match WHERE event_id = ?",
        "turns": "SELECT t.id, t.state, t.version, t.epoch, t.opens_at, t.closes_at, t.left_ms, t.seed"
        " FROM games_turn t JOIN games_match m ON m.id = t.match_id WHERE m.event_id = ?",
        "announcements": "SELECT id, seq FROM voting_announcement WHERE event_id = ?",
    }
    return {name: server.rows(sql, event) for name, sql in queries.items()}
