"""What is ruled about people is done to those who are here, and counted right; also if nobody hears of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.models import Event, Team
from tests.voting.playing import new_event
from tests.voting.rooms import NO_BOX, Ear, in_a_thread, playing, room_of, take_in, until, voter, with_gateway
from voting.admission.restrictions import Rule
from voting.admission.seats import sign_of
from voting.announcements.layer import RULED, Copy
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.intake import Intake
from voting.gateway.event_room import Room
from voting.gateway.gateway import Gateway
from voting.gateway.restrictions import enforce
from voting.models import Ruling
from voting.protocol import CloseCode

NAMES = {"a": 1, "b": 1, "c": 2, "d": 2}


def hall() -> tuple[Room, dict[str, Ear]]:
    room = Room(1, 0, playing(1), Intake(NO_BOX, NO_BOX))
    ears = {name: voter(name, team) for name, team in NAMES.items()}
    for ear in ears.values():
        take_in(room, ear)
    return room, ears


def about(**rules: Rule) -> dict[str, Rule]:
    return {sign_of(name): rule for name, rule in rules.items()}


def test_who_is_moved_is_counted_there_and_welcomed_anew_once() -> None:
    room, ears = hall()
    for _ in range(2):
        enforce(room, about(a=Rule(team=2)))
    assert (room.connected(), [ear.welcomed_anew for ear in ears.values()]) == ((1, 3), [1, 0, 0, 0])
    enforce(room, about(a=Rule(team=2), c=Rule(team=2)))
    assert [ear.welcomed_anew for ear in ears.values()] == [1, 0, 0, 0]
    enforce(room, {})
    assert (room.connected(), ears["a"].welcomed_anew) == ((2, 2), 2)


def test_who_had_voted_may_vote_for_the_other_team_and_is_waited_for() -> None:
    room, _ = hall()
    for one in room.voters.values():
        room.count_vote(one, room.occasion)
    assert room.waiting() == 0
    enforce(room, about(a=Rule(team=2)))
    assert room.waiting() == 1
    room.count_vote(room.voters["a"], room.occasion)
    assert room.waiting() == 0


def test_who_is_put_out_is_gone_at_once_and_told_why() -> None:
    room, ears = hall()
    enforce(room, about(a=Rule(kept_out=True), b=Rule(sent_out_at=5)))
    assert ears["a"].goodbyes == [(CloseCode.KEPT_OUT, None)]
    assert ears["b"].goodbyes == [(CloseCode.SENT_OUT, None)]
    assert (set(room.voters), room.connected(), len(room.phones)) == ({"c", "d"}, (0, 2), 2)


def test_who_was_sent_out_before_comes_in_and_stays_until_sent_out_again() -> None:
    room, ears = hall()
    enforce(room, about(a=Rule(sent_out_at=5)))
    take_in(room, ears["a"])
    enforce(room, about(a=Rule(sent_out_at=5), b=Rule(team=2)))
    enforce(room, about(a=Rule(team=2, sent_out_at=5)))
    assert (len(ears["a"].goodbyes), ears["a"].welcomed_anew) == (1, 1)
    enforce(room, about(a=Rule(sent_out_at=6)))
    assert len(ears["a"].goodbyes) == 2


def test_whoever_comes_later_is_where_the_rules_say() -> None:
    room, ears = hall()
    room.leave(ears["a"], ears["a"].seat)
    enforce(room, about(a=Rule(team=2)))
    take_in(room, ears["a"])
    assert (room.connected(), room.voters["a"].team, ears["a"].welcomed_anew) == ((1, 3), 2, 0)


RULES = st.dictionaries(
    st.sampled_from(list(NAMES)),
    st.builds(Rule, st.sampled_from([None, 1, 2]), st.booleans(), st.integers(0, 3)),
)
STEPS = st.one_of(RULES, st.tuples(st.sampled_from(["come", "go", "vote"]), st.sampled_from(list(NAMES))))


@given(st.lists(STEPS, max_size=40))
def test_running_counts_are_what_counting_would_give(
    steps: list[dict[str, Rule] | tuple[str, str]],
) -> None:
    room, ears = hall()
    voted: set[str] = set()
    for step in steps:
        before = {name: one.team for name, one in room.voters.items()}
        if isinstance(step, dict):
            enforce(room, about(**step))
            assert not any(step[name].kept_out for name in room.voters if name in step)
        elif step[0] == "come" and step[1] not in room.voters:
            room.rules = {sign: rule for sign, rule in room.rules.items() if not rule.kept_out}
            take_in(room, ears[step[1]])
        elif step[0] == "go":
            room.leave(ears[step[1]], ears[step[1]].seat)
        elif step[0] == "vote" and step[1] in room.voters:
            room.count_vote(room.voters[step[1]], room.occasion)
            voted.add(step[1])
        voted &= {name for name, one in room.voters.items() if before.get(name, one.team) == one.team}
        teams = [one.team for one in room.voters.values()]
        assert room.connected() == (teams.count(1), teams.count(2))
        assert room.waiting() == len(room.voters.keys() - voted)


# ------------------------------------------------------------------ heard and not heard
@pytest.mark.django_db(transaction=True)
def test_a_ruling_that_was_not_heard_of_is_found(valkey_url: str) -> None:
    """Only the row is written, as by a worker whose message was lost."""
    event, ear = new_event(), voter("a", 1)

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        take_in(room, ear)
        await in_a_thread(lambda: rule(event, kept_out=True))
        await until(lambda: ear.goodbyes)
        assert not room.phones

    with_gateway(conversation)


@pytest.mark.django_db(transaction=True)
def test_one_that_is_heard_of_is_done_at_once_and_what_is_ruled_before_is_known_from_the_start(
    valkey_url: str,
) -> None:
    event, ears = new_event(), [voter("a", 1), voter("b", 1)]
    rule(event, "b", team=2)

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        for ear in ears:
            take_in(room, ear)
        assert room.connected() == (1, 1)
        await in_a_thread(lambda: rule(event, sent_out_at=7))
        await gateway.ears.hear(room, Copy(event.pk, RULED, b""))
        assert [ear.goodbyes for ear in ears] == [[(CloseCode.SENT_OUT, None)], []]

    with_gateway(conversation)


def rule(event: Event, name: str = "a", **ruled: object) -> None:
    Ruling.objects.create(event=event, sign=sign_of(name), at=1, **ruled)


@pytest.mark.django_db
def test_nobody_is_moved_into_a_team_without_phones(box: BallotBox) -> None:
    event = new_event()
    rule(event, "a", team=2)
    Team.objects.filter(event=event, number=2).update(hands=True)
    announce_edit(event.pk, box.now())
    room = room_of(event.pk)
    room.rules = about(a=Rule(team=2))
    take_in(room, voter("a", 1))
    assert room.connected() == (1, 0)
