import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from crowdgame.play.chat.chat_hub import ChatHub
from crowdgame.play.chat.models import RoomKind
from crowdgame.play.chat.rooms import RoomAccess, RoomUpdate
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.gateway_helpers import FakeSocket
from voting import protocol
from voting.protocol import CloseCode

SECRET = "Column 4 blocks their three"
PLAYER = 1
ACCESS = RoomAccess(RoomKind.WATCHERS, frozenset({PLAYER, 2}), over=True)


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


def test_chat_sockets_separate_players_from_watchers(server: Server, clients: SocketClients) -> None:
    code = server.ask("duel")["code"]
    one, two = server.ask("seated_guests", code=code)
    player = join_chat(server, clients, f"{code}-players", one)
    watcher = join_chat(server, clients, f"{code}-watchers")
    for guest, kind in ((one, "watchers"), (two, "watchers"), (None, "players")):
        key = server.ask("chat_key", slug=f"{code}-{kind}", guest=guest)
        assert clients.open("chat").say("chat.join", key=key).closed() == CloseCode.NOT_ALLOWED
    for client, kind, guest in ((player, "players", two), (watcher, "watchers", None)):
        server.ask("post_chat_message", slug=f"{code}-{kind}", text=f"Hello, {kind}", guest=guest)
        assert texts(client.receive("chat.posted")) == [f"Hello, {kind}"]
    assert ", players" not in "".join(watcher.frames)
    server.ask("play_duel_to_end", code=code)
    for kind, guest in (("players", None), ("watchers", one)):
        assert texts(join_chat(server, clients, f"{code}-{kind}", guest).received[0]) == [f"Hello, {kind}"]


def test_chat_join_requires_signed_key_of_a_room(server: Server, clients: SocketClients, event: Any) -> None:
    slugs = ("lobby", "ZZZZ-players", f"{event['code']}-team")
    key, unknown, team = (server.ask("chat_key", slug=slug) for slug in slugs)
    forged = f"{unknown.partition(':')[0]}:{key.partition(':')[2]}"
    for shown in (forged, "lobby", "x" * 200):
        assert clients.open("chat").say("chat.join", key=shown).closed() == CloseCode.BAD_TOKEN
    for shown in (unknown, team):
        assert clients.open("chat").say("chat.join", key=shown).closed() == CloseCode.NOT_ALLOWED
    client = join_chat(server, clients, "lobby")
    client.say("chat.join", key=key).receive("error", code="joined_already")
    client.say("chat.say", text="Hello").receive("error", code="malformed")
    for guest in (client, clients.open("chat")):
        guest.say("suggestion.send", text="Hello").receive("error", code="not_joined")


@pytest.fixture
def event(server: Server) -> Any:
    choices = {"window_s": 600, "lobby": "open", "team_choice": "choose", "team_discussion": True}
    event = server.ask("event", **choices)
    server.ask("begin", event_id=event["id"])
    return event


def join_team(server: Server, clients: SocketClients, event: Any, voter: str, team: int) -> SocketClient:
    token = server.ask("seat_token", event_id=event["id"], voter=voter, team=team)
    client = clients.open("chat").say("chat.join", key=token)
    client.receive("suggestion.answered", problem="")
    return client


def suggest(client: SocketClient, text: str, **fields: Any) -> Any:
    """Return why it was refused, or an empty string."""
    return client.say("suggestion.send", text=text, **fields).receive("suggestion.answered")["problem"]


def test_only_own_team_gets_suggestion(server: Server, clients: SocketClients, event: dict[str, Any]) -> None:
    team_of = {"ann": 1, "bob": 1, "eve": 2}
    ann, bob, eve = (join_team(server, clients, event, voter, team) for voter, team in team_of.items())
    others = [clients.phone(event["code"], team=team)[0] for team in (1, 2)]
    others.append(clients.display(event["code"])[0])
    others.append(clients.console(event["code"], server.ask("session", name="olga")))
    assert suggest(ann, SECRET, choice=4) == ""
    assert suggest(ann, SECRET, language="de") == "Diese Nachricht hast du gerade schon geschrieben."
    (shown,) = bob.receive("discussion.updated", total=1)["suggestions"]
    assert shown.items() >= {"name": "", "text": SECRET, "choice": 4, "agreed": 0}.items()
    assert bob.say("suggestion.mark", id=shown["id"], mark="agree").receive("suggestion.answered")["agreed"]
    assert ann.receive_until(lambda message: message.get("suggestions", [{}])[0].get("agreed") == 1)
    suggest(eve, "We come next")
    assert eve.receive("discussion.updated", total=1)["suggestions"][0]["text"] == "We come next"
    for client in (eve, *others):
        client.say("clock.ask", sent=1).receive("clock.synced")
        received = "".join(client.frames)
        assert SECRET not in received
        assert client is eve or "discussion.updated" not in received


@pytest.mark.parametrize("action", ["voter.ban", "discussion.stop"])
def test_listener_loses_access(action: str, server: Server, clients: SocketClients, event: Any) -> None:
    ann, phone = join_team(server, clients, event, "ann", 1), clients.phone(event["code"], team=1)
    you = phone[1]["you"]
    leaver = clients.open("chat").say("chat.join", key=you["token"])
    leaver.receive("suggestion.answered")
    suggest(ann, "before")
    leaver.receive("discussion.updated", total=1)
    asked = {"voter_code": you["voter_code"]} if action == "voter.ban" else {}
    server.ask("act", event_id=event["id"], action=action, **asked)
    if action == "discussion.stop":
        ann.say("suggestion.send", text=SECRET)
        assert ann.closed() == CloseCode.NOT_ALLOWED
        leaver.say("suggestion.mark", id=1, mark="agree")
    else:
        suggest(join_team(server, clients, event, "bob", 1), SECRET)
        ann.receive("discussion.updated", total=2)
    assert leaver.closed() == CloseCode.NOT_ALLOWED
    assert SECRET not in "".join(leaver.frames)
    again = clients.open("chat").say("chat.join", key=you["token"])
    assert again.closed() == CloseCode.NOT_ALLOWED


def news(seq: int, access: RoomAccess = ACCESS) -> RoomUpdate:
    return RoomUpdate(7, protocol.ChatPosted(seq=seq, slow_s=2, closed=False, lines=()), access)


def test_chat_hub_forwards_news_to_listeners_with_access_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """It polls from the lowest number that a listener knows, and not without listeners."""
    polled: list[dict[int, int]] = []

    async def poll(known: dict[int, int]) -> list[RoomUpdate]:
        polled.append(known)
        return [news(6, replace(ACCESS, over=False))]

    monkeypatch.setattr("crowdgame.play.chat.chat_hub.in_chat_thread", lambda _: poll)
    monkeypatch.setattr("crowdgame.play.chat.chat_hub.MAX_LISTENERS", 2)
    chat_hub, player, watcher = ChatHub(), FakeSocket(), FakeSocket()
    chat_hub.enter(player, PLAYER, news(5))
    assert not chat_hub.is_full
    chat_hub.enter(watcher, None, news(4))
    assert chat_hub.is_full
    asyncio.run(chat_hub.poll())
    assert (len(player.frames), player.close_calls) == (1, [(CloseCode.NOT_ALLOWED, None)])
    assert (len(watcher.frames), watcher.close_calls) == (2, [])
    assert chat_hub.listeners() == [watcher]
    chat_hub.leave(watcher, 7)
    asyncio.run(chat_hub.poll())
    assert polled == [{7: 4}]


async def test_chat_hub_shares_poll_between_equal_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    polls: list[int] = []

    async def poll(slug: str, seq: int) -> RoomUpdate:
        polls.append(seq)
        return news(seq)

    monkeypatch.setattr("crowdgame.play.chat.chat_hub.in_chat_thread", lambda _: poll)
    chat_hub = ChatHub()
    await asyncio.gather(*(chat_hub.news("lobby", seq) for seq in (1, 1, 2, 1)))
    assert sorted(polls) == [1, 2]
