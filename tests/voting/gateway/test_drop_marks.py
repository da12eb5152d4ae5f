"""Voters find their own drop: displays mark its place in the pile of its column."""

from typing import Any

import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.open_turn import Stage, open_turn, vote
from voting.ballot_box.opened_ballots import BallotLeaf, DropPlace, OpenedBallots
from voting.counting.methods.voting_method import find_method
from voting.gateway.drop_requests import MAX_REQUESTS

CHOICES = [4, 4, 2, 4]


@pytest.fixture
def stage(server: Server) -> Stage:
    return open_turn(server, pace="dramatic", team_choice="choose")


@pytest.fixture
def display(stage: Stage, clients: SocketClients) -> SocketClient:
    return clients.display(stage.code)[0]


def voted(clients: SocketClients, stage: Stage, choices: list[int]) -> list[SocketClient]:
    phones = [clients.phone(stage.code, team=1)[0] for _ in choices]
    for phone, choice in zip(phones, choices, strict=True):
        vote(phone, stage.turn, choice)
    return phones


def ask(phone: SocketClient, turn: int) -> Message:
    return phone.say("drop.show", turn=turn).receive("drop.answered", turn=turn)


def close(server: Server, stage: Stage, phone: SocketClient) -> None:
    server.ask("close_after", event_id=stage.id, ms=0)
    phone.receive("turn.revealed")


def place(shown: Message) -> tuple[Any, ...]:
    return shown["side"], shown["column"], shown["rank"], shown["symbol"]


def test_drops_are_marked_at_the_reveal(
    server: Server, stage: Stage, clients: SocketClients, display: SocketClient
) -> None:
    phones = voted(clients, stage, CHOICES)
    waiting = [ask(phone, stage.turn) for phone in phones]
    assert [(answer["answer"], answer["index"]) for answer in waiting] == [("waiting", None)] * len(phones)
    display.say("clock.ask", sent=1).receive("clock.synced")
    assert "drop.shown" not in {message["type"] for message in display.received}, "before the reveal"
    close(server, stage, phones[0])
    answers = [phone.receive("drop.answered", turn=stage.turn) for phone in phones]
    shown = [display.receive("drop.shown", turn=stage.turn) for _ in phones]
    columns = dict(sorted((answer["index"], choice) for answer, choice in zip(answers, CHOICES, strict=True)))
    in_order = list(columns.values())
    assert [answer["answer"] for answer in answers] == ["shown"] * len(phones)
    assert sorted(place(one) for one in shown) == sorted(
        ("red", choice, in_order[: answer["index"]].count(choice), first["symbol"])
        for answer, choice, first in zip(answers, CHOICES, waiting, strict=True)
    )


def test_drop_is_marked_at_once_during_the_reveal(
    server: Server, stage: Stage, clients: SocketClients, display: SocketClient
) -> None:
    (phone,) = voted(clients, stage, [3])
    idle = [clients.phone(stage.code, team=2)[0] for _ in range(MAX_REQUESTS)]
    close(server, stage, phone)
    assert {ask(one, stage.turn)["answer"] for one in idle} == {"unavailable"}, "they have not voted"
    answer = ask(phone, stage.turn)
    assert (answer["answer"], answer["index"]) == ("shown", 0)
    assert place(display.receive("drop.shown")) == ("red", 3, 0, answer["symbol"])
    assert ask(phone, stage.turn)["answer"] == "full", "once in a turn"


def test_number_of_marks_is_limited(server: Server, stage: Stage, clients: SocketClients) -> None:
    idle = [clients.phone(stage.code, team=2)[0] for _ in range(MAX_REQUESTS)]
    assert {ask(phone, stage.turn)["answer"] for phone in idle} == {"unavailable"}, "they have not voted"
    phones = voted(clients, stage, [1] * (MAX_REQUESTS + 1))
    assert [ask(phone, stage.turn)["answer"] for phone in phones] == ["waiting"] * MAX_REQUESTS + ["full"]
    phones[0].socket.close()
    last = phones[-1]
    while ask(last, stage.turn)["answer"] == "full":  # its place is free once the gateway has noticed
        pass
    close(server, stage, last)
    assert last.receive("drop.answered")["answer"] == "shown"


@pytest.mark.parametrize("hidden", ["hide_drops", "hide_tally", "hide_turnout"])
def test_drops_are_not_marked_if_hidden(server: Server, clients: SocketClients, hidden: str) -> None:
    stage = open_turn(server, (), team_choice="choose", **{hidden: True})
    (phone,) = voted(clients, stage, [3])
    assert ask(phone, stage.turn)["answer"] == "unavailable"


def test_unknown_or_void_turn_marks_nothing(server: Server, stage: Stage, clients: SocketClients) -> None:
    (phone,) = voted(clients, stage, [3])
    assert ask(phone, stage.turn + 1000)["answer"] == "unavailable"
    assert ask(phone, stage.turn)["answer"] == "waiting"
    server.ask("abort_all_matches")
    assert phone.receive("drop.answered")["answer"] == "unavailable"


def test_requests_during_a_reveal_do_not_disturb_those_of_the_next_turn(
    server: Server, stage: Stage, clients: SocketClients
) -> None:
    early, late = voted(clients, stage, [3, 4])
    server.ask("close_after", event_id=stage.id, ms=0)
    following = early.receive("turn.revealed")["state"]["match"]["turn"]["id"]
    server.ask("open_turn_now", event_id=stage.id)
    early.receive("turn.moved")
    vote(early, following)
    assert ask(early, following)["answer"] == "waiting"
    assert ask(late, stage.turn)["answer"] == "shown"
    server.ask("close_after", event_id=stage.id, ms=0)
    assert early.receive("drop.answered")["answer"] == "shown"


@pytest.mark.parametrize(
    ("name", "ballots", "places"),
    [
        ("plurality", [(4,), (2,), (4,)], [(4, 0), (2, 0), (4, 1)]),
        ("approval", [(2, 5), (5,), (2, 7)], [(2, 0), (5, 1), (2, 1)]),
        ("instant_runoff", [(5, 2), (2, 5), (5,)], [(5, 0), (2, 0), (5, 1)]),
        ("score", [(3, 3, 3), (3,), (3, 3)], [(3, 0), (3, 3), (3, 4)]),
    ],
)
def test_rank_counts_votes_before_it_in_the_pile(
    name: str, ballots: list[tuple[int, ...]], places: list[tuple[int, int]]
) -> None:
    method = find_method(name)
    leaves = {str(n): BallotLeaf("red", n, method.encode(columns), "") for n, columns in enumerate(ballots)}
    other = BallotLeaf("yellow", 0, method.encode(ballots[0]), "")
    opened = OpenedBallots(1, {}, {**leaves, "other": other}, {})
    expected = [DropPlace("red", n, column, rank) for n, (column, rank) in enumerate(places)]
    assert [opened.drop(str(n), method) for n in range(len(ballots))] == expected
    assert opened.drop("nobody", method) is None
