"""`python -m tests.fuzz --frames 1000000 --server uvicorn`: fuzz a real gateway and report the outcome."""

import argparse
import asyncio
import secrets
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from crowdgame.server.laptop.stack import SERVERS
from tests.fuzz.attack import Attack
from tests.fuzz.messages import Known
from tests.server import Server, running_server
from tests.socket_clients import SocketClient, SocketClients

VOTERS = 40
EVERY_S = 0.5
VOTES = 6
HOUR_MS = 3_600_000
SETTLE_S = 3.0
WARMUP_SHARE, WARMUP_FRAMES = 0.2, 10_000
MAX_ATTACKS = 4  # after the first
MAX_GROWTH_MIB = 8.0


@dataclass
class HonestPhone:
    """A phone that votes at once, then changes its vote twice a second. Each ballot must be acknowledged."""

    phone: SocketClient
    turn: int
    cast: int = 0
    counted: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def vote(self) -> None:
        while not self.cast or not self.over.wait(EVERY_S):
            self.cast += 1
            ballot = {"turn": self.turn, "epoch": 1, "choice": self.cast % 7 + 1, "sequence": self.cast}
            self.phone.say("ballot.cast", **ballot).receive("ballot.counted", sequence=self.cast)
            self.counted += 1


@dataclass
class Outcome:
    """`memory_mib` is that of the gateway after each attack; `damage` is what the attacks changed."""

    attack: Attack
    honest: HonestPhone
    memory_mib: list[float] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

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
        server.ask("begin", event_id=target["id"])
        turn = int(server.ask("close_after", event_id=target["id"], ms=24 * HOUR_MS))
        phone, *others = [clients.phone(target["code"]) for _ in range(VOTERS)]
        for other, _ in others:
            other.leave()
        server.ask("edit", event_id=target["id"], lobby="locked")
        phone[0].receive_until(lambda message: message.get("state", {}).get("lobby") == "locked")
        tokens = tuple(welcome["you"]["token"] for _, welcome in (phone, *others))
        # The first request for a page makes Django import the code of all pages.
        urllib.request.urlopen(f"{server.http}/console/login/").close()  # noqa: S310
        known = Known(target["code"], turn, tokens[1:]), Known(sandbox["code"], 1, tokens[1:])
        console = (f"Cookie: {server.ask('session', name='mallory')}", f"Origin: {server.http}")
        outcome = Outcome(Attack(server.stack.port, *known, console, seed), HonestPhone(phone[0], turn))
        before, since = _event_rows(server, target["id"]), len(server.log("gateway"))
        _run_attacks(outcome, psutil.Process(server.supervisor.pid("gateway")), frames)
        after = _event_rows(server, target["id"])
        errors = server.log_errors("gateway", since)[:5]
        outcome.damage += [f"the log reports an error: {line}" for line in errors]
        outcome.damage += [f"the event's {name} changed" for name in before if before[name] != after[name]]
        voted = set(server.ask("voters_in_box", event_id=target["id"], turn_id=turn))
        seated = [token.split(".")[1] for token in tokens]
        assert seated[0] in voted, "the box has no ballot of the honest phone"
        unseated = sorted(voted - set(seated))[:5]
        outcome.damage += [f"a ballot of {voter}, who has no seat" for voter in unseated]
        return outcome


def _run_attacks(outcome: Outcome, gateway: psutil.Process, frames: int) -> None:
    honest, memory_mib = outcome.honest, outcome.memory_mib
    with ThreadPoolExecutor(max_workers=1) as thread:
        voting = thread.submit(honest.vote)
        try:
            for at_least in (max(WARMUP_FRAMES, int(WARMUP_SHARE * frames)), *(frames,) * MAX_ATTACKS):
                enough = honest.counted + VOTES
                may_end = lambda: honest.counted >= enough or voting.done()  # noqa: B023, E731
                asyncio.run(outcome.attack.run(at_least, may_end))
                time.sleep(SETTLE_S)  # no event tells that the gateway has freed what the attack used
                memory_mib.append(gateway.memory_info().rss / 2**20)
                if len(memory_mib) > 1 and outcome.growth_mib <= MAX_GROWTH_MIB:
                    break
        finally:
            honest.over.set()
        voting.result()


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


def faults(outcome: Outcome) -> list[str]:
    found, honest = [*outcome.damage], outcome.honest
    if honest.counted < honest.cast:
        found.append(f"the honest phone was answered {honest.counted} times for {honest.cast} ballots")
    if outcome.growth_mib > MAX_GROWTH_MIB:
        found.append(f"the gateway grew by {outcome.growth_mib:.1f} MiB in the last attack")
    return found


def format_outcome(outcome: Outcome) -> str:
    attack, honest = outcome.attack, outcome.honest
    ends = ", ".join(f"{how} {times:,}" for how, times in attack.ended.most_common())
    sizes = ", ".join(f"{size:.1f}" for size in outcome.memory_mib)
    return (
        f"{attack.sent:,} frames on {attack.sockets:,} sockets: {ends}\n"
        f"the honest phone: {honest.counted} of {honest.cast} ballots counted\n"
        f"gateway after each attack, MiB: {sizes}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0])
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--keep", type=Path, help="a folder in which to keep data and logs")
    options = parser.parse_args()
    print(f"{options.server}, seed {options.seed}", flush=True)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(TemporaryDirectory(prefix="crowdgame-fuzz-")))
        folder.mkdir(parents=True, exist_ok=True)
        server = stack.enter_context(running_server(folder, options.server))
        outcome = attack(server, options.frames, options.seed)
    print(format_outcome(outcome))
    found = faults(outcome)
    print("\n".join(f"✗ {fault}" for fault in found) or "✓ nothing but valid ballots changed anything")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
