"""The connection to a chat server: joining, signs of life, reconnecting, and lines that it can't read."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.voting.sources.irc_server import IrcServer, irc_server, message
from voting.sources.chat_connection import MAX_JOINS, MAX_LINE_BYTES, ChatConnection
from voting.sources.chat_lines import Line


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[IrcServer, ChatConnection, "asyncio.Queue[Line]"]]:
    """A running connection to a server, and the lines that it receives."""
    lines: asyncio.Queue[Line] = asyncio.Queue()
    async with irc_server() as server:
        connection = ChatConnection(server.address, lines.put_nowait)
        connecting = asyncio.create_task(connection.run())
        yield server, connection, lines
        connecting.cancel()
        with suppress(asyncio.CancelledError):
            await connecting


async def test_connection_is_anonymous_joins_and_answers_pings() -> None:
    async with connected() as (server, connection, lines):
        connection.want({"rooks"})
        client = await server.next_client()
        assert client.seen[0] == "CAP REQ :twitch.tv/tags twitch.tv/commands"
        assert client.seen[1].startswith("NICK justinfan")
        await client.read_until("JOIN #rooks")
        client.send("PING :tmi.twitch.tv\r\n")
        await client.read_until("PONG :tmi.twitch.tv")
        connection.want({"doves"})
        await client.read_until("PART #rooks")
        await client.read_until("JOIN #doves")
        first = message("ann", "3", 1)
        client.send(first[:40])
        client.send(first[40:], b":bob!b PRIVMSG #rooks :\xff\xfe\r\n", message("bob", "4", 2))
        texts = [(await lines.get()).rest.partition(":")[2] for _ in range(3)]
        assert texts == ["3", "\ufffd\ufffd", "4"]


async def test_connection_reconnects_when_asked_and_when_it_is_lost() -> None:
    async with connected() as (server, connection, _):
        connection.want({"rooks"})
        endings = ("RECONNECT\r\n", ":a 433 * justinfan1 :In use\r\n", "x" * (MAX_LINE_BYTES + 1), None)
        for ending in endings:
            client = await (await server.next_client()).read_until("JOIN #rooks")
            client.send(ending) if ending else client.close()
        await (await server.next_client()).read_until("JOIN #rooks")


async def test_connection_joins_no_more_channels_than_twitch_allows() -> None:
    async with connected() as (server, connection, _):
        wanted = {f"channel{number:02}" for number in range(MAX_JOINS + 5)}
        connection.want(wanted)
        client = await (await server.next_client()).read_until(f"JOIN #channel{MAX_JOINS - 1}")
        connection.want(wanted)
        client.send("PING :end\r\n")
        await client.read_until("PONG :end")
        assert sum(line.startswith("JOIN") for line in client.seen) == MAX_JOINS
