"""Two events with hidden ballots swapped between the teams look the same to every observer."""

import json
import time
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.monitoring.observers import Observers, watchers
from tests.monitoring.probes import monitored_server, paused
from tests.server import Server
from tests.socket_clients import SocketClients, open_clients

LOW, HIGH = [1, 1, 2], [7, 7, 6]
IN_THE_BOX, IN_THE_DATABASE = 540_000, 1_100_000
HEX = "0123456789abcdef"
COLUMNS = 7
DEADLINE_AND_HEARTBEAT_S = 1.5


@dataclass(frozen=True)
class Observation:
    """What observers saw in the window, after the deadline while the turn stayed open, and of the seal.

    `asked`: the admin's status codes for filters on the turn's seed, digit by digit.
    """

    in_window: dict[str, str]
    after_deadline: dict[str, str]
    turnout: list[dict[str, Any]]
    seal: dict[str, Any]
    reveal: dict[str, Any]
    asked: set[int]
    seed: str


def observation(data: Path, ballots: dict[int, list[int]], window_ms: int) -> Observation:
    with monitored_server(data) as server, open_clients(server) as clients:
        terms = {"lobby": "open", "team_choice": "choose", "window_s": window_ms // 1000}
        made = server.ask("event", **terms)
        server.ask("begin", event_id=made["id"])
        with watchers(server, clients, made["code"]) as watching:
            turn = server.ask("close_after", event_id=made["id"], ms=window_ms)
            watching.receive("turn.moved")
            vote(clients, made["code"], ballots)
            watching.clients["the projector"].receive("turnout.counted", voted=[len(LOW), len(HIGH)])
            stored = server.rows("SELECT COUNT(*) FROM voting_storedballot")
            assert stored == [(len(LOW + HIGH) if window_ms == IN_THE_DATABASE else 0,)]
            return _record_turn(server, watching, made["id"], turn)
    raise AssertionError("there was no observer")


def _record_turn(server: Server, watching: Observers, event: int, turn: int) -> Observation:
    ((seed,),) = server.rows("SELECT seed FROM games_turn WHERE id = ?", turn)
    in_window = watching.observe()
    assert all(seed not in text for text in watching.raw_output.values())
    with paused(server, "scheduler-1", "scheduler-2", "worker"):
        server.ask("close_after", event_id=event, ms=200)
        watching.receive("turn.moved")
        time.sleep(DEADLINE_AND_HEARTBEAT_S)  # nothing should happen, so there is nothing to wait for
        after_deadline = watching.observe()
        assert all(seed not in text for text in watching.raw_output.values())
        asked = {watching.admin_status(f"/admin/games/turn/?seed__startswith={digit}") for digit in HEX}
    projector = watching.clients["the projector"]
    reveal = projector.receive("turn.revealed")
    seal = next(message for message in projector.received if message["type"] == "turn.sealed")
    return Observation(in_window, after_deadline, watching.turnout(), seal, reveal, asked, seed)


def vote(clients: SocketClients, code: str, ballots: dict[int, list[int]]) -> None:
    for team, columns in ballots.items():
        for choice in columns:
            phone, welcome = clients.phone(code, team=team)
            turn = welcome["state"]["match"]["turn"]
            if welcome["now_at"] < turn["opens_at"]:  # its gateway has not applied the new window yet
                phone.receive("turn.moved")
            phone.say("ballot.cast", turn=turn["id"], choice=choice, sequence=1, epoch=turn["epoch"])
            phone.receive("ballot.counted")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(IN_THE_BOX, id="in the box"),
        pytest.param(IN_THE_DATABASE, id="in the database", marks=pytest.mark.nightly),
    ],
)
def observations(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Observation, Observation]:
    one = observation(tmp_path_factory.mktemp("one"), {1: LOW, 2: HIGH}, request.param)
    other = observation(tmp_path_factory.mktemp("other"), {1: HIGH, 2: LOW}, request.param)
    return one, other


def differing(one: dict[str, str], other: dict[str, str]) -> dict[str, tuple[str, str]]:
    """The observers that see a difference, each with the first differing line."""
    found = {}
    for name in one.keys() | other.keys():
        lines = zip_longest(one.get(name, "").splitlines(), other.get(name, "").splitlines(), fillvalue="")
        if pairs := [pair for pair in lines if pair[0] != pair[1]]:
            found[name] = pairs[0]
    return found


def test_secrecy_no_observable_difference_during_window(
    observations: tuple[Observation, Observation],
) -> None:
    one, other = observations
    assert differing(one.in_window, other.in_window) == {}
    assert one.in_window == other.in_window


def test_secrecy_no_observable_difference_between_deadline_and_reveal(
    observations: tuple[Observation, Observation],
) -> None:
    one, other = observations
    assert differing(one.after_deadline, other.after_deadline) == {}
    assert one.after_deadline == other.after_deadline


def test_secrecy_observers_see_all_public_output(observations: tuple[Observation, Observation]) -> None:
    """Otherwise an empty observation would pass the comparison."""
    seen = observations[0].in_window
    voted = f"[('outcome', 'counted')]\": {float(len(LOW + HIGH))}"
    assert voted in seen["metric_samples"]
    assert "gateway started" in seen["log of the gateways"]
    assert "turn.moved" in seen["channel layer"]
    assert "turn.moved" in seen["outbox"]
    assert all(f'"columns":{COLUMNS}' in seen[name] for name in ("the projector", "a phone of team 2"))
    admins = {path.split()[1] for path in seen if path.startswith("admin ")}
    lists = {
        "games/turn",
        "voting/storedballot",
        "voting/tallyrecord",
        "voting/announcement",
        "voting/ticket",
    }
    assert {f"/admin/{name}/" for name in lists} <= admins
    assert any(path.startswith("/admin/games/turn/") and path.endswith("/change/") for path in admins)
    assert seen["page /privacy"].startswith("200")
    assert seen["page /record/{code}/1.json"].startswith("200")


def test_turnout_has_only_counts_per_team(observations: tuple[Observation, Observation]) -> None:
    for observation in observations:
        assert observation.turnout
        assert {frozenset(message) for message in observation.turnout} == {
            frozenset({"type", "turn", "connected", "voted", "picked_at", "watching", "votes_per_s"})
        }
        assert {message["picked_at"] for message in observation.turnout} == {
            None
        }  # only in duels with clocks
        assert {message["watching"] for message in observation.turnout} == {0}  # only in duels
        assert {len(message[name]) for message in observation.turnout for name in ("connected", "voted")} == {
            2
        }
        assert max(message["voted"] for message in observation.turnout) == [len(LOW), len(HIGH)]
        assert {n for message in observation.turnout for n in message["voted"]} <= set(range(len(LOW) + 1))


def test_seed_is_published_with_reveal_and_not_filterable_in_admin(
    observations: tuple[Observation, Observation],
) -> None:
    """`_record_turn` checks that no observer saw it before; the admin refuses to filter by it."""
    for observation in observations:
        assert observation.asked == {400}
        assert observation.reveal["state"]["match"]["reveal"]["seed"] == observation.seed


def test_seal_has_only_root_and_ballot_count_per_side(observations: tuple[Observation, Observation]) -> None:
    for observation in observations:
        assert observation.seal.keys() == {"type", "turn", "at", "red", "yellow", "turn_commitment"}
        assert observation.seal["turn_commitment"] is None  # only with secret sides
        for side in ("red", "yellow"):
            assert observation.seal[side].keys() == {"root", "ballots"}
            assert observation.seal[side]["ballots"] == len(LOW)


def test_secrecy_observers_see_the_difference_after_reveal(
    observations: tuple[Observation, Observation],
) -> None:
    """The same observers would have seen it earlier."""
    red = [observation.reveal["state"]["match"]["reveal"]["red"]["counts"] for observation in observations]
    assert sorted(red) == [[0, 0, 0, 0, 0, 1, 2], [2, 1, 0, 0, 0, 0, 0]]


def test_peek_shows_votes_to_console_only(server: Server, clients: SocketClients) -> None:
    terms = {"lobby": "open", "team_choice": "choose", "window_s": 600, "peek": True}
    made = server.ask("event", **terms)
    server.ask("begin", event_id=made["id"])
    server.ask("open_turn_now", event_id=made["id"])
    with watchers(server, clients, made["code"]) as watching:
        vote(clients, made["code"], {1: LOW, 2: HIGH})
        console = watching.clients.pop("the console")
        console.receive("counts.updated", red=[2, 1, 0, 0, 0, 0, 0], yellow=[0, 0, 0, 0, 0, 1, 2])
        frames = watching.frames()
        assert all("counts.updated" not in frame for received in frames.values() for frame in received)
        assert all('"peek":true' in received[0] for name, received in frames.items() if "seat" not in name)
        assert "counts.updated" not in watching.observe()["channel layer"]


def test_own_counts_show_votes_to_own_team_only(server: Server, clients: SocketClients) -> None:
    terms = {"lobby": "open", "team_choice": "choose", "window_s": 600, "own_counts": True}
    made = server.ask("event", **terms)
    server.ask("begin", event_id=made["id"])
    server.ask("open_turn_now", event_id=made["id"])
    own = {1: [2, 1, 0, 0, 0, 0, 0], 2: [0, 0, 0, 0, 0, 1, 2]}
    with watchers(server, clients, made["code"]) as watching:
        vote(clients, made["code"], {1: LOW, 2: HIGH})
        for team, counts in own.items():
            watching.clients[f"a phone of team {team}"].receive("team.counted", counts=counts)
        frames = watching.frames()
        assert all(
            '"own_counts":true' in received[0] for name, received in frames.items() if "seat" not in name
        )
        for team, counts in own.items():
            received = [json.loads(frame) for frame in frames.pop(f"a phone of team {team}")]
            team_counts = [message["counts"] for message in received if message["type"] == "team.counted"]
            assert all(
                so_far <= whole for seen in team_counts for so_far, whole in zip(seen, counts, strict=True)
            )
        assert set(frames) == {"a phone without a seat", "the projector", "the console"}
        assert all("team.counted" not in frame for received in frames.values() for frame in received)
        observe = watching.observe()
        for name in ("channel layer", "outbox", "log of the gateways", "metric_samples"):
            assert "team.counted" not in observe[name]
