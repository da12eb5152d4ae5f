"""The sockets of a running server: joining, voting, and invalid input, which changes nothing."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.monitoring.probes import paused
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, open_console
from tests.voting.match_helpers import CLASSIC
from tests.voting.open_turn import Stage, cast, event, harmless, open_turn, refusal, stage, vote
from voting.admission.links import qr_rows
from voting.gateway.display import MAX_DISPLAYS
from voting.gateway.socket import FRAME_BURST, FRAME_COST_BEFORE_JOIN, FRAMES_PER_SECOND
from voting.protocol import MAX_FRAME_BYTES, CloseCode

__all__ = ["harmless", "stage"]
ABNORMAL = 1006
LONG_S = 601


# ------------------------------------------------------------------ joining
def test_displays_without_key_displace_each_other_but_not_the_projector(
    server: Server, clients: SocketClients
) -> None:
    """The oldest ones are closed, and may reconnect."""
    made = server.ask("event", lobby="open")
    code = made["code"]
    key = open_console(server, clients, code).received[0]["display_key"]
    projector, _ = clients.display(code, key=key)
    silent = [clients.display(code)[0] for _ in range(MAX_DISPLAYS)]
    second_projector, _ = clients.display(code, key=key)
    clients.display(code, key="0" * 24)
    assert silent[0].receive("retry.after")["within_ms"] > 0
    assert silent[0].closed() == CloseCode.CROWDED
    for display in (projector, second_projector, silent[1]):
        assert display.say("clock.ask", sent=1).receive("clock.synced", sent=1)
    server.ask("edit", event_id=made["id"], notice="Lunch")
    for display in (projector, silent[1]):
        assert display.receive("event.edited")["state"]["notice"] == "Lunch"


@pytest.mark.usefixtures("harmless")
def test_phone_welcome_contains_seat_state_and_time(stage: Stage, clients: SocketClients) -> None:
    _, welcome = clients.phone(stage.code.lower())
    assert set(welcome) == {"type", "now_at", "seq", "you", "state"}
    assert welcome["you"]["team"] in (1, 2)
    assert welcome["you"]["token"]
    state = welcome["state"]
    assert (state["code"], state["match"]["turn"]["id"]) == (stage.code, stage.turn)
    assert state["match"]["turn"]["opens_at"] < welcome["now_at"] < state["match"]["turn"]["closes_at"]


def test_new_phones_are_balanced_regardless_of_chosen_team(server: Server, clients: SocketClients) -> None:
    code = event(server, lobby="open")
    teams = [clients.phone(code, team=1)[1]["you"]["team"] for _ in range(6)]
    assert sorted(teams) == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("choice", ["choose", "link"])
def test_phone_must_choose_team_if_required(choice: str, server: Server, clients: SocketClients) -> None:
    code = event(server, lobby="open", team_choice=choice)
    client = clients.open("phone").say("phone.join", code=code)
    message = client.receive("error", code="team_needed")
    assert [team["name"] for team in message["event"]["teams"]] == ["Rooks", "Doves"]
    client.say("phone.join", code=code, team=2)
    assert client.receive("phone.welcomed")["you"]["team"] == 2
    assert [clients.phone(code, team=2)[1]["you"]["team"] for _ in range(3)] == [2, 2, 2]


def test_phone_cannot_join_until_lobby_opens(server: Server, clients: SocketClients) -> None:
    made = server.ask("event")
    client = clients.open("phone").say("phone.join", code=made["code"])
    assert client.receive("error")["code"] == "lobby_closed"
    done(open_console(server, clients, made["code"]), 1, "lobby.open")
    assert client.receive("lobby.opened")["state"]["lobby"] == "open"
    assert client.say("phone.join", code=made["code"]).receive("phone.welcomed")["you"]["team"] == 1


def test_locked_event_admits_only_seated_phones(server: Server, clients: SocketClients) -> None:
    made = server.ask("event", lobby="open")
    phone, welcome = clients.phone(made["code"])
    done(open_console(server, clients, made["code"]), 1, "joining.lock")
    assert phone.receive("joining.locked")["state"]["lobby"] == "locked"
    late_phone = clients.open("phone").say("phone.join", code=made["code"])
    assert late_phone.receive("error")["code"] == "joining_locked"
    _, again = clients.phone(made["code"], token=welcome["you"]["token"])
    assert again["you"]["team"] == welcome["you"]["team"]


@pytest.mark.usefixtures("harmless")
def test_display_welcome_contains_join_url_and_qr_code(
    stage: Stage, server: Server, clients: SocketClients
) -> None:
    _, welcome = clients.display(stage.code)
    assert welcome["join_url"] == f"{server.http}/{stage.code}"
    rows = welcome["qr"]
    assert len(rows) >= 21
    assert {len(row) for row in rows} == {len(rows)}
    assert set("".join(rows)) == {"0", "1"}
    assert rows[0][:8] == "11111110"
    links = [f"{welcome['join_url']}/{team}" for team in (1, 2)]
    assert welcome["team_qrs"] == [list(qr_rows(link)) for link in links]
    assert "you" not in welcome


def test_clock_is_synced_before_and_after_joining(stage: Stage, clients: SocketClients) -> None:
    client, before = clients.open("phone"), time.time() * 1000
    first = client.say("clock.ask", sent=12.5).receive("clock.synced", sent=12.5)
    assert before - 1_000 < first["now_at"] < time.time() * 1000 + 1_000
    welcome = client.say("phone.join", code=stage.code).receive("phone.welcomed")
    later = client.say("clock.ask", sent=13).receive("clock.synced", sent=13.0)
    assert welcome["now_at"] <= later["now_at"] <= welcome["now_at"] + 60_000


# ------------------------------------------------------------------ voting
@pytest.mark.usefixtures("harmless")
def test_vote_counts_changes_and_survives_a_refresh(stage: Stage, clients: SocketClients) -> None:
    phone, welcome = clients.phone(stage.code)
    assert (welcome["you"]["choice"], welcome["you"]["sequence"]) == (None, 0)
    assert vote(phone, stage.turn, 4)["choice"] == 4
    assert vote(phone, stage.turn, 4)["choice"] == 4
    assert vote(phone, stage.turn, 6, 2)["choice"] == 6
    phone.leave()
    _, again = clients.phone(stage.code, token=welcome["you"]["token"])
    blind = again["you"]["blind"]
    assert len(bytes.fromhex(blind)) == 16
    assert again["you"] == welcome["you"] | {"turn": stage.turn, "choice": 6, "sequence": 2, "blind": blind}


def test_two_sockets_with_one_token_count_as_one_voter(server: Server, clients: SocketClients) -> None:
    made = open_turn(server)
    first, welcome = clients.phone(made.code)
    second, _ = clients.phone(made.code, token=welcome["you"]["token"])
    vote(first, made.turn, 2, 1)
    vote(second, made.turn, 3, 2)
    display, _ = clients.display(made.code)
    team = welcome["you"]["team"] - 1
    message = display.receive_until(lambda m: m["type"] == "turnout.counted" and sum(m["voted"]))
    assert (message["connected"][team], message["voted"][team]) == (1, 1)
    assert (message["connected"][1 - team], message["voted"][1 - team]) == (0, 0)
    assert refusal(first, **cast(made.turn, 2, 1)) == "stale"


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"choice": 1}, "illegal"),
        ({"choice": 8}, "illegal"),
        ({"choice": 255}, "illegal"),
        ({"turn": 1}, "no_such_turn"),
        ({"turn": 2**53 - 1}, "no_such_turn"),
        ({"epoch": 2}, "unknown"),
        ({"epoch": 2**31 - 1}, "unknown"),
    ],
)
def test_invalid_ballot_is_refused_with_code(
    wrong: dict[str, int], code: str, stage: Stage, clients: SocketClients
) -> None:
    phone, welcome = clients.phone(stage.code)
    if wrong.get("turn") == 1:
        wrong = {"turn": stage.turn - 1}
    assert refusal(phone, **cast(stage.turn) | wrong) == code
    _, again = clients.phone(stage.code, token=welcome["you"]["token"])
    assert again["you"]["choice"] is None


@pytest.mark.usefixtures("harmless")
def test_stale_ballot_is_refused_with_newer_sequence(stage: Stage, clients: SocketClients) -> None:
    phone, _ = clients.phone(stage.code)
    vote(phone, stage.turn, 4, 7)
    phone.say("ballot.cast", **cast(stage.turn, 5, 6))
    message = phone.receive("ballot.refused", sequence=6)
    assert (message["code"], message["last"]) == ("stale", 7)


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
    terms: dict[str, Any] = {"game": CLASSIC, "options": {"first": "red"}, "team_choice": "choose"}
    made = open_turn(server, **terms)
    assert vote(clients.phone(made.code, team=1)[0], made.turn)
    assert refusal(clients.phone(made.code, team=2)[0], **cast(made.turn)) == "not_to_move"


def test_ballot_of_long_window_is_stored_before_it_counts(server: Server, clients: SocketClients) -> None:
    made = server.ask("event", window_s=LONG_S, lobby="open", team_choice="choose")
    turn = server.ask("close_after", event_id=made["id"], ms=LONG_S * 1000)
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
    with paused(server, "scheduler-1", "scheduler-2"):  # so that no scheduler closes it
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


# ------------------------------------------------------------------ secrecy
def test_messages_to_others_are_independent_of_choice(server: Server, clients: SocketClients) -> None:
    received = []
    for choice in (2, 7):
        made = open_turn(server, team_choice="choose")
        voter, *others = (clients.phone(made.code, team=team)[0] for team in (1, 2, 1))
        display, _ = clients.display(made.code)
        vote(voter, made.turn, choice)
        display.receive("turnout.counted", turn=made.turn, voted=[1, 0])
        later, _ = clients.display(made.code)
        messages = [message for client in (*others, display, later) for message in client.received]
        expected = {"phone.welcomed", "display.welcomed", "turnout.counted"}
        assert {message["type"] for message in messages} <= expected
        received.append([_normalized(message, made) for message in messages])
    assert _distinct_messages(received[0]) == _distinct_messages(received[1])


def _distinct_messages(messages: list[Message]) -> set[str]:
    """Without turnouts of zero votes, whose number varies."""
    final = [message for message in messages if message["type"] != "turnout.counted" or sum(message["voted"])]
    return {json.dumps(message, sort_keys=True) for message in final}


def _normalized(message: Message, made: Stage) -> Message:
    """Without ids, times, rates, tokens, voter codes and lots, which differ between any two events."""
    text = json.dumps(message).replace(made.code, "CODE")
    copy: Message = json.loads(text)
    for name in ("now_at", "qr", "team_qrs", "votes_per_s", "figures"):
        copy.pop(name, None)
    for name in ("token", "voter_code"):
        copy.get("you", {}).pop(name, None)
    match = copy.get("state", {}).get("match")
    if match:
        match["id"] = 0
        match["turn"] |= {"id": 0, "opens_at": 0, "closes_at": 0, "lot": ""}
    if "turn" in copy:
        copy["turn"] = copy["turn"] == made.turn
    return copy


# ------------------------------------------------------------------ invalid input
@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("kind", ["phone", "display"])
@pytest.mark.parametrize("code", ["ZZZZ", "zzzz-no-such-16", "\0\0\0\0", "' OR 1=1 --", "ß"])
def test_unknown_code_closes_socket_for_good(kind: str, code: str, clients: SocketClients) -> None:
    assert clients.open(kind).say(f"{kind}.join", code=code).closed() == CloseCode.NO_SUCH_EVENT


def test_forged_or_foreign_token_closes_socket_for_good(
    server: Server, stage: Stage, clients: SocketClients
) -> None:
    token = clients.phone(stage.code)[1]["you"]["token"]
    foreign = clients.phone(event(server, lobby="open"))[1]["you"]["token"]
    event_id, voter, rest = token.split(".")
    team, signature = rest.split(":")
    for forged in [
        foreign,
        f"{event_id}.{voter}.{3 - int(team)}:{signature}",
        f"{event_id}.{voter}.{team}",
        token[:-2],
        "x",
        "é" * 100,
    ]:
        client = clients.open("phone").say("phone.join", code=stage.code, token=forged)
        assert client.closed() == CloseCode.BAD_TOKEN


MALFORMED = [
    "",
    "null",
    "[]",
    "{",
    '"phone.join"',
    "{}",
    '{"type": 1}',
    '{"type": "phone.leave"}',
    '{"type": "phone.join"}',
    '{"type": "phone.join", "code": ""}',
    '{"type": "phone.join", "code": "12345678901234567"}',
    '{"type": "phone.join", "code": "ABCD", "team": 3}',
    '{"type": "clock.ask", "sent": -1}',
    '{"type": "clock.ask", "sent": 1e400}',
    '{"type": "clock.ask", "sent": NaN}',
    '{"type": "ballot.cast"}',
    '{"type": "ballot.cast", "turn": 0, "epoch": 1, "choice": 1, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 0, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 4294967296, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 1, "sequence": 2147483648}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": "1 HGETALL", "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1.5, "epoch": 1, "choice": 1, "sequence": 1}',
    '{"type": "phone.join", "code": "\\ud800"}',
    "[" * 2000,
    '{"a":' * 400,
]


@pytest.mark.usefixtures("harmless")
def test_malformed_frame_is_answered_and_socket_stays_open(stage: Stage, clients: SocketClients) -> None:
    for joined in (False, True):
        for start in range(0, len(MALFORMED), 8):
            client = clients.open("phone")
            if joined:
                client.say("phone.join", code=stage.code).receive("phone.welcomed")
            for frame in MALFORMED[start : start + 8]:
                client.send(frame)
                assert client.receive("error")["code"] == "malformed", frame
            client.say("clock.ask", sent=1)
            assert client.receive("clock.synced")


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("kind", ["phone", "display"])
def test_socket_must_join_first_and_once(kind: str, stage: Stage, clients: SocketClients) -> None:
    early = clients.open("phone").say("ballot.cast", **cast(stage.turn))
    assert early.receive("error")["code"] == "not_joined"
    joined = clients.open(kind).say(f"{kind}.join", code=stage.code)
    joined.receive(f"{kind}.welcomed")
    joined.say(f"{kind}.join", code=stage.code)
    assert joined.receive("error")["code"] == "joined_already"


@pytest.mark.usefixtures("harmless")
def test_display_cannot_vote_and_phone_cannot_control(stage: Stage, clients: SocketClients) -> None:
    display, _ = clients.display(stage.code)
    display.say("ballot.cast", **cast(stage.turn))
    assert display.receive("error")["code"] == "malformed"
    for client in (display, clients.phone(stage.code)[0]):
        client.say("action.ask", id=1, action="match.abort")
        assert client.receive("error")["code"] == "malformed"


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x00\x01", CloseCode.BAD_FRAME),
        (b'{"type":"clock.ask","sent":1}', CloseCode.BAD_FRAME),
        ("x" * (MAX_FRAME_BYTES + 1), CloseCode.FRAME_TOO_LARGE),
        ("é" * (MAX_FRAME_BYTES // 2 + 1), CloseCode.FRAME_TOO_LARGE),
        ("x" * 500_000, CloseCode.FRAME_TOO_LARGE),
    ],
    ids=["binary", "binary JSON", "one byte too long", "too long in bytes", "huge"],
)
def test_binary_or_oversized_frame_closes_socket(
    frame: str | bytes, code: int, joined: bool, stage: Stage, clients: SocketClients
) -> None:
    client = clients.phone(stage.code)[0] if joined else clients.open("phone")
    assert client.send(frame).closed() == code


@pytest.mark.usefixtures("harmless")
def test_huge_frame_is_cut_off_while_reading(stage: Stage, clients: SocketClients) -> None:
    client = clients.phone(stage.code)[0]
    assert client.send("x" * 3_000_000).closed() in {ABNORMAL, CloseCode.FRAME_TOO_LARGE}
    assert vote(clients.phone(stage.code)[0], stage.turn)


def test_frame_of_maximum_length_is_read(clients: SocketClients) -> None:
    client = clients.open("phone").send("x" * MAX_FRAME_BYTES)
    assert client.receive("error")["code"] == "malformed"


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("joined", [False, True])
def test_flooding_socket_is_closed_and_others_are_served(
    joined: bool, stage: Stage, clients: SocketClients
) -> None:
    share = 1 if joined else 1 / FRAME_COST_BEFORE_JOIN
    client = clients.phone(stage.code)[0] if joined else clients.open("phone")
    began = time.monotonic()
    with suppress(ConnectionClosed):  # the server may close before all are sent
        for number in range(100):
            client.socket.send(json.dumps({"type": "clock.ask", "sent": number}))
    assert client.closed() in {CloseCode.TOO_MANY_FRAMES, ABNORMAL}
    answered = sum(message["type"] == "clock.synced" for message in client.received)
    assert answered <= share * (FRAME_BURST + FRAMES_PER_SECOND * (time.monotonic() - began))
    assert vote(clients.phone(stage.code)[0], stage.turn)


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("path", ["nowhere", "phone/", "../admin/"])
def test_unknown_socket_path_is_refused(path: str, clients: SocketClients) -> None:
    with pytest.raises(Exception, match=r"HTTP 40[34]"):
        clients.open(path)


# ------------------------------------------------------------------ side changes
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
