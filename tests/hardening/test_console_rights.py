"""An open console loses its rights when its session or its ownership ends."""

from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from voting.protocol import CloseCode

ENDINGS = ("log_out", "deactivate", "give_away_events")
REFUSALS: tuple[list[str], ...] = ([], ["You don't have permission to do this."])


def open_console(server: Server, clients: SocketClients, name: str) -> SocketClient:
    """Open the console of a new event that this organizer owns."""
    event = server.ask("event", owner=name)
    console = clients.console(event["code"], server.ask("session", name=name))
    console.receive("console.welcomed")
    return console


@pytest.mark.parametrize(
    "ending",
    [
        "log_out",
        *(pytest.param(ending, marks=pytest.mark.nightly) for ending in ENDINGS if ending != "log_out"),
    ],
)
def test_console_action_after_session_end_is_refused_and_closes_socket(
    ending: str, server: Server, clients: SocketClients
) -> None:
    server.ask("abort_all_matches")  # events of other tests must not change anything meanwhile
    console = open_console(server, clients, f"presses-{ending}")
    console.say("action.ask", id=1, action="lobby.open").receive("action.done", id=1)
    server.ask(ending, name=f"presses-{ending}")
    before = server.contents()
    with suppress(ConnectionClosed):  # the gateway may have noticed the end before it reads the action
        console.say("action.ask", id=2, action="match.start")
    assert console.closed() == CloseCode.NOT_ALLOWED
    assert [
        message["text"] for message in console.received if message["type"] == "action.refused"
    ] in REFUSALS
    assert server.contents() == before


def test_idle_console_is_closed_soon_after_session_end(server: Server, clients: SocketClients) -> None:
    """All consoles are open at once, one for each way to lose the rights."""
    consoles = [open_console(server, clients, f"looks-{ending}") for ending in ENDINGS]
    for ending in ENDINGS:
        server.ask(ending, name=f"looks-{ending}")
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(ENDINGS)
