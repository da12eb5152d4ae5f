"""The connection to a chat server: joining, signs of life, reconnecting, and lines that it can't read."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tests.voting.sources.irc_server import IrcServer, irc_server, message
from voting.sources.chat_connection import MAX_JOINS, MAX_LINE_BYTES, ChatConnection
from voting.sources.chat_lines import Line

Script = Callable[[IrcServer, ChatConnection, "asyncio.Queue[Line]"], Awaitable[None]]


def run(script: Script) -> None:
    """Run the script with a connection to a server."""

    async def main() -> None:
        lines: asyncio.Queue[Line] = asyncio.Queue()
        async with irc_server() as server:
            connection = ChatConnection(server.address, lines.put_nowait)
            connecting = asyncio.create_task(connection.run())
            await script(server, connection, lines)
            connecting.cancel()
            with suppress(asyncio.CancelledError):
                await connecting

    asyncio.run(main())


async def text_of(lines: "asyncio.Queue[Line]") -> str:
    return (await lines.get()).rest.partition(":")[2]


def test_connection_is_anonymous_joins_and_answers_pings() -> None:
    async def script(server: IrcServer, connection: ChatConnection, lines: "asyncio.Queue[Line]") -> None:
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
        client.send(message("ann", "3", 1)[:40])
        client.send(
            message("ann", "3", 1)[40:], b":bob!b PRIVMSG #rooks :\xff\xfe\r\n", message("bob", "4", 2)
        )
        assert [await text_of(lines) for _ in range(3)] == ["3", "\ufffd\ufffd", "4"]

    run(script)


def test_connection_reconnects_when_asked_and_when_it_is_lost() -> None:
    async def script(server: IrcServer, connection: ChatConnection, lines: "asyncio.Queue[Line]") -> None:
        connection.want({"rooks"})
        endings = ("RECONNECT\r\n", ":a 433 * justinfan1 :In use\r\n", "x" * (MAX_LINE_BYTES + 1), None)
        for ending in endings:
            client = await (await server.next_client()).read_until("JOIN #rooks")
            client.send(ending) if ending else client.close()
        await (await server.next_client()).read_until("JOIN #rooks")

    run(script)


def test_connection_joins_no_more_channels_than_twitch_allows() -> None:
    async def script(server: IrcServer, connection: ChatConnection, lines: "asyncio.Queue[Line]") -> None:
        wanted = {f"channel{number:02}" for number in range(MAX_JOINS + 5)}
        connection.want(wanted)
        client = await (await server.next_client()).read_until(f"JOIN #channel{MAX_JOINS - 1}")
        connection.want(wanted)
        client.send("PING :end\r\n")
        await client.read_until("PONG :end")
        assert sum(line.startswith("JOIN") for line in client.seen) == MAX_JOINS

    run(script)
