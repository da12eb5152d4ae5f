"""The seal is told before the result, and afterwards each phone finds its own ballot under the root."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, lockf
from hashlib import sha256
from typing import Any

import pytest
from redis import Redis

from tests.faces import Face, Faces, Message
from tests.stack import House
from tests.voting.paths import root_of_path
from voting.ballot_box.types import turn_keys
from voting.gateway.receipts import PATIENCE_S

SIDES = ("red", "yellow")
PENDING_BYTE = 0x40000000


class Night:
    """An event whose turn is open, with phones in both teams, and what each of them voted."""

    def __init__(self, house: House, faces: Faces) -> None:
        self.house, self.faces = house, faces
        self.event = house.ask("event", window_s=600, reveal_s=1, lobby="open", team_choice="choose")
        self.turn = house.ask("play_to", event_id=self.event["id"], picks=[])
        self.votes: list[tuple[Face, str, int, str]] = []

    def phone(self, team: int = 1) -> Face:
        return self.faces.phone(self.event["code"], team=team)[0]

    def vote(self, team: int, column: int) -> Face:
        phone, blind = self.phone(team), secrets.token_hex(16)
        ballot = {"turn": self.turn, "epoch": 1, "column": column, "sequence": 1, "blind": blind}
        phone.say("ballot.cast", **ballot).hear("ballot.counted", turn=self.turn)
        self.votes.append((phone, SIDES[team - 1], column, blind))
        return phone

    def close(self) -> None:
        self.house.ask("closing_in", event_id=self.event["id"], ms=0)

    def leaf(self, side: str, column: int, blind: str) -> bytes:
        return f"{self.turn}:{side}:{column}:{blind}".encode()


@pytest.fixture
def night(house: House, faces: Faces) -> Night:
    return Night(house, faces)


def revealed(face: Face) -> Message:
    reveal: Message = face.hear("turn.revealed")["state"]["match"]["reveal"]
    return reveal


def ask(face: Face, turn: int) -> Message:
    return face.say("receipt.ask", turn=turn).hear("receipt.told", turn=turn)


def test_every_phone_finds_its_ballot_under_the_root_that_was_told_at_the_seal(night: Night) -> None:
    for team, column in [(1, 4), (2, 4), (1, 2), (1, 4), (2, 7)]:
        night.vote(team, column)
    idle = night.phone(2)
    night.close()
    for phone, side, column, blind in night.votes:
        sealed, reveal = phone.hear("turn.sealed", turn=night.turn), revealed(phone)
        told = ask(phone, night.turn)
        path = [bytes.fromhex(beside) for beside in told["path"]]
        root = root_of_path(night.leaf(side, column, blind), told["index"], told["ballots"], path)
        assert root is not None
        assert root.hex() == sealed[side]["root"] == reveal[side]["root"]
        assert (told["side"], told["column"], told["blind"]) == (side, column, blind)
        assert told["ballots"] == sealed[side]["ballots"] == reveal[side]["ballots"]
        assert sealed["at"] == reveal["sealed_at"]
    told = ask(idle, night.turn)
    assert (told["side"], told["index"], told["ballots"], told["path"]) == ("yellow", None, 2, [])
    assert (told["column"], told["blind"]) == (None, None)


def test_a_phone_whose_vote_was_changed_on_another_device_is_told_what_counts(night: Night) -> None:
    phone, welcome = night.faces.phone(night.event["code"], team=1)
    other, _ = night.faces.phone(night.event["code"], token=welcome["you"]["token"])
    ballot = {"turn": night.turn, "epoch": 1}
    for face, sequence, column, blind in ((phone, 1, 3, "aa" * 16), (other, 2, 6, "bb" * 16)):
        face.say("ballot.cast", **ballot, sequence=sequence, column=column, blind=blind)
        face.hear("ballot.counted", sequence=sequence)
    night.close()
    reveal, told = revealed(phone), ask(phone, night.turn)
    assert (told["index"], told["column"], told["blind"]) == (0, 6, "bb" * 16)
    root = root_of_path(night.leaf("red", 6, "bb" * 16), 0, told["ballots"], [])
    assert root is not None
    assert root.hex() == reveal["red"]["root"]


@contextmanager
def locked(house: House) -> Iterator[None]:
    """Nobody comes into the database, as while another has it to itself (SQLite's PENDING lock)."""
    with (house.stack.data / "db.sqlite3").open("r+b") as file:
        lockf(file, LOCK_EX, 1, PENDING_BYTE)
        yield


def test_while_the_database_is_locked_ballots_go_on_being_counted(house: House, night: Night) -> None:
    phone, other = night.vote(1, 3), night.vote(2, 2)
    night.close()
    following = revealed(phone) and phone.heard[-1]["state"]["match"]["turn"]["id"]
    revealed(other)
    house.ask("open_at_once", event_id=night.event["id"])
    phone.hear("turn.moved")
    with locked(house):
        for face in (phone, other):
            face.say("receipt.ask", turn=night.turn).say("receipt.ask", turn=night.turn)
            face.say("ballot.cast", turn=following, epoch=1, column=5, sequence=1)
            assert face.hear("receipt.told")["side"] is None  # to the second question, at once
            face.hear("ballot.counted", turn=following)
            assert [told["type"] for told in face.heard].count("receipt.told") == 1
            began = time.monotonic()
            assert face.hear("receipt.told")["side"] is None
            assert time.monotonic() - began < 10 * PATIENCE_S
    assert ask(phone, night.turn)["index"] == 0
    assert [told["type"] for told in other.heard].count("receipt.told") == 2


def test_a_list_that_cannot_be_read_is_not_read_again_and_again(house: House, night: Night) -> None:
    phone = night.vote(1, 3)
    night.close()
    revealed(phone)
    house.ask("spoil_list", turn_id=night.turn)
    for _ in range(3):
        assert ask(phone, night.turn)["side"] is None
    house.ask("mend_list", turn_id=night.turn)
    assert house.log("gateway").count(f"the list of turn {night.turn} is not read") == 1


def test_a_ballot_that_a_server_of_before_the_blinds_took_is_found(house: House, night: Night) -> None:
    phone, welcome = night.faces.phone(night.event["code"], team=1)
    box, ballots = turn_keys(night.event["id"], night.turn)
    with Redis.from_url(house.stack.redis) as redis:
        redis.hset(ballots, welcome["you"]["token"].split(".")[1], '"red",3,1,1')
        redis.hset(box, mapping={"arrivals": 1, "red": 1})
    night.close()
    reveal, told = revealed(phone), ask(phone, night.turn)
    assert (reveal["red"]["pick"], reveal["red"]["ballots"]) == (3, 1)
    assert (told["index"], told["column"], told["blind"]) == (0, 3, "")
    assert sha256(b"\0" + night.leaf("red", 3, "")).hexdigest() == reveal["red"]["root"]


def test_all_are_told_the_seal_and_nothing_in_it_says_what_was_voted(night: Night) -> None:
    night.vote(1, 4)
    display, _ = night.faces.display(night.event["code"])
    night.close()
    told = [face.hear("turn.sealed") for face in (display, night.votes[0][0])]
    assert told[0] == told[1]
    assert set(told[0]) == {"type", "turn", "at", "red", "yellow", "whole"}
    assert told[0]["red"].keys() == told[0]["yellow"].keys() == {"root", "ballots"}
    assert told[0]["yellow"] == {"root": sha256().hexdigest(), "ballots": 0}
    kinds = [message["type"] for message in display.heard]
    assert "turn.revealed" not in kinds[: kinds.index("turn.sealed")]


def test_the_lot_was_committed_to_before_the_window(night: Night) -> None:
    phone, welcome = night.faces.phone(night.event["code"], team=1)
    lot = welcome["state"]["match"]["turn"]["lot"]
    night.close()
    reveal = revealed(phone)
    assert sha256(f"crowdgame lot:{reveal['seed']}".encode()).hexdigest() == lot
    following = phone.heard[-1]["state"]["match"]["turn"]
    assert following["lot"] not in {lot, None}
    assert reveal["red"]["decided_by"] == "random"
    drawn = int(sha256(f"{reveal['seed']}:red".encode()).hexdigest(), 16)
    assert reveal["red"]["pick"] == 1 + drawn % 7


def test_nothing_is_told_of_an_open_turn_of_another_event_or_of_none(house: House, night: Night) -> None:
    phone = night.vote(1, 3)
    nothing: Message = {"side": None, "index": None, "ballots": 0, "path": []}
    elsewhere = Night(house, night.faces)
    stranger = elsewhere.vote(1, 5)
    elsewhere.close()
    revealed(stranger)
    for turn in (night.turn, elsewhere.turn, night.turn + 1_000):
        assert ask(phone, turn).items() >= nothing.items()
    assert ask(stranger, elsewhere.turn)["side"] == "red"
    night.close()
    revealed(phone)
    assert ask(phone, night.turn)["index"] == 0


def test_the_last_turns_stay_to_be_asked_for(night: Night) -> None:
    phone = night.vote(1, 3)
    night.close()
    revealed(phone)
    first = ask(phone, night.turn)
    night.house.ask("play_to", event_id=night.event["id"], picks=[(1, 2), (1, 2)])
    revealed(phone), revealed(phone)
    assert ask(phone, night.turn) == first


def test_once_nobody_knows_whose_ballots_they_were_nothing_is_told(night: Night) -> None:
    phone = night.vote(1, 3)
    night.close()
    revealed(phone)
    night.house.ask("forget_voters", turn_id=night.turn)
    told = ask(phone, night.turn)
    assert (told["side"], told["index"]) == (None, None)


def test_a_phone_that_draws_no_blind_has_one_drawn(night: Night) -> None:
    phone, welcome = night.faces.phone(night.event["code"], team=1)
    ballot: dict[str, Any] = {"turn": night.turn, "epoch": 1, "column": 2, "sequence": 1}
    phone.say("ballot.cast", **ballot).hear("ballot.counted")
    again = night.faces.phone(night.event["code"], token=welcome["you"]["token"])[1]["you"]
    assert (again["column"], len(again["blind"])) == (2, 32)
    night.close()
    reveal, told = revealed(phone), ask(phone, night.turn)
    root = root_of_path(night.leaf("red", 2, again["blind"]), told["index"], told["ballots"], [])
    assert root is not None
    assert root.hex() == reveal["red"]["root"]
