from contextlib import suppress

from websockets.exceptions import ConnectionClosed

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from voting.protocol import CloseCode

ENDINGS = ("log_out", "deactivate", "give_away_events")


def open_console(server: Server, clients: SocketClients, name: str) -> SocketClient:
    """Open the console of a new event that this organizer owns."""
    event = server.ask("event", owner=name)
    console = clients.console(event["code"], server.ask("session", name=name))
    console.receive("console.welcomed")
    return console


def test_console_action_after_session_end_is_refused(server: Server, clients: SocketClients) -> None:
    server.ask("abort_all_matches")  # events of other tests must not change anything meanwhile
    console = open_console(server, clients, "presses")
    console.say("action.ask", id=1, action="lobby.open").receive("action.done", id=1)
    server.ask("log_out", name="presses")
    before = server.contents()
    with suppress(ConnectionClosed):  # the gateway may have noticed the end before it reads the action
        console.say("action.ask", id=2, action="match.start")
    assert console.closed() == CloseCode.NOT_ALLOWED
    refused = [message["text"] for message in console.received if message["type"] == "action.refused"]
    assert refused in ([], ["You don't have permission to do this."])
    assert server.contents() == before


def test_idle_console_is_closed_soon_after_session_end(server: Server, clients: SocketClients) -> None:
    """All consoles are open at once, one for each way to lose the rights."""
    consoles = [open_console(server, clients, f"looks-{ending}") for ending in ENDINGS]
    for ending in ENDINGS:
        server.ask(ending, name=f"looks-{ending}")
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(ENDINGS)
