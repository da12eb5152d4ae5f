"""Simulated crowds that vote while a process fails, and their ballots compared with those in the database."""

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from redis import RedisError

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from tests.deploy.processes import wait_until
from tests.server import Server
from voting.ballot_box.box_types import event_key, turn_keys
from voting.ballot_box.stores import connect
from voting.counting.ballots import Ballot, unpack_ballots

PHONES = 60
ENOUGH = 15
TIMEOUT_S = 40
LONGEST_S = 120.0
BRISK = {"window_s": 3, "pace": "instant", "lobby": "open", "next_match_after_s": 3}


@dataclass(frozen=True, slots=True)
class RunningCrowd:
    """A process that simulates `phones` phones; its report says which ballots were acknowledged."""

    process: "subprocess.Popen[bytes]"
    phones: int
    report: Path
    log: Path

    def has_joined(self) -> bool:
        joined = f"{self.phones} of {self.phones} phones have joined"
        return joined in self.log.read_text() or self.process.poll() is not None

    def wait(self, within_s: float = LONGEST_S) -> RehearsalReport:
        self.process.wait(within_s)
        assert self.report.exists(), f"the crowd has no report: {self.log.read_text()[-300:]}"
        return msgspec.json.decode(self.report.read_bytes(), type=RehearsalReport)


@contextmanager
def running_crowd(argv: Sequence[str], phones: int, server: Server, folder: Path) -> Iterator[RunningCrowd]:
    folder.mkdir(parents=True, exist_ok=True)
    report, log = folder / "report.json", folder / "crowd.log"
    argv = [*MANAGE, "rehearse", *argv, "--url", server.http, "--phones", str(phones), "--json", str(report)]
    env = {**os.environ, **server.stack.env}
    with log.open("w") as out, subprocess.Popen(argv, cwd=ROOT, env=env, stdout=out, stderr=out) as process:
        try:
            yield RunningCrowd(process, phones, report, log)
        finally:
            process.kill()


@contextmanager
def crowd(server: Server, code: str, data: Path, *more: str) -> Iterator[RunningCrowd]:
    """PHONES simulated phones that have all joined."""
    with running_crowd([code, "--turns", "1000", *more], PHONES, server, data) as phones:
        wait_until(phones.has_joined, TIMEOUT_S)
        yield phones


def live_turn(server: Server, event: int) -> int | None:
    return next(iter(list_turns(server, event, "open")), None)


def connected(server: Server, event: int) -> int:
    return sum(held(server, event))


def held(server: Server, event: int) -> list[int]:
    """Connected voters per gateway, in ascending order."""
    with connect(server.stack.box_url or server.stack.redis) as redis:
        heartbeats = [heartbeat.split() for heartbeat in redis.hvals(event_key(event, "gateways"))]
    return sorted(int(one) + int(two) for _, _, one, two, _ in heartbeats)


def turn_with_ballots(server: Server, event: int) -> int:
    found: list[int] = []

    def is_there() -> bool:
        turn = live_turn(server, event)
        with suppress(RedisError), connect(server.stack.box_url or server.stack.redis) as redis:
            if turn and redis.hlen(turn_keys(event, turn)[1]) >= ENOUGH:
                found.append(turn)
        return bool(found)

    wait_until(is_there, TIMEOUT_S)
    return found[0]


def leave(phones: RunningCrowd) -> RehearsalReport:
    phones.process.send_signal(signal.SIGINT)
    report = phones.wait(TIMEOUT_S)
    assert phones.process.returncode == 0
    return report


def restart(server: Server, event: int, part: str, number: signal.Signals) -> int:
    """Signal a part while ballots arrive. Wait for its restart and the turn's resolution; return the turn."""
    turn = turn_with_ballots(server, event)
    pid = server.supervisor.pid(part)
    assert pid
    os.kill(pid, number)
    wait_until(lambda: server.supervisor.pid(part) not in {None, pid}, TIMEOUT_S)
    wait_until(lambda: turn in resolved_turns(server, event), TIMEOUT_S)
    return turn


def resolve_another(server: Server, event: int) -> int:
    before = set(resolved_turns(server, event))
    wait_until(lambda: set(resolved_turns(server, event)) - before, TIMEOUT_S)
    return min(set(resolved_turns(server, event)) - before)


def vote_during(fail: Callable[[int], list[int]], server: Server) -> RehearsalReport:
    """Let a crowd vote in a new event. `fail` takes its id; it returns the turns with a failed process.

    No ballot may be lost, no turn missing or resolved twice, and no phone sent away.
    """
    made = server.ask("event", **BRISK)
    event = made["id"]
    with crowd(server, made["code"], server.stack.data) as phones:
        server.ask("begin", event_id=event)
        turns = fail(event)
        resolve_another(server, event)
        report = leave(phones)
    resolve_another(server, event)  # the turn that was open when the crowd left
    resolved = resolved_turns(server, event)
    assert len(set(turns)) == 2
    assert set(turns) <= set(resolved) & set(report.ledger)
    assert_nothing_is_lost(server, report, resolved)
    assert_counts_are_of_sealed_ballots(server)
    assert_resolved_once(server, event)
    assert report.ballots.acknowledged > PHONES * 2
    assert (report.joined, report.unreadable, report.away) == (PHONES, 0, {})
    return report


@contextmanager
def during_window(server: Server, event: int) -> Iterator[int]:
    """The turn in which ballots arrive; waits at the end until it is resolved."""
    turn = turn_with_ballots(server, event)
    yield turn
    wait_until(lambda: turn in resolved_turns(server, event), TIMEOUT_S)


def list_turns(server: Server, event: int, *states: str) -> list[int]:
    wanted = ", ".join(f"'{state}'" for state in states)
    sql = (
        "SELECT t.id FROM games_turn t JOIN games_match m ON m.id = t.match_id "  # noqa: S608
        f"WHERE m.event_id = ? AND t.state IN ({wanted}) ORDER BY t.id"
    )
    return [turn for (turn,) in server.rows(sql, event)]


def resolved_turns(server: Server, event: int) -> list[int]:
    return list_turns(server, event, "resolved")


def sealed_ballots(server: Server, turn: int) -> dict[str, Ballot]:
    rows = server.rows("SELECT sealed FROM voting_tallyrecord WHERE turn_id = ?", turn)
    return {ballot.voter: ballot for (packed,) in rows for ballot in unpack_ballots(packed)}


def assert_nothing_is_lost(server: Server, report: RehearsalReport, turns: list[int]) -> None:
    """Every acknowledged ballot, or a later one of that voter, is in its sealed turn."""
    for turn in turns:
        held = sealed_ballots(server, turn)
        for phone, (choice, sequence) in report.ledger.get(turn, {}).items():
            ballot = held.get(report.voters[phone])
            assert ballot is not None, f"turn {turn}: the ballot of phone {phone} is lost"
            assert ballot.sequence >= sequence
            assert ballot.sequence > sequence or ballot.choice == choice


def assert_counts_are_of_sealed_ballots(server: Server) -> None:
    sql = "SELECT turn_id, side, counts, ballots, sealed FROM voting_tallyrecord"
    for turn, side, counts, total, packed in server.rows(sql):
        ballots = unpack_ballots(packed)
        tally = msgspec.json.decode(counts)
        assert {c: n for c, n in enumerate(tally, 1) if n} == Counter(b.choice for b in ballots), turn
        assert (sum(tally), len({ballot.voter for ballot in ballots})) == (total, total)
        assert {ballot.side for ballot in ballots} <= {side}


def assert_resolved_once(server: Server, event: int) -> None:
    """Each turn has two tallies and one reveal, in order; announcements have no gap."""
    turns = resolved_turns(server, event)
    tallies = "SELECT turn_id, COUNT(*) FROM voting_tallyrecord GROUP BY turn_id"
    assert dict.fromkeys(turns, 2).items() <= dict(server.rows(tallies)).items()
    bodies = server.rows("SELECT body FROM voting_announcement WHERE event_id = ? ORDER BY seq", event)
    messages = [msgspec.json.decode(body) for (body,) in bodies]
    assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))
    revealed = [m["state"]["match"]["reveal"]["turn"] for m in messages if m["type"] == "turn.revealed"]
    assert revealed == turns
