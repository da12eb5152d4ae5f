"""The chat connection with an ordinary IRC server, ngIRCd, which waits for the end of the handshake."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdgame.server.laptop.network import LOOPBACK, free_port
from deploy.laptop.system_tools import find_server
from tests.deploy.processes import wait_until
from voting.sources.chat_connection import ChatConnection, ChatServer
from voting.sources.chat_lines import ChatVote, Line, read_vote

CHATTERS = 20
CONFIGURATION = (
    "[Global]\nName=irc.test\nInfo=test\nListen={host}\nPorts={port}\n"
    "[Limits]\nMaxConnectionsIP=0\nMaxNickLength=20\n[Options]\nDNS=no\nIdent=no\nPAM=no\n"
)


@contextmanager
def running_ngircd(folder: Path) -> Iterator[ChatServer]:
    program = find_server("ngircd")
    assert program, "ngircd is not installed"
    server = ChatServer(LOOPBACK, free_port(), tls=False)
    settings = folder / "ngircd.conf"
    settings.write_text(CONFIGURATION.format(host=server.host, port=server.port))
    settings.chmod(0o644)
    log = folder / "ngircd.log"
    argv = [program, "-n", "-f", str(settings)]
    with log.open("wb") as output, subprocess.Popen(argv, stdout=output, stderr=output) as process:
        try:
            wait_until(lambda: "Now listening" in log.read_text())
            yield server
        finally:
            process.kill()


async def chat(server: ChatServer, nick: str, texts: list[str]) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(f"NICK {nick}\r\nUSER {nick} 0 * :{nick}\r\nJOIN #rooks\r\n".encode())
    while b" 366 " not in (line := await reader.readline()):  # the end of the channel's names
        assert line
    writer.writelines(f"PRIVMSG #rooks :{text}\r\n".encode() for text in texts)
    writer.write(b"PING :end\r\n")
    while b"PONG" not in (line := await reader.readline()):
        assert line
    writer.close()


async def test_votes_arrive_through_an_ordinary_server(tmp_path: Path) -> None:
    with running_ngircd(tmp_path) as server:
        lines: asyncio.Queue[Line] = asyncio.Queue()
        connection = ChatConnection(server, lines.put_nowait)
        connection.want({"rooks"})
        connecting = asyncio.create_task(connection.run())
        while (await lines.get()).command != "366":
            pass
        chats = [chat(server, f"chatter{n}", ["hello 3", f"!{n % 7 + 1}"]) for n in range(CHATTERS)]
        await asyncio.gather(*chats)
        votes: list[ChatVote] = []
        while len(votes) < CHATTERS:
            vote = read_vote(await lines.get(), 9)
            votes += [vote] if vote else []
        connecting.cancel()
    assert sorted(votes) == sorted(ChatVote("rooks", f"chatter{n}", n % 7 + 1, 9) for n in range(CHATTERS))
