import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.voting import gateway_helpers as helpers
from tests.voting.match_helpers import new_event
from voting.admission.restrictions import NO_RESTRICTION, Restriction
from voting.admission.seats import Seat, sign_seat
from voting.announcements.channel_layer import RESTRICTIONS_CHANGED, LayerMessage
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastResult
from voting.ballot_box.intake import Slot
from voting.counting.ballots import Ballot
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.admission_queue import AdmittedVoter
from voting.gateway.event_room import EventRoom
from voting.gateway.phone import PhoneConsumer
from voting.gateway.restriction_enforcement import enforce_restrictions
from voting.gateway.socket import CloseSocket
from voting.gateway.voters import ConnectedVoter
from voting.models import Event, StoredRestriction
from voting.protocol import BallotCast, CloseCode, PhoneJoin, TurnRevealed

NAMES = {"a": 1, "b": 1, "c": 2, "d": 2}
RESTRICTION = st.builds(Restriction, st.sampled_from([None, 1, 2]), st.booleans(), st.integers(0, 3))
RULES = st.dictionaries(st.sampled_from(list(NAMES)), RESTRICTION)
ACTIONS = st.tuples(st.sampled_from(["join", "leave", "vote", "turn"]), st.integers(0, 5))
SEAT = Seat(1, "a", 1)
BANNED = {derive_voter_code("a"): Restriction(banned=True)}


def room_with_voters() -> tuple[EventRoom, dict[str, helpers.FakeSocket]]:
    room = helpers.new_room(1, 0, helpers.playing(1))
    sockets = {name: helpers.voter(name, team) for name, team in NAMES.items()}
    for socket in sockets.values():
        helpers.join_room(room, socket)
    return room, sockets


def restrict(**restrictions: Restriction) -> dict[str, Restriction]:
    return {derive_voter_code(name): restriction for name, restriction in restrictions.items()}


def test_moved_or_nameless_voter_is_notified_once() -> None:
    room, sockets = room_with_voters()
    for _ in range(2):
        enforce_restrictions(room, restrict(a=Restriction(team=2), b=Restriction(nameless=True)))
        assert room.connected() == (1, 3)
        assert [socket.welcomed_again for socket in sockets.values()] == [1, 0, 0, 0]
    enforce_restrictions(room, restrict(a=Restriction(2), b=Restriction(2, nameless=True), c=Restriction(2)))
    room.leave(sockets["a"], sockets["a"].seat)
    helpers.join_room(room, sockets["a"])
    assert (room.connected(), room.voters["a"].team) == ((0, 4), 2)
    assert [socket.welcomed_again for socket in sockets.values()] == [1, 1, 0, 0]
    enforce_restrictions(room, {})
    assert (room.connected(), sockets["a"].welcomed_again) == ((2, 2), 2)
    removed = '"nickname.answered","name":"","allowed":false,"removed":true'
    received = {name: sum(removed in frame for frame in socket.frames) for name, socket in sockets.items()}
    assert received == {"a": 0, "b": 1, "c": 0, "d": 0}


def test_banned_and_kicked_phones_are_disconnected_until_they_may_rejoin() -> None:
    room, sockets = room_with_voters()
    enforce_restrictions(room, restrict(b=Restriction(banned=True), a=Restriction(kicked_at=5)))
    assert sockets["b"].close_calls == [(CloseCode.BANNED, None)]
    assert sockets["a"].close_calls == [(CloseCode.KICKED, None)]
    assert (set(room.voters), room.connected(), len(room.sockets.phones)) == ({"c", "d"}, (0, 2), 2)
    helpers.join_room(room, sockets["a"])
    enforce_restrictions(room, restrict(a=Restriction(team=2, kicked_at=5)))
    assert (len(sockets["a"].close_calls), sockets["a"].welcomed_again) == (1, 1)
    enforce_restrictions(room, restrict(a=Restriction(kicked_at=6)))
    assert len(sockets["a"].close_calls) == 2
    helpers.join_room(room, sockets["a"])
    enforce_restrictions(room, {})
    assert len(sockets["a"].close_calls) == 2, "the end of a restriction disconnects nobody"


@given(st.lists(ACTIONS | RULES, max_size=60))
def test_room_counts_match_a_recount(steps: list[tuple[str, int] | dict[str, Restriction]]) -> None:
    room, turn_id = helpers.new_room(1, 0, helpers.playing(1)), 1
    room.sockets.screens.add(helpers.FakeSocket())
    sockets = [helpers.voter(name, NAMES[name]) for name in "aabccd"]
    here, voted = set[int](), set[str]()
    members, rules, teams = dict[str, ConnectedVoter](), dict[str, Restriction](), dict[str, int]()
    for step in steps:
        if isinstance(step, dict):
            rules = step
            enforce_restrictions(room, restrict(**rules))
            here -= {number for number in here if sockets[number].close_calls}
            assert not any(rules[name].banned for name in room.voters if name in rules)
        else:
            action, number = step
            name, socket = "aabccd"[number], sockets[number]
            if action == "join" and number not in here:
                rules = {other: one for other, one in rules.items() if not one.banned}
                room.restrictions = restrict(**rules)
                socket.close_calls.clear()
                helpers.join_room(room, socket)
                members[name] = room.voters[name]
                here.add(number)
            elif action == "leave":
                room.leave(socket, socket.seat)
                here.discard(number)
            elif action == "vote" and name in members:
                room.count_vote(members[name], room.turn_ref)  # ignored once the voter is gone
                voted.add(name)
            elif action == "turn":
                turn_id += 1
                change = TurnRevealed(seq=turn_id, at=0, state=helpers.playing(turn_id))
                room.apply(LayerMessage(1, turn_id, msgspec.json.encode(change)))
                voted.clear()
        former = teams
        present = {"aabccd"[number] for number in here}
        teams = {name: rules.get(name, NO_RESTRICTION).team or NAMES[name] for name in present}
        voted = {name for name in voted & present if former.get(name, teams[name]) == teams[name]}
        assert room.connected() == tuple(list(teams.values()).count(team) for team in (1, 2))
        assert room.waiting() == len(present - voted)
        assert room.sockets.phones == {sockets[number] for number in here}


@pytest.mark.django_db(transaction=True)
async def test_restrictions_apply_on_room_load_on_message_and_if_it_is_lost(valkey_url: str) -> None:
    event, sockets = await helpers.in_a_thread(new_event), [helpers.voter("a", 1), helpers.voter("b", 1)]
    await helpers.in_a_thread(lambda: restriction(event, "b", team=2))
    async with helpers.open_gateway() as gateway:
        room = await helpers.open_room(gateway, event.code, *sockets)
        assert room.connected() == (1, 1)
        await helpers.in_a_thread(lambda: restriction(event, "a", kicked_at=7))
        await gateway.subscriber.receive(room, LayerMessage(event.pk, RESTRICTIONS_CHANGED, b""))
        assert [socket.close_calls for socket in sockets] == [[(CloseCode.KICKED, None)], []]
        await helpers.in_a_thread(lambda: event.restrictions.update(banned=True))  # without a message
        await helpers.until(lambda: sockets[1].close_calls)
        assert not room.sockets.phones


def restriction(event: Event, name: str, **fields: object) -> None:
    StoredRestriction.objects.create(event=event, voter_code=derive_voter_code(name), at=1, **fields)


@pytest.mark.django_db
def test_voter_is_not_moved_into_hands_team(box: BallotBox) -> None:
    event = new_event()
    restriction(event, "a", team=2)
    room = helpers.make_room(event.pk)
    helpers.vote_by_hands(room, box)
    room.restrictions = restrict(a=Restriction(team=2))
    helpers.join_room(room, helpers.voter("a", 1))
    assert room.connected() == (1, 0)


def test_phone_banned_during_admission_or_removed_has_no_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, room, admitted = helpers.FakeConnection(), helpers.new_room(1, 0, helpers.playing(1)), list[Seat]()
    consumer, join = PhoneConsumer(sent.scope), PhoneJoin("C", token=sign_seat(SEAT))

    async def admit_and_ban(seat: Seat, _: int | None) -> AdmittedVoter:
        admitted.append(seat)
        enforce_restrictions(room, BANNED)
        return AdmittedVoter(seat, (0, 0), None)

    monkeypatch.setattr(room.admission_queue, "admit", admit_and_ban)
    enforce_restrictions(room, restrict(a=Restriction(kicked_at=5)))
    removed = replace(join, removed=True)  # the phone knows that
    for message, code in ((removed, CloseCode.KICKED), (join, CloseCode.BANNED), (join, CloseCode.BANNED)):
        with pytest.raises(CloseSocket) as closed:
            asyncio.run(consumer.join(message, room))
        assert closed.value.code == code
    assert admitted == [SEAT], "only the second attempt reaches the queue"
    assert (sent.texts, room.voters) == ([], {})


def joined_phone() -> tuple[helpers.FakeConnection, EventRoom, PhoneConsumer]:
    sent, room = helpers.FakeConnection(), helpers.new_room(1, 0, helpers.playing(1))
    phone = PhoneConsumer(sent.scope)
    phone.room, phone.seat, phone.voter = room, SEAT, room.add_voter(phone, SEAT)
    return sent, room, phone


def test_banned_phone_cannot_cast_ballots() -> None:
    sent, room, phone = joined_phone()
    room.count_vote(room.voters["a"], room.turn_ref)  # a counted ballot may be repeated at any time
    enforce_restrictions(room, BANNED)
    phone.handle_joined(BallotCast(1, 1, 1, 1), room)
    assert room.poll is not None
    assert room.poll.queue_for(SEAT.voter).waiting == {}
    assert (sent.texts, sent.closed_with) == ([], CloseCode.BANNED)


def test_ballot_for_the_former_team_of_a_moved_voter_is_no_vote() -> None:
    (sent, room, phone), former = joined_phone(), Ballot("a", "red", 2, 7)
    enforce_restrictions(room, restrict(a=Restriction(team=2)))
    phone.welcome_again(former)
    you = msgspec.json.decode(sent.texts.pop())["you"]
    assert (you["team"], you["turn"], you["sequence"], you["choice"]) == (2, 1, 7, None)
    sent.texts.clear()
    phone.answer(Slot(1, 1, 1), former, CastResult.OK)
    assert (sent.texts, room.waiting()) == ([], 1)
