"""Requests of a player over a socket count only from the phone of that player."""

from tests.server import Server
from tests.socket_clients import SocketClients

LIVE_TURN = (
    "SELECT t.id FROM games_turn t JOIN games_match m ON m.id = t.match_id"
    " WHERE m.event_id = ? AND t.resolved_at IS NULL"
)
REQUESTS = ("resign", "abort", "draw", "takeback", "decline")


def live_turn(server: Server, event_id: int) -> int:
    ((turn,),) = server.rows(LIVE_TURN, event_id)
    return int(turn)


def is_playing(server: Server, event_id: int) -> bool:
    return server.rows("SELECT state FROM games_match WHERE event_id = ?", event_id) == [("playing",)]


def test_watcher_of_duel_can_not_act_for_player(server: Server, clients: SocketClients) -> None:
    duel = server.ask("duel")
    watcher, _ = clients.display(duel["code"])
    for action in REQUESTS:
        watcher.say("duel.ask", action=action, turn=live_turn(server, duel["id"]))
        assert watcher.receive("error")["code"] == "malformed"
    assert is_playing(server, duel["id"])


def test_member_of_crowd_can_not_resign_for_crowd_or_player(server: Server, clients: SocketClients) -> None:
    game = server.ask("against_crowd")
    member, welcome = clients.phone(game["code"])
    assert welcome["you"]["team"] != game["place"]
    for action in REQUESTS:
        member.say("duel.ask", action=action, turn=live_turn(server, game["id"]))
        assert member.receive("duel.refused", action=action)["code"] == "not_possible"
    assert is_playing(server, game["id"])


def test_player_of_another_duel_can_not_act_in_turn_of_this_one(
    server: Server, clients: SocketClients
) -> None:
    here, elsewhere = server.ask("duel"), server.ask("duel")
    player, _ = clients.phone(elsewhere["code"], key=elsewhere["keys"][0])
    player.say("duel.ask", action="resign", turn=live_turn(server, here["id"]))
    assert player.receive("duel.refused")["code"] == "turn_changed"
    assert is_playing(server, here["id"])
    assert is_playing(server, elsewhere["id"])
