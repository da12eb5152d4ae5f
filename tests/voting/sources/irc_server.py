"""A small IRC server on a real socket, for clients that only read. The test decides what it sends."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
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
        return await (await self._clients.get()).welcome()

    async def keep_readers(self, channel: str, readers: list[IrcClient]) -> None:
        """Welcome all clients. Those that have joined the channel are `readers` while they are connected."""
        async with asyncio.TaskGroup() as group:
            while True:
                group.create_task(self._keep_reader(await self._clients.get(), channel, readers))

    async def _keep_reader(self, client: IrcClient, channel: str, readers: list[IrcClient]) -> None:
        with suppress(AssertionError, ConnectionError):  # it has left
            await (await client.welcome()).read_until(f"JOIN #{channel}")
            readers.append(client)
            while await client.read_until("PING"):
                client.send(":server PONG\r\n")
        if client in readers:
            readers.remove(client)


@asynccontextmanager
async def irc_server() -> AsyncIterator[IrcServer]:
    clients: asyncio.Queue[IrcClient] = asyncio.Queue()
    connect: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
    connect = lambda reader, writer: clients.put_nowait(IrcClient(reader, writer))  # noqa: E731
    server = await asyncio.start_server(connect, HOST, 0)
    yield IrcServer(server.sockets[0].getsockname()[1], clients)
    server.close()


class ThreadedIrcServer:
    """An IRC server whose event loop runs in a thread, for readers in other processes."""

    def __init__(self, server: IrcServer, loop: asyncio.AbstractEventLoop) -> None:
        self._server, self._loop = server, loop
        self.url = f"irc://{server.address.host}:{server.address.port}"

    def next_reader(self, channel: str = "rooks") -> IrcClient:
        async def connect() -> IrcClient:
            return await (await self._server.next_client()).read_until(f"JOIN #{channel}")

        return asyncio.run_coroutine_threadsafe(connect(), self._loop).result(60)

    @contextmanager
    def keeping_readers(self, channel: str = "rooks") -> Iterator[Sequence[IrcClient]]:
        """Welcome all clients. Yields those that read the channel, kept up to date."""
        readers: list[IrcClient] = []
        keeping = asyncio.run_coroutine_threadsafe(self._server.keep_readers(channel, readers), self._loop)
        try:
            yield readers
        finally:
            keeping.cancel()

    def send(self, readers: Sequence[IrcClient], lines: Sequence[str]) -> None:
        for reader in readers:
            self._loop.call_soon_threadsafe(reader.send, *lines)


@contextmanager
def running_irc_server() -> Iterator[ThreadedIrcServer]:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    opened = irc_server()
    server = asyncio.run_coroutine_threadsafe(opened.__aenter__(), loop).result(60)
    try:
        yield ThreadedIrcServer(server, loop)
    finally:
        asyncio.run_coroutine_threadsafe(opened.__aexit__(None, None, None), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)


def message(login: str, text: str, sent_at: int, channel: str = "rooks") -> str:
    tags = f"@badges=;display-name={login.title()};room-id=1;tmi-sent-ts={sent_at};user-id={len(login)}"
    return f"{tags} :{login}!{login}@{login}.tmi.twitch.tv PRIVMSG #{channel} :{text}\r\n"
