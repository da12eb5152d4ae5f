"""A team that votes by show of hands accepts no phones: they join the other team."""

import time
from typing import Any

import pytest

from games.models import Team
from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from tests.voting.gateway_helpers import FakeSocket, cast, latest, make_room, voter
from tests.voting.match_helpers import CLASSIC, only_turn, open_now, start, vote
from voting import protocol
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.presence import UNANIMOUS_HEARTBEATS

OPEN = {"lobby": "open", "window_s": 600}


def event(server: Server, teams: list[int], **choices: Any) -> dict[str, Any]:
    """An event whose `teams` vote by show of hands."""
    made: dict[str, Any] = server.ask("event", **OPEN, **choices)
    server.ask("vote_by_hands", event_id=made["id"], teams=teams)
    return made


def team_of(client: SocketClient) -> int:
    return int(client.receive("phone.welcomed")["you"]["team"])


@pytest.mark.parametrize("choice", ["balance", "choose", "link"])
@pytest.mark.parametrize("hands", [1, 2])
def test_phones_join_the_team_without_show_of_hands(
    hands: int, choice: str, server: Server, clients: SocketClients
) -> None:
    code = event(server, [hands], team_choice=choice)["code"]
    wishes = (None, 1, 2, None)
    joined = [clients.open("phone").say("phone.join", code=code, team=wish) for wish in wishes]
    assert [team_of(client) for client in joined] == [3 - hands] * 4


def test_phone_is_refused_while_both_teams_show_hands(server: Server, clients: SocketClients) -> None:
    made = event(server, [1, 2])
    client = clients.open("phone").say("phone.join", code=made["code"])
    message = client.receive("error", code="hands_only")
    assert [team["hands"] for team in message["event"]["teams"]] == [True, True]
    server.ask("vote_by_hands", event_id=made["id"], teams=[2])
    client.receive("event.edited")
    assert team_of(client.say("phone.join", code=made["code"])) == 1


def test_phone_of_hands_team_rejoins_in_other_team(server: Server, clients: SocketClients) -> None:
    made = event(server, [], team_choice="choose")
    before, welcome = clients.phone(made["code"], team=2)
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    server.ask("vote_by_hands", event_id=made["id"], teams=[2])
    before.receive_until(lambda message: message["type"] == "event.edited" and message["state"]["match"])
    ballot = {"turn": turn, "epoch": 1, "choice": 3, "sequence": 1}
    assert before.say("ballot.cast", **ballot).receive("ballot.refused")["code"] == "not_to_move"
    after, again = clients.phone(made["code"], token=welcome["you"]["token"])
    assert again["you"]["team"] == 1
    after.say("ballot.cast", **ballot).receive("ballot.counted")
    assert server.ask("voters_in_box", event_id=made["id"], turn_id=turn) == [
        welcome["you"]["token"].split(".")[1]
    ]


@pytest.mark.parametrize("choice", ["balance", "choose"])
def test_listed_pupil_of_hands_team_joins_other_team(
    choice: str, server: Server, clients: SocketClients
) -> None:
    made = event(server, [2], team_choice=choice, admission="roster")
    codes = server.ask("roster", event_id=made["id"], text="Ann, Doves\nBen, Rooks\nCarla")
    joined = [clients.open("phone").say("phone.join", code=made["code"], key=key) for key in codes]
    assert [team_of(client) for client in joined] == [1, 1, 1]
    again = clients.open("phone").say("phone.join", code=made["code"], key=codes[0])
    assert team_of(again) == 1


def test_early_close_waits_for_phones_and_hand_count(server: Server, clients: SocketClients) -> None:
    made = event(server, [2], close_early=True)
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    phone, _ = clients.phone(made["code"])
    phone.say("ballot.cast", turn=turn, epoch=1, choice=3, sequence=1).receive("ballot.counted")
    time.sleep(UNANIMOUS_HEARTBEATS + 2)  # no message is expected, so there is nothing to wait for
    phone.say("clock.ask", sent=1).receive("clock.synced")
    assert not any(message["type"] == "turn.sealed" for message in phone.received)
    console = clients.console(made["code"], server.ask("session", name="olga"))
    console.receive("console.welcomed")
    console.say("action.ask", id=1, action="hands.count", turn=turn, team=2, hands=[0, 0, 0, 0, 0, 9, 0])
    console.receive("action.done", id=1)
    reveal = phone.receive("turn.revealed")["state"]["match"]["reveal"]
    assert (reveal["red"]["pick"], reveal["yellow"]["pick"], reveal["yellow"]["ballots"]) == (3, 6, 9)


# ------------------------------------------------------------------ event room
@pytest.mark.django_db
def test_event_room_does_not_wait_for_hands_team(box: BallotBox) -> None:
    turn = start(box, close_early=True)
    room = make_room(turn.match.event_id, voter("a", 1), voter("b", 1), voter("left over", 2))
    Team.objects.filter(event=turn.match.event, number=2).update(hands=True)
    announce_edit(turn.match.event_id, box.now())
    room.apply(latest(turn.match.event_id))
    assert room.waiting() == 2
    cast(room, "a", "b")
    assert room.waiting() == 0


@pytest.mark.django_db
def test_event_room_applies_change_to_hands_at_once(box: BallotBox) -> None:
    turn = start(box)
    room = make_room(turn.match.event_id, FakeSocket())
    ballot = protocol.BallotCast(turn.pk, 1, 3, 1)
    assert room.poll is not None
    assert room.poll.refusal(2, ballot, turn.opens_at) is None
    Team.objects.filter(event=turn.match.event, number=2).update(hands=True)
    announce_edit(turn.match.event_id, box.now())
    room.apply(latest(turn.match.event_id))
    assert room.poll.refusal(2, ballot, turn.opens_at) == "not_to_move"
    assert room.poll.refusal(1, ballot, turn.opens_at) is None
    assert (room.team_for_new_voter(0), room.team_for_new_voter(2), room.accepts_phones) == (1, 1, True)


@pytest.mark.django_db
def test_poll_excludes_hands_team_in_its_own_turn(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    Team.objects.filter(event=turn.match.event, number=2).update(hands=True)
    open_now(turn, box)
    vote(turn, box)
    room = make_room(turn.match.event_id, voter("a", 1))
    assert room.poll is not None
    assert room.poll.legal == {}
    assert (room.waiting(), only_turn(turn.match).pk) == (0, turn.pk)
