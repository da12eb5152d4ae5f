"""What is ruled about people is done to those who are here, and counted right; also if nobody hears of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.models import Event, Team
from tests.voting.gateway_helpers import (
    NO_BOX,
    FakeSocket,
    in_a_thread,
    make_room,
    playing,
    take_in,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import new_event
from voting.admission.restrictions import Restriction
from voting.admission.seats import derive_voter_code
from voting.announcements.layer import RESTRICTIONS_CHANGED, Copy
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.intake import Intake
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway
from voting.gateway.restriction_enforcement import enforce_restrictions
from voting.models import StoredRestriction
from voting.protocol import CloseCode

NAMES = {"a": 1, "b": 1, "c": 2, "d": 2}


def room_with_voters() -> tuple[EventRoom, dict[str, FakeSocket]]:
    room = EventRoom(1, 0, playing(1), Intake(NO_BOX, NO_BOX))
    sockets = {name: voter(name, team) for name, team in NAMES.items()}
    for socket in sockets.values():
        take_in(room, socket)
    return room, sockets


def about(**restrictions: Restriction) -> dict[str, Restriction]:
    return {derive_voter_code(name): restriction for name, restriction in restrictions.items()}


def test_who_is_moved_is_counted_there_and_welcomed_anew_once() -> None:
    room, sockets = room_with_voters()
    for _ in range(2):
        enforce_restrictions(room, about(a=Restriction(team=2)))
    assert (room.connected(), [socket.welcomed_again for socket in sockets.values()]) == (
        (1, 3),
        [1, 0, 0, 0],
    )
    enforce_restrictions(room, about(a=Restriction(team=2), c=Restriction(team=2)))
    assert [socket.welcomed_again for socket in sockets.values()] == [1, 0, 0, 0]
    enforce_restrictions(room, {})
    assert (room.connected(), sockets["a"].welcomed_again) == ((2, 2), 2)


def test_who_had_voted_may_vote_for_the_other_team_and_is_waited_for() -> None:
    room, _ = room_with_voters()
    for one in room.voters.values():
        room.count_vote(one, room.turn_ref)
    assert room.waiting() == 0
    enforce_restrictions(room, about(a=Restriction(team=2)))
    assert room.waiting() == 1
    room.count_vote(room.voters["a"], room.turn_ref)
    assert room.waiting() == 0


def test_who_is_put_out_is_gone_at_once_and_told_why() -> None:
    room, sockets = room_with_voters()
    enforce_restrictions(room, about(a=Restriction(banned=True), b=Restriction(kicked_at=5)))
    assert sockets["a"].close_calls == [(CloseCode.BANNED, None)]
    assert sockets["b"].close_calls == [(CloseCode.KICKED, None)]
    assert (set(room.voters), room.connected(), len(room.phones)) == ({"c", "d"}, (0, 2), 2)


def test_who_was_sent_out_before_comes_in_and_stays_until_sent_out_again() -> None:
    room, sockets = room_with_voters()
    enforce_restrictions(room, about(a=Restriction(kicked_at=5)))
    take_in(room, sockets["a"])
    enforce_restrictions(room, about(a=Restriction(kicked_at=5), b=Restriction(team=2)))
    enforce_restrictions(room, about(a=Restriction(team=2, kicked_at=5)))
    assert (len(sockets["a"].close_calls), sockets["a"].welcomed_again) == (1, 1)
    enforce_restrictions(room, about(a=Restriction(kicked_at=6)))
    assert len(sockets["a"].close_calls) == 2


def test_whoever_comes_later_is_where_the_rules_say() -> None:
    room, sockets = room_with_voters()
    room.leave(sockets["a"], sockets["a"].seat)
    enforce_restrictions(room, about(a=Restriction(team=2)))
    take_in(room, sockets["a"])
    assert (room.connected(), room.voters["a"].team, sockets["a"].welcomed_again) == ((1, 3), 2, 0)


RULES = st.dictionaries(
    st.sampled_from(list(NAMES)),
    st.builds(Restriction, st.sampled_from([None, 1, 2]), st.booleans(), st.integers(0, 3)),
)
STEPS = st.one_of(RULES, st.tuples(st.sampled_from(["come", "go", "vote"]), st.sampled_from(list(NAMES))))


@given(st.lists(STEPS, max_size=40))
def test_running_counts_are_what_counting_would_give(
    steps: list[dict[str, Restriction] | tuple[str, str]],
) -> None:
    room, sockets = room_with_voters()
    voted: set[str] = set()
    for step in steps:
        before = {name: one.team for name, one in room.voters.items()}
        if isinstance(step, dict):
            enforce_restrictions(room, about(**step))
            assert not any(step[name].banned for name in room.voters if name in step)
        elif step[0] == "come" and step[1] not in room.voters:
            room.restrictions = {
                voter_code: restriction
                for voter_code, restriction in room.restrictions.items()
                if not restriction.banned
            }
            take_in(room, sockets[step[1]])
        elif step[0] == "go":
            room.leave(sockets[step[1]], sockets[step[1]].seat)
        elif step[0] == "vote" and step[1] in room.voters:
            room.count_vote(room.voters[step[1]], room.turn_ref)
            voted.add(step[1])
        voted &= {name for name, one in room.voters.items() if before.get(name, one.team) == one.team}
        teams = [one.team for one in room.voters.values()]
        assert room.connected() == (teams.count(1), teams.count(2))
        assert room.waiting() == len(room.voters.keys() - voted)


# ------------------------------------------------------------------ heard and not heard
@pytest.mark.django_db(transaction=True)
def test_a_ruling_that_was_not_heard_of_is_found(valkey_url: str) -> None:
    """Only the row is written, as by a worker whose message was lost."""
    event, socket = new_event(), voter("a", 1)

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        take_in(room, socket)
        await in_a_thread(lambda: restriction(event, banned=True))
        await until(lambda: socket.close_calls)
        assert not room.phones

    with_gateway(conversation)


@pytest.mark.django_db(transaction=True)
def test_one_that_is_heard_of_is_done_at_once_and_what_is_ruled_before_is_known_from_the_start(
    valkey_url: str,
) -> None:
    event, sockets = new_event(), [voter("a", 1), voter("b", 1)]
    restriction(event, "b", team=2)

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        for socket in sockets:
            take_in(room, socket)
        assert room.connected() == (1, 1)
        await in_a_thread(lambda: restriction(event, kicked_at=7))
        await gateway.subscriber.receive(room, Copy(event.pk, RESTRICTIONS_CHANGED, b""))
        assert [socket.close_calls for socket in sockets] == [[(CloseCode.KICKED, None)], []]

    with_gateway(conversation)


def restriction(event: Event, name: str = "a", **fields: object) -> None:
    StoredRestriction.objects.create(event=event, voter_code=derive_voter_code(name), at=1, **fields)


@pytest.mark.django_db
def test_nobody_is_moved_into_a_team_without_phones(box: BallotBox) -> None:
    event = new_event()
    restriction(event, "a", team=2)
    Team.objects.filter(event=event, number=2).update(hands=True)
    announce_edit(event.pk, box.now())
    room = make_room(event.pk)
    room.restrictions = about(a=Restriction(team=2))
    take_in(room, voter("a", 1))
    assert room.connected() == (1, 0)
