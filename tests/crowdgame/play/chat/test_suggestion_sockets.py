"""Suggestions over sockets: only the own team's voters receive them, at most once a second."""

import time
from typing import Any

import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from voting.protocol import CloseCode

SECRET = "Column 4 blocks their three"
UPDATE_S = 1.0


@pytest.fixture
def event(server: Server) -> dict[str, Any]:
    """An event with an open turn and a team discussion."""
    event: dict[str, Any] = server.ask(
        "event", window_s=600, lobby="open", team_choice="choose", team_discussion=True
    )
    server.ask("begin", event_id=event["id"])
    return event


def join(
    server: Server, clients: SocketClients, event: dict[str, Any], voter: str, team: int
) -> SocketClient:
    token = server.ask("seat_token", event_id=event["id"], voter=voter, team=team)
    client = clients.open("chat").say("chat.join", key=token)
    client.receive("suggestion.answered", problem="")
    return client


def texts(message: Message) -> list[str]:
    return [one["text"] for one in message["suggestions"]]


def suggest(client: SocketClient, text: str, **fields: Any) -> str:
    problem: str = client.say("suggestion.send", text=text, **fields).receive("suggestion.answered")[
        "problem"
    ]
    return problem


def test_suggestion_reaches_own_team_and_nobody_else(
    server: Server, clients: SocketClients, event: dict[str, Any]
) -> None:
    ann, bob, eve = (
        join(server, clients, event, voter, team) for voter, team in (("ann", 1), ("bob", 1), ("eve", 2))
    )
    others = [clients.phone(event["code"], team=team)[0] for team in (1, 2)]
    others += [
        clients.display(event["code"])[0],
        clients.console(event["code"], server.ask("session", name="olga")),
    ]
    assert suggest(ann, SECRET, choice=4) == ""
    assert suggest(ann, SECRET, language="de") == "Diese Nachricht hast du gerade schon geschrieben."
    (shown,) = bob.receive("discussion.updated", total=1)["suggestions"]
    assert shown.items() >= {"name": "", "text": SECRET, "choice": 4, "agreed": 0}.items()
    assert bob.say("suggestion.mark", id=shown["id"], mark="agree").receive("suggestion.answered")["agreed"]
    assert ann.receive_until(lambda message: message.get("suggestions", [{}])[0].get("agreed") == 1)
    eve.say("suggestion.mark", id=shown["id"], mark="agree").receive("suggestion.answered", agreed=[])
    suggest(eve, "We come next")
    assert texts(eve.receive("discussion.updated", total=1)) == ["We come next"]
    for client in (eve, *others):
        client.say("clock.ask", sent=1).receive("clock.synced")
        assert not [
            frame
            for frame in client.frames
            if SECRET in frame or ("discussion.updated" in frame and client is not eve)
        ]


@pytest.mark.parametrize(
    ("action", "team"), [("voter.move", 2), ("voter.ban", None), ("discussion.stop", None)]
)
def test_listener_without_access_receives_nothing_more(
    action: str, team: int | None, server: Server, clients: SocketClients, event: dict[str, Any]
) -> None:
    ann, phone = join(server, clients, event, "ann", 1), clients.phone(event["code"], team=1)
    you = phone[1]["you"]
    leaver = clients.open("chat").say("chat.join", key=you["token"])
    leaver.receive("suggestion.answered")
    suggest(ann, "before")
    leaver.receive("discussion.updated", total=1)
    asked = {"voter_code": you["voter_code"]} if action.startswith("voter") else {}
    server.ask("act", event_id=event["id"], action=action, team=team, **asked)
    if action == "discussion.stop":
        ann.say("suggestion.send", text=SECRET)
        assert ann.closed() == CloseCode.NOT_ALLOWED
        leaver.say("suggestion.mark", id=1, mark="agree")
    else:
        suggest(join(server, clients, event, "bob", 1), SECRET)
        ann.receive("discussion.updated", total=2)
    assert leaver.closed() == CloseCode.NOT_ALLOWED
    assert SECRET not in "".join(leaver.frames)
    again = clients.open("chat").say("chat.join", key=you["token"])
    if team:
        assert texts(again.receive("discussion.updated")) == []
    else:
        assert again.closed() == CloseCode.NOT_ALLOWED


def test_suggestions_are_sent_at_most_once_a_second(
    server: Server, clients: SocketClients, event: dict[str, Any]
) -> None:
    reader = join(server, clients, event, "ann", 1)
    began = time.monotonic()
    for number in range(12):
        suggest(join(server, clients, event, f"voter {number}", 1), f"number {number}")
    reader.receive("discussion.updated", total=12)
    updates = [message for message in reader.received if message["type"] == "discussion.updated"]
    assert len(updates) <= (time.monotonic() - began) / UPDATE_S + 2


def test_guest_cannot_suggest(server: Server, clients: SocketClients, event: dict[str, Any]) -> None:
    clients.open("chat").say("suggestion.send", text="Hello").receive("error", code="not_joined")
    guest = clients.open("chat").say("chat.join", key=server.ask("chat_key", slug="lobby"))
    guest.receive("chat.posted")
    guest.say("suggestion.send", text="Hello").receive("error", code="not_joined")
    for slug in (f"{event['code']}-team", f"{event['code']}-1"):
        key = server.ask("chat_key", slug=slug)
        assert clients.open("chat").say("chat.join", key=key).closed() == CloseCode.NOT_ALLOWED
