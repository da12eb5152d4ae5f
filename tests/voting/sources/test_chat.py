import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
from django.db import OperationalError
from django.db.models import QuerySet

from tests.deploy.processes import wait_until
from tests.socket_clients import TIMEOUT_S
from tests.voting.match_helpers import play_out
from tests.voting.sources.irc_server import IrcClient, IrcServer, irc_server, message
from tests.voting.sources.test_sources import begin, counted
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Turn
from voting.sources import chat_reader
from voting.sources.chat_casting import chat_turns, derive_chat_seat
from voting.sources.chat_connection import MAX_JOINS, MAX_LINE_BYTES, ChatConnection
from voting.sources.chat_lines import ChatVote, Line, parse_column, parse_line, read_vote
from voting.sources.chat_reader import ChatReader
from voting.turns import retry_book
from voting.turns.turns import load_turn

NOW = 7
TAGS = "@badge-info=;color=#FF0000;display-name=Ann;room-id=11;tmi-sent-ts=1700000000123;user-id=42"
LOGINS = [f"chatter{number}" for number in range(200)]
VOTES = ["3", " !3 ", "! 3", "3.", "3)", "03", "3\r"]
VOTES += ["3\U000e0000", "3\ufe0f\u20e3", "\uff01\uff13", "\u0663", "\u0969"]
CHAT = ["", "!", "3 is bad", "I say 3", "3 4", "123", "3?", "!!3", "#3", "@ann 3", "-3", "3.5", "3/4", "3,"]
CHAT += ["\uff13\uff13\uff13", "3" * 500, "\u5341\u4e09", "\xbd", "\x01ACTION 3\x01"]


def read(line: str | bytes) -> ChatVote | None:
    parsed = parse_line(line if isinstance(line, bytes) else line.encode())
    return read_vote(parsed, NOW) if parsed else None


@pytest.mark.parametrize("text", [*VOTES, *CHAT])
def test_parse_column_accepts_what_people_type_but_no_ordinary_chat(text: str) -> None:
    assert parse_column(text) == (3 if text in VOTES else None)


def test_vote_has_the_servers_time_and_the_senders_login() -> None:
    vote = ChatVote("rooks", "ann", 5, 1700000000123)
    assert read(f"{TAGS} :Ann!ann@ann.tmi.twitch.tv PRIVMSG #Rooks :!5\r\n") == vote
    assert read(f"{TAGS};source-room-id=11 :ann!a@b PRIVMSG #rooks :5") == vote
    assert read(":ann!a@host PRIVMSG #rooks 5\r\n") == vote._replace(sent_at=NOW)
    for stamp in ("", "soon", "-5", "1e9", "\u0663"):
        assert read(f"@tmi-sent-ts={stamp} :ann!a@b PRIVMSG #rooks :5") == vote._replace(sent_at=NOW), stamp


@pytest.mark.parametrize(
    "line",
    [
        f"{TAGS};source-room-id=12 :ann!a@b PRIVMSG #rooks :5",  # from another channel of a shared chat
        f"{TAGS} :ann!a@b PRIVMSG justinfan1 :5",
        f"{TAGS} :ann!a@b NOTICE #rooks :5",
        f"{TAGS} PRIVMSG #rooks :5",
        f"{TAGS} :ann!a@b PRIVMSG #rooks",
        "@ :",
        b"\xff\xfe\x00 :\xc3( PRIVMSG \x80",
        b":ann!a@b PRIVMSG #rooks :\xff5",
        # A text cannot pretend to be tags or another sender.
        ":ann!a@b PRIVMSG #rooks :@tmi-sent-ts=1 :bob!b@b PRIVMSG #rooks :5",
    ],
)
def test_other_lines_are_no_votes(line: str | bytes) -> None:
    assert read(line) is None


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[IrcServer, ChatConnection, "asyncio.Queue[Line]"]]:
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


async def voted(turn: Turn, login: str, box: BallotBox) -> None:
    event_id = turn.match.event_id
    find = partial(box.find_ballots, event_id, turn.pk, [derive_chat_seat(event_id, login)])
    await asyncio.to_thread(wait_until, find)


@pytest.mark.django_db(transaction=True)
def test_two_readers_and_a_lost_line_make_one_seal(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    turn, stopped = load_turn(begin(box, ("phones", "twitch:rooks")).pk), threading.Event()
    first = [message(login, f"!{n % 7 + 1}", turn.opens_at + n) for n, login in enumerate(LOGINS)]
    second = [message(login, f"{n % 5 + 1}", turn.opens_at + 500 + n) for n, login in enumerate(LOGINS)]
    monkeypatch.setattr(retry_book, "SLOW_MS", 0.0)
    monkeypatch.setattr(retry_book, "RETRY_AFTER_MS", 0.0)
    failures = iter([OperationalError("the database is away")] * 2)

    def find_chats() -> QuerySet[Turn]:
        for error in failures:
            raise error
        return chat_turns()

    async def main() -> None:
        async with asyncio.timeout(4 * TIMEOUT_S), irc_server() as server:
            readers = [asyncio.create_task(ChatReader(box, server.address).run(stopped)) for _ in range(2)]
            clients: list[IrcClient] = [await server.next_client() for _ in readers]
            for client in clients:
                await client.read_until("JOIN #rooks")
            clients[0].send(*first)
            await voted(turn, LOGINS[-1], box)
            clients[0].close()
            again = await (await server.next_client()).read_until("JOIN #rooks")
            for client in (clients[1], again):
                client.send(*first, *second, message("last", "7", turn.opens_at + 999))
            await voted(turn, "last", box)
            stopped.set()
            await asyncio.gather(*readers)

    monkeypatch.setattr(chat_reader, "chat_turns", find_chats)
    asyncio.run(main())
    assert next(failures, None) is None
    play_out(turn, box)
    assert counted(turn) == sorted([n % 5 + 1 for n in range(len(LOGINS))] + [7])
