import asyncio
from collections.abc import Collection, Sequence
from fcntl import LOCK_EX, lockf
from typing import Any

import pytest
from msgspec import structs
from redis import Redis

from games.engine.game import SIDES
from tests.monitoring.probes import metric_value
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.gateway_helpers import new_room, playing
from tests.voting.merkle_path import root_of_path
from tests.voting.open_turn import Stage, cast, open_turn, vote
from voting.admission.seats import Seat
from voting.ballot_box.box_types import turn_keys
from voting.ballot_box.opened_ballots import KEPT_WHOLE, DropPlace, OpenedBallots, open_list
from voting.counting.ballots import Ballot, pack_ballots
from voting.counting.methods.voting_method import find_method
from voting.gateway.drop_requests import MAX_REQUESTS
from voting.gateway.receipts import MAX_CACHED_TURNS, Receipts

CHOICES = [4, 4, 2, 4]


@pytest.fixture
def stage(server: Server) -> Stage:
    return open_turn(server, pace="dramatic", team_choice="choose")


def join(clients: SocketClients, stage: Stage, team: int = 1, **fields: Any) -> tuple[SocketClient, Message]:
    phone, welcome = clients.phone(stage.code, team=team, **fields)
    return phone, welcome["you"]


def voted(clients: SocketClients, stage: Stage, choices: Sequence[int]) -> list[SocketClient]:
    phones = [join(clients, stage)[0] for _ in choices]
    for phone, choice in zip(phones, choices, strict=True):
        vote(phone, stage.turn, choice)
    return phones


def close(server: Server, stage: Stage, phone: SocketClient) -> Message:
    server.ask("close_after", event_id=stage.id, ms=0)
    return revealed(phone)


def root(receipt: Message, stage: Stage) -> str:
    leaf = f"{stage.turn}:{receipt['side']}:{receipt['choice']}:{receipt['blind']}".encode()
    path = [bytes.fromhex(sibling) for sibling in receipt["path"]]
    found = root_of_path(leaf, receipt["index"], receipt["ballots"], path)
    assert found is not None
    return found.hex()


def revealed(client: SocketClient) -> Message:
    reveal: Message = client.receive("turn.revealed")["state"]["match"]["reveal"]
    return reveal


def ask(client: SocketClient, turn: int) -> Message:
    return client.say("receipt.ask", turn=turn).receive("receipt.issued", turn=turn)


def test_receipt_path_leads_to_published_root(server: Server, stage: Stage, clients: SocketClients) -> None:
    earlier, you = join(clients, stage)
    box, ballots, _ = turn_keys(stage.id, stage.turn)
    with Redis.from_url(server.stack.redis) as redis:  # a ballot of an earlier version has no blind
        redis.hset(ballots, you["token"].split(".")[1], '"red",3,1,1')
        redis.hset(box, mapping={"arrivals": 1, "red": 1})
    receipts = [(earlier, ("red", 3, ""))]
    for number, (team, choice) in enumerate([(1, 4), (2, 4), (1, 2), (1, 4), (2, 7)]):
        phone, you = join(clients, stage, team)
        vote(phone, stage.turn, choice, blind=f"{number:032x}")
        receipts.append((phone, (SIDES[team - 1], choice, f"{number:032x}")))
    vote(join(clients, stage, token=you["token"])[0], stage.turn, 6, 2, blind="bb" * 16)  # on another device
    receipts[-1] = (phone, ("yellow", 6, "bb" * 16))
    phone, you = join(clients, stage)
    vote(phone, stage.turn, 2)
    blind = join(clients, stage, token=you["token"])[1]["blind"]
    assert len(blind) == 32, "the server draws one for a phone without"
    receipts.append((phone, ("red", 2, blind)))
    idle, _ = join(clients, stage, 2)
    server.ask("close_after", event_id=stage.id, ms=0)
    for phone, ballot in receipts:
        sealed, reveal = phone.receive("turn.sealed", turn=stage.turn), revealed(phone)
        receipt = ask(phone, stage.turn)
        side = receipt["side"]
        assert (side, receipt["choice"], receipt["blind"]) == ballot
        assert root(receipt, stage) == sealed[side]["root"] == reveal[side]["root"]
        assert receipt["ballots"] == sealed[side]["ballots"] == reveal[side]["ballots"]
        assert sealed["at"] == reveal["sealed_at"]
    receipt = ask(idle, stage.turn)
    assert (receipt["side"], receipt["index"], receipt["ballots"], receipt["path"]) == ("yellow", None, 2, [])
    assert (receipt["choice"], receipt["blind"]) == (None, None)


def test_ballots_count_while_receipts_wait(server: Server, stage: Stage, clients: SocketClients) -> None:
    phone, other = voted(clients, stage, [3, 3])
    close(server, stage, phone)
    following = phone.received[-1]["state"]["match"]["turn"]["id"]
    revealed(other)
    server.ask("open_turn_now", event_id=stage.id)
    phone.receive("turn.moved")
    before = metric_value(server, "crowdgame_refusals_total", kind="receipt")
    with (server.stack.data / "db.sqlite3-shm").open("r+b") as locks:
        lockf(locks, LOCK_EX, 5, 123)  # all of SQLite's read locks: also open connections have to wait
        for client in (phone, other):
            client.say("receipt.ask", turn=stage.turn).say("receipt.ask", turn=stage.turn)
            client.say("ballot.cast", **cast(following, 5))
            assert client.receive("receipt.issued")["side"] is None  # to the second request, at once
            client.receive("ballot.counted", turn=following)
            assert [message["type"] for message in client.received].count("receipt.issued") == 1
        for client in (phone, other):
            assert client.receive("receipt.issued")["side"] is None
    assert ask(phone, stage.turn)["side"] == "red"
    assert [message["type"] for message in other.received].count("receipt.issued") == 2
    assert metric_value(server, "crowdgame_refusals_total", kind="receipt") == before + 4


def test_large_turn_loads_receipts_of_connected(server: Server, stage: Stage, clients: SocketClients) -> None:
    display = clients.display(stage.code)[0]
    first, later, last = (join(clients, stage) for _ in range(3))
    for phone, _ in (first, later, last):
        vote(phone, stage.turn, 3)
    box, ballots, _ = turn_keys(stage.id, stage.turn)
    others = {f"{n:016x}": f'"red",{n % 7 + 1},1,{n + 4},"{n:032x}"' for n in range(KEPT_WHOLE)}
    with Redis.from_url(server.stack.redis) as redis:
        redis.hset(ballots, mapping=others)
        redis.hset(box, mapping={"arrivals": KEPT_WHOLE + 3, "red": KEPT_WHOLE + 3})
    for phone, _ in (later, last):
        phone.leave()
    display.receive("turnout.counted", connected=[1, 0])
    published = close(server, stage, first[0])["red"]["root"]
    assert root(ask(first[0], stage.turn), stage) == published
    again = join(clients, stage, token=later[1]["token"])[0]
    assert root(ask(again, stage.turn), stage) == published, "added to those loaded"
    again = join(clients, stage, token=last[1]["token"])[0]
    assert ask(again, stage.turn)["side"] is None, "not again so soon"
    assert root(ask(first[0], stage.turn), stage) == published, "those loaded stay"


def test_unreadable_ballot_list_is_logged_once(server: Server, stage: Stage, clients: SocketClients) -> None:
    (phone,) = voted(clients, stage, [3])
    close(server, stage, phone)
    server.ask("corrupt_ballot_list", turn_id=stage.turn)
    for _ in range(3):
        assert ask(phone, stage.turn)["side"] is None
    server.ask("repair_ballot_list", turn_id=stage.turn)
    assert server.log("gateway").count(f"could not read the ballot list of turn {stage.turn}") == 1


def test_receipt_is_issued_for_recent_turns(server: Server, stage: Stage, clients: SocketClients) -> None:
    (phone,) = voted(clients, stage, [3])
    elsewhere = open_turn(server, pace="instant", team_choice="choose")
    (other_phone,) = voted(clients, elsewhere, [3])
    close(server, elsewhere, other_phone)
    for turn in (stage.turn, elsewhere.turn, stage.turn + 1_000):
        receipt = ask(phone, turn)
        assert (receipt["side"], receipt["index"], receipt["ballots"], receipt["path"]) == (None, None, 0, [])
    first = ask(other_phone, elsewhere.turn)
    assert first["side"] == "red"
    server.ask("play_to", event_id=elsewhere.id, picks=[(1, 2), (1, 2)])
    revealed(other_phone), revealed(other_phone)
    assert ask(other_phone, elsewhere.turn) == first


def test_guessed_turns_are_not_loaded() -> None:
    loaded = list[int]()

    async def load(_: int, turn_id: int, voters: Collection[str]) -> None:
        loaded.append(turn_id)

    receipts, room = Receipts(load), new_room(1, 0, playing(7))
    for turn in (6, 7):
        assert asyncio.run(receipts.find(room, Seat(1, "a", 1), turn)).side is None
    assert loaded == [], "they would push those revealed last out of the cache"


async def test_receipts_of_the_newest_turns_are_kept_and_none_is_issued_while_sides_are_secret() -> None:
    async def load(_: int, turn_id: int, voters: Collection[str]) -> OpenedBallots:
        return OpenedBallots(turn_id, {}, {}, {1: "red"}, is_whole=True)

    receipts, room, seat = Receipts(load), new_room(1, 0, playing(9)), Seat(1, "a", 1)
    turns = range(1, MAX_CACHED_TURNS + 3)
    for turn in turns:
        await receipts._start_loading(room, turn).load
    kept = [turn for turn in turns if receipts.find_loaded(room, seat, turn)]
    assert kept == list(turns[2:])
    assert room.state.match is not None
    secret = structs.replace(room.state.match, max_side_changes=1)
    room.state = structs.replace(room.state, match=secret)
    assert receipts.find_loaded(room, seat, kept[-1]) is None
    assert (await receipts.find(room, seat, kept[-1])).side is None


def ask_mark(phone: SocketClient, turn: int) -> Message:
    return phone.say("drop.show", turn=turn).receive("drop.answered", turn=turn)


def place(shown: Message) -> tuple[Any, ...]:
    return shown["side"], shown["column"], shown["rank"], shown["symbol"]


def test_drops_are_shown_once_in_a_turn(server: Server, stage: Stage, clients: SocketClients) -> None:
    phones, (display, _) = voted(clients, stage, CHOICES), clients.display(stage.code)
    idle, (*early, late) = [clients.phone(stage.code, team=2)[0] for _ in range(MAX_REQUESTS)], phones
    refused = [ask_mark(one, stage.turn)["answer"] for one in idle]
    waiting = [ask_mark(phone, stage.turn) for phone in early]
    assert [(answer["answer"], answer["index"]) for answer in waiting] == [("waiting", None)] * 3
    display.say("clock.ask", sent=1).receive("clock.synced")
    assert "drop.shown" not in {message["type"] for message in display.received}, "before the reveal"
    close(server, stage, late)
    answers = [phone.receive("drop.answered", turn=stage.turn) for phone in early]
    refused += [ask_mark(one, stage.turn)["answer"] for one in idle]
    assert set(refused) == {"unavailable"}, "they have not voted"
    answers.append(ask_mark(late, stage.turn))
    shown = [display.receive("drop.shown", turn=stage.turn) for _ in phones]
    in_order = [choice for _, choice in sorted(zip((a["index"] for a in answers), CHOICES, strict=True))]
    assert [answer["answer"] for answer in answers] == ["shown"] * 4
    assert sorted(place(one) for one in shown) == sorted(
        ("red", choice, in_order[: answer["index"]].count(choice), first["symbol"])
        for answer, choice, first in zip(answers, CHOICES, [*waiting, answers[-1]], strict=True)
    )
    assert ask_mark(late, stage.turn)["answer"] == "full"
    assert ask_mark(late, stage.turn + 1_000)["answer"] == "unavailable"


def test_number_of_marks_is_limited(server: Server, stage: Stage, clients: SocketClients) -> None:
    idle = [clients.phone(stage.code, team=2)[0] for _ in range(MAX_REQUESTS)]
    assert {ask_mark(phone, stage.turn)["answer"] for phone in idle} == {"unavailable"}, "they have not voted"
    phones = voted(clients, stage, [1] * (MAX_REQUESTS + 1))
    answers = [ask_mark(phone, stage.turn)["answer"] for phone in phones]
    assert answers == ["waiting"] * MAX_REQUESTS + ["full"]
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


def test_requests_do_not_disturb_next_turn(server: Server, stage: Stage, clients: SocketClients) -> None:
    early, late = voted(clients, stage, [3, 4])
    server.ask("close_after", event_id=stage.id, ms=0)
    following = early.receive("turn.revealed")["state"]["match"]["turn"]["id"]
    server.ask("open_turn_now", event_id=stage.id)
    early.receive("turn.moved")
    vote(early, following)
    assert ask_mark(early, following)["answer"] == "waiting"
    assert ask_mark(late, stage.turn)["answer"] == "shown"
    server.ask("abort_all_matches")
    assert early.receive("drop.answered")["answer"] == "unavailable"


@pytest.mark.parametrize(
    ("name", "ballots", "places"),
    [
        ("plurality", [(4,), (2,), (4,)], [(4, 0), (2, 0), (4, 1)]),
        ("approval", [(2, 5), (5,), (2, 7)], [(2, 0), (5, 1), (2, 1)]),
        ("instant_runoff", [(5, 2), (2, 5), (5,)], [(5, 0), (2, 0), (5, 1)]),
        ("score", [(3, 3, 3), (3,), (3, 3)], [(3, 0), (3, 3), (3, 4)]),
    ],
)
def test_rank_in_the_pile(name: str, ballots: list[tuple[int, ...]], places: list[tuple[int, int]]) -> None:
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
