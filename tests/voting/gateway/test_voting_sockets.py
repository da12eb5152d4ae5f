import pytest
from websockets.exceptions import InvalidStatus

from tests.monitoring.probes import paused
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.consoles import open_console
from tests.voting.open_turn import Stage, cast, harmless, open_turn, refusal, stage, vote
from voting.counting.ballots import DRAW
from voting.protocol import MAX_FRAME_BYTES, CloseCode

__all__ = ["harmless", "stage"]
MALFORMED = [  # no more than a phone may send before it joins
    "",
    '{"type": "phone.leave"}',
    '{"type": "phone.join", "code": "12345678901234567"}',
    '{"type": "clock.ask", "sent": NaN}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 4294967296, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 1, "sequence": 2147483648}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": "1 HGETALL", "sequence": 1}',
    '{"type": "phone.join", "code": "\\ud800"}',
    '{"a":' * 400,
]


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


def test_counted_ballot_reaches_other_sockets_of_its_voter(server: Server, clients: SocketClients) -> None:
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
    for field, code, values in (
        ("choice", "illegal", (1, 8, 255, DRAW + 4)),
        ("turn", "no_such_turn", (stage.turn - 1, 2**53 - 1)),
        ("epoch", "unknown", (2, 2**31 - 1)),
    ):
        for value in values:
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


def test_side_change_reaches_every_socket_of_the_voter(server: Server, clients: SocketClients) -> None:
    terms = {"max_side_changes": 1, "window_s": 60, "talk_s": 120, "close_early": True}
    made = server.ask("event", lobby="open", team_choice="choose", **terms)
    (first, welcome), (second, _) = (clients.phone(made["code"], team=team) for team in (1, 2))
    token = welcome["you"]["token"]
    server.ask("begin", event_id=made["id"])
    server.ask("open_turn_now", event_id=made["id"])
    for client in (first, second):
        vote(client, client.receive("turn.moved")["state"]["match"]["turn"]["id"], 3)
    match = first.receive("turn.revealed")["state"]["match"]
    turn, receipt = match["turn"]["id"], first.say("receipt.ask", turn=match["reveal"]["turn"])
    assert receipt.receive("receipt.issued")["side"] is None, "a path would tell the size of the side"
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
    server.ask("void", event_id=made["id"])  # from now on, the change takes effect one turn earlier
    assert first.receive("side.changed", side_changes=[{"turn": 1, "team": 2}])
    _, welcome = clients.phone(made["code"], token=token)
    assert welcome["you"]["side_changes"] == [{"turn": 1, "team": 2}]


@pytest.mark.usefixtures("harmless")
def test_malformed_is_answered_but_binary_or_oversized_closed(stage: Stage, clients: SocketClients) -> None:
    for client in (clients.open("phone"), clients.phone(stage.code)[0]):
        for frame in MALFORMED:
            assert client.send(frame).receive("error")["code"] == "malformed", frame
        assert client.say("clock.ask", sent=1).receive("clock.synced")
    binary, too_long = b'{"type":"clock.ask","sent":1}', "é" * (MAX_FRAME_BYTES // 2 + 1)
    for client in (clients.open("phone"), clients.phone(stage.code)[0]):
        assert client.send(binary).closed() == CloseCode.BAD_FRAME
    longest = clients.phone(stage.code)[0].send("x" * MAX_FRAME_BYTES)
    longest.receive("error", code="malformed")
    assert longest.send(too_long).closed() == CloseCode.FRAME_TOO_LARGE


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("kind", ["phone", "display"])
def test_socket_must_join_known_event_first_and_once(kind: str, stage: Stage, clients: SocketClients) -> None:
    early = clients.open("phone").say("ballot.cast", **cast(stage.turn))
    assert early.receive("error")["code"] == "not_joined"
    for code in ("ZZZZ", "zzzz-no-such-16", "\0\0\0\0", "' OR 1=1 --", "ß"):
        assert clients.open(kind).say(f"{kind}.join", code=code).closed() == CloseCode.NO_SUCH_EVENT, code
    joined = clients.open(kind).say(f"{kind}.join", code=stage.code)
    joined.receive(f"{kind}.welcomed")
    joined.say(f"{kind}.join", code=stage.code)
    assert joined.receive("error")["code"] == "joined_already"


@pytest.mark.usefixtures("harmless")
def test_display_cannot_vote_nor_phone_control(stage: Stage, clients: SocketClients) -> None:
    (phone, _), (display, _) = clients.phone(stage.code), clients.display(stage.code)
    display.say("ballot.cast", **cast(stage.turn)).receive("error", code="malformed")
    display.say("duel.ask", action="resign", turn=stage.turn).receive("error", code="malformed")
    for client in (display, phone):
        client.say("action.ask", id=1, action="match.abort").receive("error", code="malformed")
    for path in ("nowhere", "phone/", "../admin/"):
        with pytest.raises(InvalidStatus, match=r"HTTP 40[34]"):
            clients.open(path)
