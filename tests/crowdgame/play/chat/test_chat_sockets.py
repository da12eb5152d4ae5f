"""Chat sockets deliver the messages of their own room within a second."""

import time
from collections.abc import Iterator

import pytest

from crowdgame.play.chat.chat_hub import POLL_S
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from voting.protocol import CloseCode


@pytest.fixture(autouse=True)
def no_gateway_errors(server: Server) -> Iterator[None]:
    server.ask("clear_chat")
    since = len(server.log("gateway"))
    yield
    assert server.log_errors("gateway", since) == []


def join_chat(
    server: Server, clients: SocketClients, slug: str, guest: int | None = None, seq: int = 0
) -> SocketClient:
    key = server.ask("chat_key", slug=slug, guest=guest)
    client = clients.open("chat").say("chat.join", key=key, seq=seq)
    client.receive("chat.posted")
    return client


def texts(message: Message) -> list[str]:
    return [line["text"] for line in message["lines"]]


def test_chat_socket_receives_posts_removals_and_slow_mode(server: Server, clients: SocketClients) -> None:
    one, two = (join_chat(server, clients, "lobby") for _ in range(2))
    number = server.ask("post_chat_message", slug="lobby", text="Hello")
    for client in (one, two):
        message = client.receive("chat.posted", seq=1, slow_s=2, closed=False)
        assert texts(message) == ["Hello"]
        assert message["lines"][0]["name"].startswith("Guest ")
    late_listener = join_chat(server, clients, "lobby")
    if not late_listener.received[0]["lines"]:
        late_listener.receive("chat.posted")  # with the next poll
    assert texts(late_listener.received[-1]) == ["Hello"]
    server.ask("remove_chat_message", line=number)
    for client in (one, two, late_listener):
        (line,) = client.receive("chat.posted", seq=2)["lines"]
        assert (line["id"], line["removed"], line["text"], line["who"]) == (number, True, "", 0)
    server.ask("configure_chat_room", slug="lobby", slow_s=30, closed=True)
    assert one.receive("chat.posted", slow_s=30, closed=True)["lines"] == []


def test_reconnecting_listener_receives_only_missed_messages(server: Server, clients: SocketClients) -> None:
    for text in ("one", "two", "three"):
        server.ask("post_chat_message", slug="lobby", text=text)
    assert texts(join_chat(server, clients, "lobby", seq=1).received[0]) == ["two", "three"]
    assert texts(join_chat(server, clients, "lobby", seq=3).received[0]) == []
    older = join_chat(server, clients, "lobby", seq=99).received[0]
    assert (older["seq"], texts(older)) == (3, ["one", "two", "three"])


def test_chat_messages_are_batched_into_few_frames(server: Server, clients: SocketClients) -> None:
    client = join_chat(server, clients, "lobby")
    began = time.monotonic()
    for number in range(20):
        server.ask("post_chat_message", slug="lobby", text=f"number {number}")
    client.receive("chat.posted", seq=20)
    posted = [message for message in client.received if message["type"] == "chat.posted"]
    assert [text for one in posted for text in texts(one)] == [f"number {number}" for number in range(20)]
    assert len(posted) <= (time.monotonic() - began) / POLL_S + 2


def test_chat_sockets_separate_players_from_watchers(server: Server, clients: SocketClients) -> None:
    code = server.ask("duel")["code"]
    one, two = server.ask("seated_guests", code=code)
    player = join_chat(server, clients, f"{code}-players", one)
    watcher = join_chat(server, clients, f"{code}-watchers")
    for guest, kind in ((one, "watchers"), (two, "watchers"), (None, "players")):
        key = server.ask("chat_key", slug=f"{code}-{kind}", guest=guest)
        assert clients.open("chat").say("chat.join", key=key).closed() == CloseCode.NOT_ALLOWED
    server.ask("post_chat_message", slug=f"{code}-players", text="Good luck", guest=two)
    assert texts(player.receive("chat.posted")) == ["Good luck"]
    server.ask("post_chat_message", slug=f"{code}-watchers", text="Column 4!")
    assert texts(watcher.receive("chat.posted")) == ["Column 4!"]
    for client, kind, guest in ((player, "players", one), (watcher, "watchers", None)):
        # one poll reads all rooms
        server.ask("post_chat_message", slug=f"{code}-{kind}", text="That was all", guest=guest)
        assert texts(client.receive("chat.posted")) == ["That was all"]
    assert "Column 4!" not in "".join(player.frames)
    assert "Good luck" not in "".join(watcher.frames)
    server.ask("play_duel_to_end", code=code)
    for kind, guest, first in (("players", None, "Good luck"), ("watchers", one, "Column 4!")):
        joined = join_chat(server, clients, f"{code}-{kind}", guest)
        assert texts(joined.received[0]) == [first, "That was all"]


@pytest.mark.parametrize("slug", ["ZZZZ-players", "lobby-players", "lobby-", "cellar", "-"])
def test_chat_join_rejects_unknown_room(slug: str, server: Server, clients: SocketClients) -> None:
    key = server.ask("chat_key", slug=slug)
    assert clients.open("chat").say("chat.join", key=key).closed() == CloseCode.NOT_ALLOWED


def test_chat_join_requires_signed_key(server: Server, clients: SocketClients) -> None:
    key = server.ask("chat_key", slug="lobby")
    forged = f"{server.ask('chat_key', slug='other').partition(':')[0]}:{key.partition(':')[2]}"
    for shown in (forged, "lobby", "x" * 200):
        assert clients.open("chat").say("chat.join", key=shown).closed() == CloseCode.BAD_TOKEN
    client = join_chat(server, clients, "lobby")
    client.say("chat.join", key=key).receive("error", code="joined_already")
    client.say("chat.say", text="Hello").receive("error", code="malformed")
