"""Two chat readers with a real connection, ballot box and database make one seal."""

import asyncio
import threading
from functools import partial

import pytest
from django.db import OperationalError
from django.db.models import QuerySet

from tests.deploy.processes import wait_until
from tests.socket_clients import TIMEOUT_S
from tests.voting.match_helpers import play_out
from tests.voting.sources.irc_server import IrcClient, irc_server, message
from tests.voting.sources.test_casting import begin, counted
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Turn
from voting.sources import chat_reader
from voting.sources.chat_casting import chat_turns, derive_chat_seat
from voting.sources.chat_reader import ChatReader
from voting.turns import retry_book
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db(transaction=True)
LOGINS = [f"chatter{number}" for number in range(200)]


async def voted(turn: Turn, login: str, box: BallotBox) -> None:
    event_id = turn.match.event_id
    find = partial(box.find_ballots, event_id, turn.pk, [derive_chat_seat(event_id, login)])
    await asyncio.to_thread(wait_until, find)


def test_two_readers_and_a_lost_connection_make_one_seal(box: BallotBox) -> None:
    turn, stopped = load_turn(begin(box, ("phones", "twitch:rooks")).pk), threading.Event()
    first = [message(login, f"!{n % 7 + 1}", turn.opens_at + n) for n, login in enumerate(LOGINS)]
    second = [message(login, f"{n % 5 + 1}", turn.opens_at + 500 + n) for n, login in enumerate(LOGINS)]

    async def main() -> None:
        async with irc_server() as server:
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

    asyncio.run(main())
    play_out(turn, box)
    assert counted(turn) == sorted([n % 5 + 1 for n in range(len(LOGINS))] + [7])


def test_reader_goes_on_after_a_slow_failure(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    turn, stopped = load_turn(begin(box, ("phones", "twitch:rooks")).pk), threading.Event()
    monkeypatch.setattr(retry_book, "SLOW_MS", 0.0)
    monkeypatch.setattr(retry_book, "RETRY_AFTER_MS", 0.0)
    answers = iter([OperationalError("the database is away")])

    def find_chats() -> QuerySet[Turn]:
        for error in answers:
            raise error
        return chat_turns()

    async def main() -> None:
        async with asyncio.timeout(TIMEOUT_S), irc_server() as server:
            reader = asyncio.create_task(ChatReader(box, server.address).run(stopped))
            client = await server.next_client()
            await client.read_until("JOIN #rooks")
            client.send(message("ann", "3", turn.opens_at + 1))
            await voted(turn, "ann", box)
            stopped.set()
            await reader

    monkeypatch.setattr(chat_reader, "chat_turns", find_chats)
    asyncio.run(main())
