"""Receipts: the seal is published before the result, and each phone can verify its ballot afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, lockf
from hashlib import sha256

import pytest
from redis import Redis

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.merkle_path import root_of_path
from tests.voting.open_turn import open_turn, vote
from voting.ballot_box.box_types import turn_keys

SIDES = ("red", "yellow")


class OpenTurn:
    """An event with an open turn, and the phones with their votes."""

    def __init__(self, server: Server, clients: SocketClients) -> None:
        self.server, self.clients = server, clients
        self.stage = open_turn(server, pace="instant", team_choice="choose")
        self.turn = self.stage.turn
        self.votes: list[tuple[SocketClient, str, int, str]] = []

    def phone(self, team: int = 1) -> SocketClient:
        return self.clients.phone(self.stage.code, team=team)[0]

    def vote(self, team: int, choice: int) -> SocketClient:
        phone, blind = self.phone(team), f"{len(self.votes):032x}"
        ballot = {"turn": self.turn, "epoch": 1, "choice": choice, "sequence": 1, "blind": blind}
        phone.say("ballot.cast", **ballot).receive("ballot.counted", turn=self.turn)
        self.votes.append((phone, SIDES[team - 1], choice, blind))
        return phone

    def vote_and_close(self) -> SocketClient:
        """A phone of red that voted and has received the reveal."""
        phone = self.vote(1, 3)
        self.close()
        revealed(phone)
        return phone

    def close(self) -> None:
        self.server.ask("close_after", event_id=self.stage.id, ms=0)

    def leaf(self, side: str, choice: int, blind: str) -> bytes:
        return f"{self.turn}:{side}:{choice}:{blind}".encode()

    def root(self, receipt: Message) -> str:
        """The root that the receipt's path leads to, in hex."""
        leaf = self.leaf(receipt["side"], receipt["choice"], receipt["blind"])
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


def test_receipt_path_leads_to_root_published_at_seal(scenario: OpenTurn) -> None:
    for team, choice in [(1, 4), (2, 4), (1, 2), (1, 4), (2, 7)]:
        scenario.vote(team, choice)
    idle = scenario.phone(2)
    scenario.close()
    for phone, side, choice, blind in scenario.votes:
        sealed, reveal = phone.receive("turn.sealed", turn=scenario.turn), revealed(phone)
        receipt = ask(phone, scenario.turn)
        assert (receipt["side"], receipt["choice"], receipt["blind"]) == (side, choice, blind)
        assert scenario.root(receipt) == sealed[side]["root"] == reveal[side]["root"]
        assert receipt["ballots"] == sealed[side]["ballots"] == reveal[side]["ballots"]
        assert sealed["at"] == reveal["sealed_at"]
    receipt = ask(idle, scenario.turn)
    assert (receipt["side"], receipt["index"], receipt["ballots"], receipt["path"]) == ("yellow", None, 2, [])
    assert (receipt["choice"], receipt["blind"]) == (None, None)


def test_receipt_shows_ballot_changed_on_another_device(scenario: OpenTurn) -> None:
    phone, welcome = scenario.clients.phone(scenario.stage.code, team=1)
    other, _ = scenario.clients.phone(scenario.stage.code, token=welcome["you"]["token"])
    ballot = {"turn": scenario.turn, "epoch": 1}
    for client, sequence, choice, blind in ((phone, 1, 3, "aa" * 16), (other, 2, 6, "bb" * 16)):
        client.say("ballot.cast", **ballot, sequence=sequence, choice=choice, blind=blind)
        client.receive("ballot.counted", sequence=sequence)
    scenario.close()
    reveal, receipt = revealed(phone), ask(phone, scenario.turn)
    assert (receipt["index"], receipt["choice"], receipt["blind"]) == (0, 6, "bb" * 16)
    assert scenario.root(receipt) == reveal["red"]["root"]


@contextmanager
def locked(server: Server) -> Iterator[None]:
    """Lock the database for everyone else (SQLite's PENDING lock)."""
    with (server.stack.data / "db.sqlite3").open("r+b") as file:
        lockf(file, LOCK_EX, 1, 0x40000000)
        yield


def test_ballots_are_counted_while_receipts_wait_for_database(server: Server, scenario: OpenTurn) -> None:
    phone, other = scenario.vote(1, 3), scenario.vote(2, 2)
    scenario.close()
    following = revealed(phone) and phone.received[-1]["state"]["match"]["turn"]["id"]
    revealed(other)
    server.ask("open_turn_now", event_id=scenario.stage.id)
    phone.receive("turn.moved")
    with locked(server):
        for client in (phone, other):
            client.say("receipt.ask", turn=scenario.turn).say("receipt.ask", turn=scenario.turn)
            client.say("ballot.cast", turn=following, epoch=1, choice=5, sequence=1)
            assert client.receive("receipt.issued")["side"] is None  # to the second request, at once
            client.receive("ballot.counted", turn=following)
            assert [message["type"] for message in client.received].count("receipt.issued") == 1
            assert client.receive("receipt.issued")["side"] is None
    assert ask(phone, scenario.turn)["index"] == 0
    assert [message["type"] for message in other.received].count("receipt.issued") == 2


def test_unreadable_ballot_list_is_logged_once(server: Server, scenario: OpenTurn) -> None:
    phone = scenario.vote_and_close()
    server.ask("corrupt_ballot_list", turn_id=scenario.turn)
    for _ in range(3):
        assert ask(phone, scenario.turn)["side"] is None
    server.ask("repair_ballot_list", turn_id=scenario.turn)
    assert server.log("gateway").count(f"could not read the ballot list of turn {scenario.turn}") == 1


def test_receipt_finds_ballot_without_blind_from_older_version(server: Server, scenario: OpenTurn) -> None:
    phone, welcome = scenario.clients.phone(scenario.stage.code, team=1)
    box, ballots, _ = turn_keys(scenario.stage.id, scenario.turn)
    with Redis.from_url(server.stack.redis) as redis:
        redis.hset(ballots, welcome["you"]["token"].split(".")[1], '"red",3,1,1')
        redis.hset(box, mapping={"arrivals": 1, "red": 1})
    scenario.close()
    reveal, receipt = revealed(phone), ask(phone, scenario.turn)
    assert (reveal["red"]["pick"], reveal["red"]["ballots"]) == (3, 1)
    assert (receipt["index"], receipt["choice"], receipt["blind"]) == (0, 3, "")
    assert scenario.root(receipt) == reveal["red"]["root"]


def test_lot_is_committed_before_window_and_verifiable(scenario: OpenTurn) -> None:
    phone, welcome = scenario.clients.phone(scenario.stage.code, team=1)
    lot = welcome["state"]["match"]["turn"]["lot"]
    scenario.close()
    reveal = revealed(phone)
    assert sha256(f"crowdgame lot 2:{reveal['seed']}".encode()).hexdigest() == lot
    following = phone.received[-1]["state"]["match"]["turn"]
    assert following["lot"] not in {lot, None}
    assert reveal["red"]["decided_by"] == "random"
    drawn = int(sha256(f"{reveal['seed']}:red".encode()).hexdigest(), 16)
    assert reveal["red"]["pick"] == 1 + drawn % 7


def test_receipt_is_empty_for_open_foreign_or_unknown_turn(server: Server, scenario: OpenTurn) -> None:
    phone = scenario.vote(1, 3)
    empty: Message = {"side": None, "index": None, "ballots": 0, "path": []}
    elsewhere = OpenTurn(server, scenario.clients)
    other_phone = elsewhere.vote_and_close()
    for turn in (scenario.turn, elsewhere.turn, scenario.turn + 1_000):
        assert ask(phone, turn).items() >= empty.items()
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


def test_server_draws_blind_for_phone_without_one(scenario: OpenTurn) -> None:
    phone, welcome = scenario.clients.phone(scenario.stage.code, team=1)
    vote(phone, scenario.turn, 2)
    again = scenario.clients.phone(scenario.stage.code, token=welcome["you"]["token"])[1]["you"]
    assert (again["choice"], len(again["blind"])) == (2, 32)
    scenario.close()
    reveal, receipt = revealed(phone), ask(phone, scenario.turn)
    assert receipt["blind"] == again["blind"]
    assert scenario.root(receipt) == reveal["red"]["root"]
