"""Side changes on a running server."""

from typing import Any

import pytest

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from tests.voting.open_turn import vote


@pytest.fixture
def between_turns(
    server: Server, clients: SocketClients
) -> tuple[dict[str, Any], SocketClient, SocketClient, str, int]:
    """The event, one phone per team, the first one's token and the next turn, after the first reveal."""
    terms = {"max_side_changes": 1, "window_s": 60, "talk_s": 120, "close_early": True}
    made = server.ask("event", lobby="open", team_choice="choose", **terms)
    (first, welcome), (second, _) = (clients.phone(made["code"], team=team) for team in (1, 2))
    server.ask("begin", event_id=made["id"])
    server.ask("open_turn_now", event_id=made["id"])
    for client in (first, second):
        vote(client, client.receive("turn.moved")["state"]["match"]["turn"]["id"], 3)
    following = first.receive("turn.revealed")["state"]["match"]["turn"]["id"]
    return made, first, second, welcome["you"]["token"], following


def test_side_change_reaches_every_socket_of_the_voter(
    between_turns: Any, server: Server, clients: SocketClients
) -> None:
    made, first, second, token, turn = between_turns
    again, welcome = clients.phone(made["code"], token=token)
    assert welcome["you"]["side_changes"] == []
    for socket in (first, again):
        socket.say("side.change", turn=turn, number=1, team=2)
        socket.say("side.change", turn=turn, number=2, team=1)
    for socket in (first, again):
        assert len(socket.receive("side.changed")["side_changes"]) == 1
        assert socket.receive("side.refused")["code"] == "used_up"
    _, welcome = clients.phone(made["code"], token=token)
    assert (welcome["you"]["team"], welcome["you"]["side_changes"]) == (1, [{"turn": 2, "team": 2}])
    second.say("side.change", turn=turn, number=1, team=2)
    assert second.receive("side.refused")["code"] == "same_side"
    assert not any(message["type"] == "side.changed" for message in second.received)
    changed = "SELECT d.turn, d.side FROM voting_storedsidechange d JOIN games_match m ON m.id = d.match_id"
    assert server.rows(f"{changed} WHERE m.event_id = ?", made["id"]) == [(2, "yellow")]


def test_side_change_is_renumbered_after_voided_turn(
    between_turns: Any, server: Server, clients: SocketClients
) -> None:
    """The change now takes effect one turn earlier; by its old number, phones would score the wrong side."""
    made, first, _, token, turn = between_turns
    first.say("side.change", turn=turn, number=1, team=2)
    assert first.receive("side.changed")["side_changes"] == [{"turn": 2, "team": 2}]
    server.ask("void", event_id=made["id"])
    assert first.receive("side.changed", side_changes=[{"turn": 1, "team": 2}])
    _, welcome = clients.phone(made["code"], token=token)
    assert welcome["you"]["side_changes"] == [{"turn": 1, "team": 2}]
