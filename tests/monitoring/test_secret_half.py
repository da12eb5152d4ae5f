"""Two events that differ only in the votes of the selector's holder look the same until the reveal."""

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.monitoring.observers import Observers, watchers
from tests.monitoring.probes import monitored_server, paused
from tests.monitoring.test_secrecy import differing, vote
from tests.server import Server
from tests.socket_clients import open_clients

pytestmark = pytest.mark.nightly

ANSWER = [3, 3, 5]
LONG_MS = 540_000
OWN_COUNTS_S = 2.5
WHOLE: dict[str, Any] = {
    "lobby": "open",
    "team_choice": "choose",
    "game": "single-selector",
    "options": {"token": "red"},
}
SEES_MORE = {"peek": True, "own_counts": True}  # but not of the secret votes
LOGGED = re.compile(r'[\d.]+ ms\b|"(sealed|resolved)_ms": [\d.]+')
AS_THEY_COME = re.compile(r'^.*"type":"(team\.counted|counts\.updated)".*\n?', re.MULTILINE)


@dataclass(frozen=True)
class Observation:
    """What observers saw between the half-turns and in the second one; a voter's receipt; the reveal."""

    between: dict[str, str]
    answering: dict[str, str]
    receipt: dict[str, Any]
    reveal: dict[str, Any]


def observation(data: Path, chosen: list[int]) -> Observation:
    with monitored_server(data) as server, open_clients(server) as clients:
        made = server.ask("event", window_s=LONG_MS // 1000, **WHOLE, **SEES_MORE)
        server.ask("begin", event_id=made["id"])
        with watchers(server, clients, made["code"]) as watching:
            projector, voter = watching.clients["the projector"], watching.clients["a phone of team 1"]
            moved(server, watching, made["id"])
            vote(clients, made["code"], {1: chosen})
            projector.receive("turnout.counted", voted=[len(chosen), 0])
            time.sleep(OWN_COUNTS_S)  # own counts would arrive by then
            message = closed(server, watching, made["id"], "turn.concealed")
            kept = message["state"]["match"]["concealed"]["turn"]
            receipt = voter.say("receipt.ask", turn=kept).receive("receipt.issued")
            between = observe(watching)
            moved(server, watching, made["id"])
            vote(clients, made["code"], {2: ANSWER})
            for name in ("the projector", "the console", "a phone of team 1", "a phone of team 2"):
                watching.clients[name].receive("team.counted", counts=[0, 0, 2, 0, 1, 0, 0])
            answering = but_for_the_open_vote(observe(watching))
            reveal = closed(server, watching, made["id"], "turn.revealed")
            return Observation(between, answering, receipt, reveal)
    raise AssertionError("there was no observer")


def moved(server: Server, watching: Observers, event_id: int) -> None:
    server.ask("close_after", event_id=event_id, ms=LONG_MS)
    watching.receive("turn.moved")


def closed(server: Server, watching: Observers, event_id: int, kind: str) -> dict[str, Any]:
    """Let the worker close the turn and return the announcement; a scheduler could seal it a second time."""
    with paused(server, "scheduler-1", "scheduler-2"):
        turn = server.ask("close_after", event_id=event_id, ms=0)
        server.ask("call_worker", turn_id=turn)
        return watching.receive(kind)


def observe(watching: Observers) -> dict[str, str]:
    """The visible output without durations."""
    return {name: LOGGED.sub("TIME", text) for name, text in watching.observe().items()}


def but_for_the_open_vote(seen: dict[str, str]) -> dict[str, str]:
    """The visible output without interim counts, whose number is random."""
    texts = {name: text for name, text in seen.items() if not name.startswith("size of")}
    return {name: AS_THEY_COME.sub("", f"{text}\n") for name, text in texts.items()}


@pytest.fixture(scope="module")
def observations(tmp_path_factory: pytest.TempPathFactory) -> tuple[Observation, Observation]:
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    return observation(one, [1, 1, 2]), observation(other, [7, 6, 7])


@pytest.mark.parametrize("moment", ["between", "answering"])
def test_secret_half_no_observable_difference_before_reveal(
    observations: tuple[Observation, Observation], moment: str
) -> None:
    one, other = (getattr(observation, moment) for observation in observations)
    assert differing(one, other) == {}
    assert one == other


def test_secret_half_receipt_hides_side_and_path(observations: tuple[Observation, Observation]) -> None:
    for observation in observations:
        assert (observation.receipt["side"], observation.receipt["path"]) == (None, [])


def test_secret_half_peek_and_own_counts_hide_votes(
    observations: tuple[Observation, Observation],
) -> None:
    text = "".join(observations[0].between.values())
    assert "team.counted" not in text
    assert "counts.updated" not in text


def test_secret_half_observers_see_all_public_output(observations: tuple[Observation, Observation]) -> None:
    """Otherwise an empty observation would pass the comparison."""
    seen = observations[0].between
    for name in ("the projector", "a phone of team 2", "channel layer", "outbox"):
        assert "turn.concealed" in seen[name]
        assert '"concealed":{' in seen[name]
    assert "sealed TIME and resolved TIME" in seen["log of the worker"]
    assert seen["page /record/{code}/1.json"].startswith("200")
    assert seen["page /report/{code}/1.csv"].startswith("200")


def test_secret_half_reveal_publishes_both_tallies(observations: tuple[Observation, Observation]) -> None:
    reveals = [observation.reveal["state"]["match"]["reveal"] for observation in observations]
    assert [reveal["red"]["counts"] for reveal in reveals] == [[2, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 2]]
    assert [reveal["yellow"]["counts"] for reveal in reveals] == [[0, 0, 2, 0, 1, 0, 0]] * 2
    assert all(reveal["concealed"]["seed"] for reveal in reveals)
