"""One ballot per voter on a running server, however phones join."""

from tests.crowd_helpers import ballots_in_the_box
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.gateway.admission_code_helpers import event, voter_of
from tests.voting.open_turn import cast, refusal, vote


def test_roster_code_on_two_devices_is_one_ballot(server: Server, clients: SocketClients) -> None:
    made = event(server, "roster")
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    [key] = server.ask("roster", event_id=made["id"], text="Ada")
    (first, one), (second, two) = (clients.phone(made["code"], key=key) for _ in range(2))
    assert (voter_of(one), one["you"]["team"]) == (voter_of(two), two["you"]["team"])
    vote(first, turn, 3, 1)
    assert ballots_in_the_box(server, made["id"], turn) == 1
    vote(second, turn, 5, 2)
    assert refusal(first, **cast(turn, 4, 1)) == "stale"
    assert ballots_in_the_box(server, made["id"], turn) == 1
    _, third = clients.phone(made["code"], key=key)
    assert (third["you"]["choice"], third["you"]["sequence"]) == (5, 2)


def test_seat_signed_for_both_teams_is_one_ballot(server: Server, clients: SocketClients) -> None:
    """The ballot box enforces it, should a voter ever get two seats."""
    made = event(server, "open")
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    for sequence, team in [(1, 1), (2, 2)]:
        token = server.ask("seat", event_id=made["id"], voter="00ff00ff00ff00ff", team=team)
        client, _ = clients.phone(made["code"], token=token)
        vote(client, turn, 3, sequence)
    assert ballots_in_the_box(server, made["id"], turn) == 1
