"""A small IRC server on a real socket, for clients that only read. The test decides what it sends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Self

from voting.sources.chat_connection import ChatServer

HOST = "127.0.0.1"


class IrcClient:
    """A connected client. `seen` are its lines; `nick` is empty until it has sent one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.seen: list[str] = []

    async def read_until(self, start: str) -> Self:
        """Read the client's lines up to the first that starts like this."""
        while True:
            line = (await self._reader.readline()).decode().rstrip("\r\n")
            assert line, f"no {start} in {self.seen}"
            self.seen.append(line)
            if line.startswith(start):
                return self

    async def welcome(self) -> Self:
        await self.read_until("CAP END")
        self.send(":server 001 justinfan :Welcome\r\n")
        return self

    def send(self, *lines: str | bytes) -> None:
        self._writer.write(b"".join(line.encode() if isinstance(line, str) else line for line in lines))

    def close(self) -> None:
        self._writer.close()


class IrcServer:
    def __init__(self, port: int, clients: "asyncio.Queue[IrcClient]") -> None:
        self.address = ChatServer(HOST, port, tls=False)
        self._clients = clients

    async def next_client(self) -> IrcClient:
        """Return the next client that connects, welcomed."""
        return await (await self._clients.get()).welcome()


@asynccontextmanager
async def irc_server() -> AsyncIterator[IrcServer]:
    clients: asyncio.Queue[IrcClient] = asyncio.Queue()
    connect: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
    connect = lambda reader, writer: clients.put_nowait(IrcClient(reader, writer))  # noqa: E731
    server = await asyncio.start_server(connect, HOST, 0)
    yield IrcServer(server.sockets[0].getsockname()[1], clients)
    server.close()


def message(login: str, text: str, sent_at: int, channel: str = "rooks") -> str:
    """A message with the tags of Twitch."""
    tags = f"@badges=;display-name={login.title()};room-id=1;tmi-sent-ts={sent_at};user-id={len(login)}"
    return f"{tags} :{login}!{login}@{login}.tmi.twitch.tv PRIVMSG #{channel} :{text}\r\n"
