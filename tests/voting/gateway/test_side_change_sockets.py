"""Side changes on a running server: only the sockets of the voter are notified."""

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients


def second_turn(
    server: Server, clients: SocketClients, event: int, code: str
) -> tuple[SocketClient, SocketClient, str, int]:
    """One phone per team, after the first reveal and long before the next window."""
    (first, welcome), (second, _) = (clients.phone(code, team=team) for team in (1, 2))
    server.ask("begin", event_id=event)
    server.ask("open_turn_now", event_id=event)
    for client in (first, second):
        turn = client.receive("turn.moved")["state"]["match"]["turn"]["id"]
        client.say("ballot.cast", turn=turn, epoch=1, choice=3, sequence=1).receive("ballot.counted")
    revealed = first.receive("turn.revealed")
    return first, second, welcome["you"]["token"], revealed["state"]["match"]["turn"]["id"]


def test_side_change_reaches_every_socket_of_the_voter(server: Server, clients: SocketClients) -> None:
    terms = {"max_side_changes": 1, "window_s": 60, "reveal_s": 120, "close_early": True}
    made = server.ask("event", lobby="open", team_choice="choose", **terms)
    first, second, token, turn = second_turn(server, clients, made["id"], made["code"])
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


def test_side_change_is_renumbered_after_voided_turn(server: Server, clients: SocketClients) -> None:
    """The change now takes effect one turn earlier; by its old number, phones would score the wrong side."""
    terms = {"max_side_changes": 1, "window_s": 60, "reveal_s": 120, "close_early": True}
    made = server.ask("event", lobby="open", team_choice="choose", **terms)
    first, _, token, turn = second_turn(server, clients, made["id"], made["code"])
    first.say("side.change", turn=turn, number=1, team=2)
    assert first.receive("side.changed")["side_changes"] == [{"turn": 2, "team": 2}]
    server.ask("void", event_id=made["id"])
    assert first.receive("side.changed", side_changes=[{"turn": 1, "team": 2}])
    _, welcome = clients.phone(made["code"], token=token)
    assert welcome["you"]["side_changes"] == [{"turn": 1, "team": 2}]
