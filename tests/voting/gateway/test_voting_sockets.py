"""Voting on a running server, from the ballot to the reveal, in secret until then."""

import pytest

from tests.monitoring.probes import paused
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.consoles import open_console
from tests.voting.match_helpers import CLASSIC
from tests.voting.open_turn import Stage, cast, harmless, open_turn, refusal, stage, vote
from voting.counting.ballots import DRAW

__all__ = ["harmless", "stage"]
LONG_S, SHORT_S = 601, 60


@pytest.mark.usefixtures("harmless")
def test_vote_counts_changes_and_survives_a_refresh(stage: Stage, clients: SocketClients) -> None:
    phone, welcome = clients.phone(stage.code)
    assert (welcome["you"]["choice"], welcome["you"]["sequence"]) == (None, 0)
    for _ in range(2):
        assert vote(phone, stage.turn, 4)["choice"] == 4
    assert vote(phone, stage.turn, 6, 7)["choice"] == 6
    stale = phone.say("ballot.cast", **cast(stage.turn, 5, 6)).receive("ballot.refused", sequence=6)
    assert (stale["code"], stale["last"]) == ("stale", 7)
    phone.leave()
    _, again = clients.phone(stage.code, token=welcome["you"]["token"])
    blind = again["you"]["blind"]
    assert len(bytes.fromhex(blind)) == 16
    assert again["you"] == welcome["you"] | {"turn": stage.turn, "choice": 6, "sequence": 7, "blind": blind}


def test_counted_ballot_reaches_only_the_other_sockets_of_its_voter(
    server: Server, clients: SocketClients
) -> None:
    made = open_turn(server, team_choice="choose")
    first, welcome = clients.phone(made.code, team=1)
    second, _ = clients.phone(made.code, token=welcome["you"]["token"], team=2)
    blind = "5e" * 16
    second.say("ballot.cast", **cast(made.turn, 3, 2), blind=blind)
    assert first.receive("ballot.changed") == {
        "type": "ballot.changed", "turn": made.turn, "choice": 3, "sequence": 2, "blind": blind,
    }  # fmt: skip
    assert refusal(first, **cast(made.turn, 2, 1)) == "stale"
    display, _ = clients.display(made.code)
    turnout = display.receive_until(lambda m: m["type"] == "turnout.counted" and sum(m["voted"]))
    assert (turnout["connected"], turnout["voted"]) == ([1, 0], [1, 0]), "both sockets are one voter"
    teammate, _ = clients.phone(made.code, team=1)
    vote(teammate, made.turn, 5)
    second.receive("ballot.counted", choice=3)
    vote(second, made.turn, 6, 3)
    for client, changes in ((first, [3, 6]), (second, []), (teammate, [])):
        client.say("clock.ask", sent=0).receive("clock.synced")
        notified = [message for message in client.received if message["type"] == "ballot.changed"]
        assert [message["choice"] for message in notified] == changes


@pytest.mark.usefixtures("harmless")
def test_invalid_ballot_is_refused_with_code(stage: Stage, clients: SocketClients) -> None:
    phone, welcome = clients.phone(stage.code)
    for field, value, code in (
        ("choice", 1, "illegal"),
        ("choice", 8, "illegal"),
        ("choice", 255, "illegal"),
        ("choice", DRAW + 4, "illegal"),
        ("turn", stage.turn - 1, "no_such_turn"),
        ("turn", 2**53 - 1, "no_such_turn"),
        ("epoch", 2, "unknown"),
        ("epoch", 2**31 - 1, "unknown"),
    ):
        assert refusal(phone, **cast(stage.turn) | {field: value}) == code, (field, value)
    _, again = clients.phone(stage.code, token=welcome["you"]["token"])
    assert again["you"]["choice"] is None


def test_ballot_outside_window_is_refused(server: Server, clients: SocketClients) -> None:
    made = open_turn(server, talk_s=600)
    phone, _ = clients.phone(made.code)
    console = open_console(server, clients, made.code)
    console.say("action.ask", id=1, action="turn.pause", turn=made.turn)
    phone.receive("turn.paused")
    assert refusal(phone, **cast(made.turn)) == "late"
    console.say("action.ask", id=2, action="turn.close", turn=made.turn)
    revealed = phone.receive("turn.revealed")
    assert revealed["state"]["match"]["reveal"]["turn"] == made.turn
    assert refusal(phone, **cast(made.turn)) == "no_such_turn"
    following = revealed["state"]["match"]["turn"]["id"]
    assert refusal(phone, **cast(following)) == "early"  # even if the box does not hold it yet


def test_ballot_of_side_not_to_move_is_refused(server: Server, clients: SocketClients) -> None:
    made = open_turn(server, game=CLASSIC, options={"first": "red"}, team_choice="choose")
    assert vote(clients.phone(made.code, team=1)[0], made.turn)
    assert refusal(clients.phone(made.code, team=2)[0], **cast(made.turn)) == "not_to_move"


@pytest.mark.parametrize("terms", [{"window_s": LONG_S}, {"window_s": SHORT_S, "store_ballots": True}])
def test_ballot_is_stored_before_it_counts(
    terms: dict[str, int], server: Server, clients: SocketClients
) -> None:
    made = server.ask("event", lobby="open", team_choice="choose", **terms)
    turn = server.ask("close_after", event_id=made["id"], ms=terms["window_s"] * 1000)
    phone, _ = clients.phone(made["code"], team=2)
    for sequence, choice in ((1, 3), (2, 5)):
        vote(phone, turn, choice, sequence)
        stored = server.rows(
            'SELECT side, "choice", sequence FROM voting_storedballot WHERE turn_id = ?', turn
        )
        assert stored == [("yellow", choice, sequence)]


def test_worker_closes_turn_and_everyone_receives_same_reveal(server: Server, clients: SocketClients) -> None:
    made = open_turn(server, team_choice="choose")
    red, _ = clients.phone(made.code, team=1)
    yellow, _ = clients.phone(made.code, team=2)
    display, _ = clients.display(made.code)
    vote(red, made.turn, 3)
    vote(yellow, made.turn, 3)
    with paused(server, *server.stack.scheduler_names):  # so that no scheduler closes it
        server.ask("close_after", event_id=made.id, ms=0)
        server.ask("call_worker", turn_id=made.turn)
        reveals = [client.receive("turn.revealed") for client in (red, yellow, display)]
    assert reveals[0] == reveals[1] == reveals[2]
    reveal = reveals[0]["state"]["match"]["reveal"]
    assert (reveal["turn"], reveal["resolution"]["conflict"]) == (made.turn, 3)
    assert reveal["red"]["counts"] == reveal["yellow"]["counts"] == [0, 0, 1, 0, 0, 0, 0]
    seqs = [message["seq"] for message in display.received if "seq" in message]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))


def test_early_close_ends_turn_once_all_connected_voted(server: Server, clients: SocketClients) -> None:
    made = open_turn(server, close_early=True)
    phones = [clients.phone(made.code)[0] for _ in range(2)]
    vote(phones[0], made.turn, 2)
    assert not any(message["type"] == "turn.revealed" for message in phones[0].received)
    vote(phones[1], made.turn, 6)
    reveal = phones[0].receive("turn.revealed")["state"]["match"]["reveal"]
    assert (reveal["red"]["ballots"], reveal["yellow"]["ballots"]) == (1, 1)
