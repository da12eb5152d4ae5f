"""After the reveal, each phone can verify its ballot by a receipt, and find its drop on the displays."""

from fcntl import LOCK_EX, lockf
from hashlib import sha256
from typing import Any

import pytest
from redis import Redis

from games.engine.game import SIDES
from tests.monitoring.probes import metric_value
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.merkle_path import root_of_path
from tests.voting.open_turn import Stage, cast, open_turn, vote
from voting.ballot_box.box_types import turn_keys
from voting.ballot_box.opened_ballots import KEPT_WHOLE, DropPlace, OpenedBallots, open_list
from voting.counting.ballots import Ballot, pack_ballots
from voting.counting.methods.voting_method import find_method
from voting.gateway.drop_requests import MAX_REQUESTS


class OpenTurn:
    """An event with an open turn."""

    def __init__(self, server: Server, clients: SocketClients) -> None:
        self.server, self.clients = server, clients
        self.stage = open_turn(server, pace="instant", team_choice="choose")
        self.turn = self.stage.turn

    def phone(self, team: int = 1, **fields: Any) -> tuple[SocketClient, Message]:
        phone, welcome = self.clients.phone(self.stage.code, team=team, **fields)
        return phone, welcome["you"]

    def vote(self, phone: SocketClient, choice: int, sequence: int = 1, **blind: str) -> SocketClient:
        phone.say("ballot.cast", **cast(self.turn, choice, sequence), **blind)
        phone.receive("ballot.counted", turn=self.turn, sequence=sequence)
        return phone

    def vote_and_close(self) -> SocketClient:
        phone = self.vote(self.phone()[0], 3)
        self.close()
        revealed(phone)
        return phone

    def close(self) -> None:
        self.server.ask("close_after", event_id=self.stage.id, ms=0)

    def root(self, receipt: Message) -> str:
        """The root that the receipt's path leads to, in hex."""
        leaf = f"{self.turn}:{receipt['side']}:{receipt['choice']}:{receipt['blind']}".encode()
        path = [bytes.fromhex(sibling) for sibling in receipt["path"]]
        root = root_of_path(leaf, receipt["index"], receipt["ballots"], path)
        assert root is not None
        return root.hex()


@pytest.fixture
def scenario(server: Server, clients: SocketClients) -> OpenTurn:
    return OpenTurn(server, clients)


def revealed(client: SocketClient) -> Message:
    reveal: Message = client.receive("turn.revealed")["state"]["match"]["reveal"]
    return reveal


def ask(client: SocketClient, turn: int) -> Message:
    return client.say("receipt.ask", turn=turn).receive("receipt.issued", turn=turn)


def test_receipt_path_leads_to_root_published_at_seal(server: Server, scenario: OpenTurn) -> None:
    earlier, you = scenario.phone()
    box, ballots, _ = turn_keys(scenario.stage.id, scenario.turn)
    with Redis.from_url(server.stack.redis) as redis:  # a ballot of an earlier version has no blind
        redis.hset(ballots, you["token"].split(".")[1], '"red",3,1,1')
        redis.hset(box, mapping={"arrivals": 1, "red": 1})
    receipts = [(earlier, ("red", 3, ""))]
    for number, (team, choice) in enumerate([(1, 4), (2, 4), (1, 2), (1, 4), (2, 7)]):
        phone, you = scenario.phone(team)
        scenario.vote(phone, choice, blind=f"{number:032x}")
        receipts.append((phone, (SIDES[team - 1], choice, f"{number:032x}")))
    scenario.vote(scenario.phone(token=you["token"])[0], 6, 2, blind="bb" * 16)  # on another device
    receipts[-1] = (phone, ("yellow", 6, "bb" * 16))
    phone, you = scenario.phone()
    scenario.vote(phone, 2)
    blind = scenario.phone(token=you["token"])[1]["blind"]
    assert len(blind) == 32, "the server draws one for a phone without"
    receipts.append((phone, ("red", 2, blind)))
    idle, _ = scenario.phone(2)
    scenario.close()
    for phone, ballot in receipts:
        sealed, reveal = phone.receive("turn.sealed", turn=scenario.turn), revealed(phone)
        receipt = ask(phone, scenario.turn)
        side = receipt["side"]
        assert (side, receipt["choice"], receipt["blind"]) == ballot
        assert scenario.root(receipt) == sealed[side]["root"] == reveal[side]["root"]
        assert receipt["ballots"] == sealed[side]["ballots"] == reveal[side]["ballots"]
        assert sealed["at"] == reveal["sealed_at"]
    receipt = ask(idle, scenario.turn)
    assert (receipt["side"], receipt["index"], receipt["ballots"], receipt["path"]) == ("yellow", None, 2, [])
    assert (receipt["choice"], receipt["blind"]) == (None, None)


def test_ballots_are_counted_while_receipts_wait_for_database(server: Server, scenario: OpenTurn) -> None:
    phone, other = (scenario.vote(scenario.phone(team)[0], 3) for team in (1, 2))
    scenario.close()
    following = revealed(phone) and phone.received[-1]["state"]["match"]["turn"]["id"]
    revealed(other)
    server.ask("open_turn_now", event_id=scenario.stage.id)
    phone.receive("turn.moved")
    before = metric_value(server, "crowdgame_refusals_total", kind="receipt")
    with (server.stack.data / "db.sqlite3").open("r+b") as database:
        lockf(database, LOCK_EX, 1, 0x40000000)  # SQLite's PENDING lock keeps everyone else out
        for client in (phone, other):
            client.say("receipt.ask", turn=scenario.turn).say("receipt.ask", turn=scenario.turn)
            client.say("ballot.cast", turn=following, epoch=1, choice=5, sequence=1)
            assert client.receive("receipt.issued")["side"] is None  # to the second request, at once
            client.receive("ballot.counted", turn=following)
            assert [message["type"] for message in client.received].count("receipt.issued") == 1
        for client in (phone, other):
            assert client.receive("receipt.issued")["side"] is None
    assert ask(phone, scenario.turn)["index"] == 0
    assert [message["type"] for message in other.received].count("receipt.issued") == 2
    assert metric_value(server, "crowdgame_refusals_total", kind="receipt") == before + 4


def test_receipts_of_a_large_turn_are_loaded_for_connected_voters(server: Server, scenario: OpenTurn) -> None:
    display = scenario.clients.display(scenario.stage.code)[0]
    first, later, last = (scenario.phone() for _ in range(3))
    for phone, _ in (first, later, last):
        scenario.vote(phone, 3)
    box, ballots, _ = turn_keys(scenario.stage.id, scenario.turn)
    others = {f"{n:016x}": f'"red",{n % 7 + 1},1,{n + 4},"{n:032x}"' for n in range(KEPT_WHOLE)}
    with Redis.from_url(server.stack.redis) as redis:
        redis.hset(ballots, mapping=others)
        redis.hset(box, mapping={"arrivals": KEPT_WHOLE + 3, "red": KEPT_WHOLE + 3})
    for phone, _ in (later, last):
        phone.socket.close()
    display.receive("turnout.counted", connected=[1, 0])
    scenario.close()
    root = revealed(first[0])["red"]["root"]
    assert scenario.root(ask(first[0], scenario.turn)) == root
    again = scenario.phone(token=later[1]["token"])[0]
    assert scenario.root(ask(again, scenario.turn)) == root, "added to those loaded"
    again = scenario.phone(token=last[1]["token"])[0]
    assert ask(again, scenario.turn)["side"] is None, "not again so soon"
    assert scenario.root(ask(first[0], scenario.turn)) == root, "those loaded stay"


def test_unreadable_ballot_list_is_logged_once(server: Server, scenario: OpenTurn) -> None:
    phone = scenario.vote_and_close()
    server.ask("corrupt_ballot_list", turn_id=scenario.turn)
    for _ in range(3):
        assert ask(phone, scenario.turn)["side"] is None
    server.ask("repair_ballot_list", turn_id=scenario.turn)
    assert server.log("gateway").count(f"could not read the ballot list of turn {scenario.turn}") == 1


def test_lot_is_committed_before_window_and_verifiable(scenario: OpenTurn) -> None:
    phone, welcome = scenario.clients.phone(scenario.stage.code, team=1)
    lot = welcome["state"]["match"]["turn"]["lot"]
    scenario.close()
    reveal = revealed(phone)
    assert sha256(f"crowdgame lot 2:{reveal['seed']}".encode()).hexdigest() == lot
    assert phone.received[-1]["state"]["match"]["turn"]["lot"] not in {lot, None}
    text = f"{reveal['seed']}:{reveal['red']['root']}:{reveal['yellow']['root']}"
    mixed = sha256(text.encode()).hexdigest()
    drawn = int(sha256(f"{mixed}:red".encode()).hexdigest(), 16)
    assert (reveal["red"]["decided_by"], reveal["red"]["pick"]) == ("random", 1 + drawn % 7)


def test_receipt_is_empty_for_open_foreign_or_unknown_turn(server: Server, scenario: OpenTurn) -> None:
    phone = scenario.vote(scenario.phone()[0], 3)
    elsewhere = OpenTurn(server, scenario.clients)
    other_phone = elsewhere.vote_and_close()
    for turn in (scenario.turn, elsewhere.turn, scenario.turn + 1_000):
        receipt = ask(phone, turn)
        assert (receipt["side"], receipt["index"], receipt["ballots"], receipt["path"]) == (None, None, 0, [])
    assert ask(other_phone, elsewhere.turn)["side"] == "red"
    scenario.close()
    revealed(phone)
    assert ask(phone, scenario.turn)["index"] == 0


def test_receipts_of_recent_turns_stay_available(scenario: OpenTurn) -> None:
    phone = scenario.vote_and_close()
    first = ask(phone, scenario.turn)
    scenario.server.ask("play_to", event_id=scenario.stage.id, picks=[(1, 2), (1, 2)])
    revealed(phone), revealed(phone)
    assert ask(phone, scenario.turn) == first


def test_receipt_is_empty_after_anonymization(scenario: OpenTurn) -> None:
    phone = scenario.vote_and_close()
    scenario.server.ask("anonymize_voters", turn_id=scenario.turn)
    receipt = ask(phone, scenario.turn)
    assert (receipt["side"], receipt["index"]) == (None, None)


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


def ask_mark(phone: SocketClient, turn: int) -> Message:
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
    waiting = [ask_mark(phone, stage.turn) for phone in phones]
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
    assert {ask_mark(one, stage.turn)["answer"] for one in idle} == {"unavailable"}, "they have not voted"
    answer = ask_mark(phone, stage.turn)
    assert (answer["answer"], answer["index"]) == ("shown", 0)
    assert place(display.receive("drop.shown")) == ("red", 3, 0, answer["symbol"])
    assert ask_mark(phone, stage.turn)["answer"] == "full", "once in a turn"


def test_number_of_marks_is_limited(server: Server, stage: Stage, clients: SocketClients) -> None:
    idle = [clients.phone(stage.code, team=2)[0] for _ in range(MAX_REQUESTS)]
    assert {ask_mark(phone, stage.turn)["answer"] for phone in idle} == {"unavailable"}, "they have not voted"
    phones = voted(clients, stage, [1] * (MAX_REQUESTS + 1))
    assert [ask_mark(phone, stage.turn)["answer"] for phone in phones] == ["waiting"] * MAX_REQUESTS + [
        "full"
    ]
    phones[0].socket.close()
    last = phones[-1]
    while ask_mark(last, stage.turn)["answer"] == "full":  # its place is free once the gateway has noticed
        pass
    close(server, stage, last)
    assert last.receive("drop.answered")["answer"] == "shown"


@pytest.mark.parametrize("hidden", ["hide_drops", "hide_tally", "hide_turnout"])
def test_drops_are_not_marked_if_hidden(server: Server, clients: SocketClients, hidden: str) -> None:
    stage = open_turn(server, (), team_choice="choose", **{hidden: True})
    (phone,) = voted(clients, stage, [3])
    assert ask_mark(phone, stage.turn)["answer"] == "unavailable"


def test_unknown_or_void_turn_marks_nothing(server: Server, stage: Stage, clients: SocketClients) -> None:
    (phone,) = voted(clients, stage, [3])
    assert ask_mark(phone, stage.turn + 1000)["answer"] == "unavailable"
    assert ask_mark(phone, stage.turn)["answer"] == "waiting"
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
    assert ask_mark(early, following)["answer"] == "waiting"
    assert ask_mark(late, stage.turn)["answer"] == "shown"
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
    opened = OpenedBallots(1, {}, {}, {}, is_whole=True)
    choices = [method.encode(columns) for columns in ballots]
    red = [Ballot(str(n), "red", choice, 1) for n, choice in enumerate(choices)]
    yellow = [Ballot("other", "yellow", choices[0], 1)]
    for side, listed in zip(SIDES, (red, yellow), strict=True):
        opened.lists[side] = open_list(opened, side, pack_ballots(listed))
    expected = [DropPlace("red", n, column, rank) for n, (column, rank) in enumerate(places)]
    assert [opened.drop(str(n), method) for n in range(len(ballots))] == expected
    assert opened.drop("nobody", method) is None
