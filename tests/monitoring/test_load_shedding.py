"""During a flood of each kind, votes count, and what is refused is counted. The documented kinds are all."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import get_args

import pytest
from websockets.exceptions import ConnectionClosed

from crowdgame.play.chat.consumer import MAX_UNANSWERED
from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.monitoring.probes import metric_value
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.open_turn import cast, open_turn
from voting.gateway.display import MAX_DISPLAYS
from voting.gateway.socket import FRAME_BURST
from voting.metrics.metrics import RefusalKind
from voting.protocol import CloseCode

Flood = Callable[[Server, SocketClients, str], None]
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text()


def send_cheers(server: Server, clients: SocketClients, _code: str) -> None:
    """In another event, since cheers are ignored during a vote."""
    phone, _ = clients.phone(server.ask("event", lobby="open")["code"])
    for _ in range(FRAME_BURST // 2):
        phone.say("cheer.send", presses=1)


def send_frames(server: Server, clients: SocketClients, code: str) -> None:
    phone, _ = clients.phone(code)
    with suppress(ConnectionClosed):  # the server may close it while the last ones are on their way
        for _ in range(FRAME_BURST * 2):
            phone.say("cheer.send", presses=1)
    assert phone.closed() == CloseCode.TOO_MANY_FRAMES


def open_displays(server: Server, clients: SocketClients, code: str) -> None:
    oldest, *_ = [clients.display(code)[0] for _ in range(MAX_DISPLAYS + 1)]
    assert oldest.closed() == CloseCode.CROWDED


def send_suggestions(server: Server, clients: SocketClients, _code: str) -> None:
    """More than one poll of the chat answers."""
    event = server.ask("event", window_s=600, lobby="open", team_discussion=True)
    server.ask("begin", event_id=event["id"])
    chat = clients.open("chat")
    chat.say("chat.join", key=server.ask("seat_token", event_id=event["id"], voter="ann", team=1))
    chat.receive("suggestion.answered")
    for number in range(2 * MAX_UNANSWERED + 2):
        chat.say("suggestion.send", text=f"Column {number}")


@pytest.mark.parametrize(
    ("kind", "flood"),
    [("cheer", send_cheers), ("frame", send_frames), ("display", open_displays), ("chat", send_suggestions)],
)
def test_votes_count_during_a_flood(
    kind: RefusalKind, flood: Flood, server: Server, clients: SocketClients
) -> None:
    def refused() -> float:
        return metric_value(server, "crowdgame_refusals_total", kind=kind)

    stage, before = open_turn(server), refused()
    phone, _ = clients.phone(stage.code)
    assert refused() == before
    with ThreadPoolExecutor(1) as thread:
        flooding = thread.submit(flood, server, clients, stage.code)
        for sequence in range(1, 6):
            phone.say("ballot.cast", **cast(stage.turn, 3, sequence))
            phone.receive("ballot.counted", sequence=sequence)
        flooding.result()
    wait_until(lambda: refused() > before)


def test_load_shedding_documents_every_kind_with_its_test() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(\w+)` \|$", PERFORMANCE, re.MULTILINE)
    assert sorted(kind for kind, _ in rows) == sorted(get_args(RefusalKind))
    for _, name in rows:
        assert any((ROOT / "tests").rglob(f"{name}.py")), name
