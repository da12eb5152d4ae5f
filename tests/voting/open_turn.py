"""Open turns on a running server, and casting ballots in them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClient


@dataclass
class Stage:
    """An event with a turn that stays open for minutes."""

    id: int
    code: str
    turn: int


def open_turn(server: Server, picks: Sequence[tuple[int, int]] = (), **choices: Any) -> Stage:
    """Create an event and open its first turn, or the one after these picks."""
    made = server.ask("event", **{"window_s": 600, "lobby": "open", **choices})
    return Stage(made["id"], made["code"], server.ask("play_to", event_id=made["id"], picks=picks))


@pytest.fixture(scope="module")
def stage(server: Server) -> Stage:
    """Column 1 is full."""
    server.ask("abort_all_matches")  # events of other tests must not change anything meanwhile
    return open_turn(server, [(1, 1)] * 3)


@pytest.fixture
def harmless(server: Server, stage: Stage) -> Iterator[None]:
    """Check that the test leaves the database unchanged and no error in the gateway's log."""
    before, since = server.contents(), len(server.log("gateway"))
    yield
    assert server.contents() == before
    assert server.log_errors("gateway", since) == []


def event(server: Server, **choices: Any) -> str:
    return str(server.ask("event", **choices)["code"])


def cast(turn: int, choice: int = 4, sequence: int = 1, epoch: int = 1) -> dict[str, Any]:
    return {"turn": turn, "choice": choice, "sequence": sequence, "epoch": epoch}


def vote(client: SocketClient, turn: int, choice: int = 4, sequence: int = 1, **blind: str) -> Message:
    client.say("ballot.cast", **cast(turn, choice, sequence), **blind)
    return client.receive("ballot.counted", turn=turn, sequence=sequence)


def refusal(client: SocketClient, **ballot: int) -> str:
    client.say("ballot.cast", **ballot)
    message = client.receive("ballot.refused", turn=ballot["turn"], sequence=ballot["sequence"])
    return str(message["code"])
