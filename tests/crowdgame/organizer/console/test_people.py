from contextlib import closing
from itertools import islice, product
from typing import Any

import pytest
from django.conf import settings

from crowdgame.organizer.console.actions.people import MAX_RESTRICTIONS
from crowdgame.organizer.console.people_search import NO_VOTE, PAGE_SIZE, OpenVote, find_people
from tests.voting.action_helpers import done_by, event_of, record_voters, refused, words_of
from tests.voting.match_helpers import new_event, only_turn, play_turn, start
from tests.voting.sample_matches import record_of
from voting.admission.restrictions import Restriction, load_restrictions
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster, make_tickets
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key, turn_keys
from voting.ballot_box.shards import Shard
from voting.ballot_box.stores import connect
from voting.counting.ballots import unpack_ballots
from voting.counting.voter_codes import VOTER_CODE_ALPHABET, derive_voter_code
from voting.models import Event, Nickname, StoredRestriction, TallyRecord, Ticket
from voting.protocol import PeopleAsk, PeopleFound
from voting.records.recount import find_faults

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]
VOTER_CODE = "BCDFGH"


def test_typed_code_of_ticket_restricts_in_its_event_only(box: BallotBox) -> None:
    event, other = new_event(), new_event()
    (ticket,) = make_tickets(event, 1)
    voter_code = derive_voter_code(ticket.voter)
    typed = f"{voter_code[:3]}\u2013{voter_code[3:]}".lower()
    assert words_of(event.pk, "voter.ban", box, voter_code=typed) == f"olga banned {voter_code}"
    banned = {voter_code: Restriction(banned=True)}
    assert load_restrictions([event.pk, other.pk]) == {event.pk: banned, other.pk: {}}
    with refused("No phone has this code"):
        done_by(other.pk, "voter.ban", box, voter_code=voter_code)


@pytest.mark.parametrize("action", ["voter.move", "voter.kick", "voter.ban", "voter.captain"])
def test_action_on_code_that_no_phone_has_is_refused(action: str, box: BallotBox) -> None:
    event = new_event()
    record_voters(new_event().pk, VOTER_CODE)
    with refused(r"No phone has this code\."):
        done_by(event.pk, action, box, voter_code=VOTER_CODE, team=2)
    record_voters(event.pk, VOTER_CODE)
    record_voters(event.pk, VOTER_CODE, connected=False)
    assert VOTER_CODE in words_of(event.pk, action, box, voter_code=VOTER_CODE, team=2)


def test_secret_sides_prevent_a_move_only_during_their_own_match(box: BallotBox) -> None:
    start(box, max_side_changes=1)
    event_id = event_of(start(box, max_side_changes=1))
    record_voters(event_id, VOTER_CODE)
    with refused("Sides are secret in this match"):
        done_by(event_id, "voter.move", box, voter_code=VOTER_CODE, team=2)
    done_by(event_id, "match.abort", box)
    done_by(event_id, "voter.move", box, voter_code=VOTER_CODE, team=2)
    assert load_restrictions([event_id])[event_id] == {VOTER_CODE: Restriction(team=2)}


def test_voter_can_be_kicked_again_after_rejoining(box: BallotBox) -> None:
    event, kicked_at = new_event(), [0]
    record_voters(event.pk, VOTER_CODE)
    for _ in range(2):
        while box.now() == kicked_at[-1]:
            pass
        done_by(event.pk, "voter.kick", box, voter_code=VOTER_CODE)
        kicked_at.append(load_restrictions([event.pk])[event.pk][VOTER_CODE].kicked_at)
    assert kicked_at == sorted({*kicked_at})
    done_by(event.pk, "voter.readmit", box, voter_code=VOTER_CODE)
    assert load_restrictions([event.pk])[event.pk].get(VOTER_CODE, Restriction()) == Restriction()
    with refused("Already done"):
        done_by(event.pk, "voter.readmit", box, voter_code=VOTER_CODE)


def test_restrictions_of_an_event_are_limited(box: BallotBox) -> None:
    event, other = new_event(), new_event()
    codes = (f"{number:06}" for number in range(MAX_RESTRICTIONS - 1))
    StoredRestriction.objects.bulk_create(
        StoredRestriction(event=event, voter_code=code, banned=True, at=1) for code in codes
    )
    for one in (event, other):
        record_voters(one.pk, VOTER_CODE, "HGFDCB")
        done_by(one.pk, "voter.ban", box, voter_code=VOTER_CODE)
    with refused("At most 500"):
        done_by(event.pk, "voter.ban", box, voter_code="HGFDCB")


def test_captain_breaks_ties_from_next_turn_on(box: BallotBox) -> None:
    turn, code = start(box, tie_rule="captain"), derive_voter_code("red1")
    record_voters(event_of(turn), code)
    done_by(event_of(turn), "voter.captain", box, voter_code=code, team=1)
    for _ in range(2):
        play_turn(only_turn(turn.match), box, red=[5, 1, 1, 5], yellow=[4])
    first, second = TallyRecord.objects.filter(turn__match=turn.match, side="red").order_by("turn__number")
    assert (first.decided_by, first.captain) == ("lot", None), "nobody was captain when it was planned"
    assert (second.decided_by, second.pick) == ("captain", 5)
    assert unpack_ballots(bytes(second.sealed))[second.captain or 0].voter == "red1"
    assert find_faults(record_of(turn.match)) == []


@pytest.fixture
def event() -> Event:
    created = new_event()
    make_roster(created, [Pupil("Zoë Quinn", 1), Pupil("Ada Lovelace", 2), Pupil("Alan Turing", None)])
    return created


def find(event: Event, query: str = "", vote: OpenVote = NO_VOTE, **more: Any) -> PeopleFound:
    with closing(BallotBox()) as box:
        return find_people(event.pk, PeopleAsk(query=query, **more), box, vote)


def codes(found: PeopleFound) -> set[str]:
    return {one.voter_code for one in found.people}


def show_gateways(event: Event, box: BallotBox, *gateways: str) -> None:
    with connect(settings.BALLOT_BOX_URL) as redis:
        for gateway in gateways:
            redis.hset(event_key(event.pk, "gateways"), gateway, f"{box.now()} 0.0 1 0 0")


def voter_code(event: Event, name: str) -> str:
    return derive_voter_code(Ticket.objects.get(event=event, label=name).voter)


def test_roster_is_listed_by_name_and_searched_by_part_of_name_or_code(event: Event) -> None:
    found = find(event)
    expected = [("Ada Lovelace", 2), ("Alan Turing", None), ("Zoë Quinn", 1)]
    assert [(one.name, one.team) for one in found.people] == expected
    assert [one.voter_code for one in found.people] == [voter_code(event, name) for name, _ in expected]
    assert found.more == ""
    other = new_event()
    make_roster(other, [Pupil("Grace Hopper", None)])
    StoredRestriction.objects.create(event=other, voter_code=VOTER_CODE, banned=True, at=1)
    assert find(event) == found, "of this event only"
    whole = voter_code(event, "Alan Turing")
    queries = ("LOVE", " zoë", whole[1:5].lower(), f"{whole[:3]} {whole[3:]}", "nobody")
    names = [[one.name for one in find(event, query).people] for query in queries]
    assert names == [["Ada Lovelace"], ["Zoë Quinn"], ["Alan Turing"], ["Alan Turing"], []]


def test_voter_without_name_is_found_by_whole_code(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.ballot_box.known_voters.MAX_KNOWN_VOTERS", 1)
    (ticket,) = make_tickets(event, 1)
    Ticket.objects.filter(pk=ticket.pk).update(team=2)
    assert find(event, "wxz bcd").people == ()
    record_voters(event.pk, "WXZBCD", "BCDFGJ")
    for query, team in (("wxz bcd", 1), (derive_voter_code(ticket.voter), 2)):
        (found,) = find(event, query).people
        assert (found.name, found.team, found.banned) == ("", team, False)
    for query in ("wxz bc", derive_voter_code(ticket.voter)[:5], "BCDFGJ"):
        assert find(event, query).people == (), "not a whole code, or beyond the limit"


def test_restricted_people_and_waiting_nicknames_are_listed_first(event: Event, box: BallotBox) -> None:
    zoe = voter_code(event, "Zoë Quinn")
    for code, restriction in ((zoe, {"team": 2}), ("BCDFGH", {"banned": True}), ("QQQQQQ", {"kicked_at": 1})):
        StoredRestriction.objects.create(event=event, voter_code=code, at=1, **restriction)
    found = find(event).people
    assert [one.name for one in found] == ["", "", "Zoë Quinn", "Ada Lovelace", "Alan Turing"]
    states = [(one.moved, one.banned, one.removed) for one in found[:4]]
    assert states == [(None, True, False), (None, False, True), (2, False, False), (None, False, False)]
    StoredRestriction.objects.all().delete()
    record_voters(event.pk, "BCDFGH", "QQQQQQ", "WXZBCD")
    show_gateways(event, box, "a")
    for code, name, allowed in [("BCDFGH", "Otter 12", True), ("QQQQQQ", "Q", False), ("WXZBCD", "W", True)]:
        named = {"name": name, "skeleton": name, "allowed": allowed, "chosen_at": 1}
        Nickname.objects.create(event=event, voter_code=code, **named)
    StoredRestriction.objects.create(event=event, voter_code="WXZBCD", nameless=True, at=1)
    shown = {one.voter_code: (one.nickname, one.nickname_status) for one in find(event).people}
    assert next(iter(shown.items())) == ("QQQQQQ", ("Q", "waiting"))
    assert (shown["WXZBCD"], shown["BCDFGH"]) == (("W", "removed"), ("Otter 12", "allowed"))
    assert shown[zoe] == ("", "none")
    assert codes(find(event, "otter")) == {"BCDFGH"}
    StoredRestriction.objects.create(event=event, voter_code="QQQQQQ", banned=True, at=1)
    Nickname.objects.filter(voter_code="BCDFGH").update(allowed=False)
    first = [one.voter_code for one in find(event).people[:2]]
    assert first == ["BCDFGH", "QQQQQQ"], "no decision is due on the nickname of a banned voter"


def test_search_tells_who_is_connected(event: Event, box: BallotBox) -> None:
    """A voter is connected while the gateway that recorded it last has a fresh heartbeat."""
    ada = voter_code(event, "Ada Lovelace")

    def is_connected() -> bool:
        return find(event, ada).people[0].connected

    assert not is_connected()
    record_voters(event.pk, ada)
    assert not is_connected(), "its gateway has no heartbeat"
    show_gateways(event, box, "a", "b")
    assert is_connected()
    record_voters(event.pk, ada, gateway="b")
    record_voters(event.pk, ada, gateway="a", connected=False)
    assert is_connected(), "it is at the other gateway now"
    record_voters(event.pk, ada, gateway="b", connected=False)
    assert not is_connected()


def test_connected_phones_are_listed_and_filtered(event: Event, box: BallotBox) -> None:
    record_voters(event.pk, "BCDFGH", "BCDFGJ", "QQQQQQ")
    record_voters(event.pk, "BCDFGJ", connected=False)
    assert codes(find(event)).isdisjoint({"BCDFGH", "BCDFGJ", "QQQQQQ"}), "no gateway has a heartbeat"
    show_gateways(event, box, "a")
    phones = {(one.voter_code, one.team, one.voted) for one in find(event).people if not one.name}
    assert phones == {("BCDFGH", 1, None), ("QQQQQQ", 1, None)}
    assert codes(find(event, "cdfg")) == {"BCDFGH"}
    assert codes(find(event, "qq qqq")) == {"QQQQQQ"}
    assert codes(find(event, team=2)) == {voter_code(event, "Ada Lovelace")}
    StoredRestriction.objects.create(event=event, voter_code="QQQQQQ", team=2, at=1)
    assert codes(find(event, team=2)) == {voter_code(event, "Ada Lovelace"), "QQQQQQ"}, "the current team"
    assert [one.voter_code for one in find(event).people].count("QQQQQQ") == 1


@pytest.mark.parametrize("shards", [1, 3])
def test_search_tells_whether_phones_voted_in_the_open_turn(shards: int, box: BallotBox) -> None:
    turn = start(box)
    event = turn.match.event

    def voted(query: str = "", vote: OpenVote = NO_VOTE) -> dict[str, bool | None]:
        return {one.voter_code: one.voted for one in find(event, query, vote).people}

    def vote(*voter_codes: str) -> None:
        with connect(settings.BALLOT_BOX_URL) as redis:
            for voter in (f"voter-{code}" for code in voter_codes):
                redis.hset(turn_keys(event.pk, turn.pk, Shard.of(voter, shards))[1], voter, '"red",3,1,1,"0"')

    record_voters(event.pk, "BCDFGH", "BCDFGJ")
    show_gateways(event, box, "a")
    vote("BCDFGH")
    both, doves = (OpenVote(turn.pk, frozenset(teams), shards) for teams in ({1, 2}, {2}))
    assert voted(vote=both) == {"BCDFGH": True, "BCDFGJ": False}
    assert voted("bcdfgh", both) == {"BCDFGH": True}, "by the whole code"
    assert codes(find(event, vote=both, voted=True)) == {"BCDFGH"}
    assert codes(find(event, vote=both, voted=False)) == {"BCDFGJ"}
    assert voted(vote=doves) == {"BCDFGH": None, "BCDFGJ": None}, "the team has no vote now"
    assert voted("bcdfgh", doves) == {"BCDFGH": None}
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", team=2, at=1)
    assert voted("bcdfgh", doves) == {"BCDFGH": True}, "moved to the team that votes"
    assert voted() == {"BCDFGH": None, "BCDFGJ": None}, "no window is open"
    crowd = ["".join(code) + "BCD" for code in product(VOTER_CODE_ALPHABET[:9], repeat=3)]
    record_voters(event.pk, *crowd)
    vote("BCDFGJ", *crowd[40:])
    assert codes(find(event, vote=both, voted=False)) == set(crowd[:40]), "the few of many"
    assert len(codes(find(event, vote=both, voted=True))) < 3 * PAGE_SIZE


def test_pages_of_many_phones_and_pupils_are_bounded(event: Event, box: BallotBox) -> None:
    make_roster(event, [Pupil(f"Pupil {number:03}", None) for number in range(120)])
    found = [find(event, "pupil", after=after) for after in ("", "50", "100", "500")]
    assert [(len(page.people), page.more) for page in found] == [(50, "50"), (50, "100"), (20, ""), (0, "")]
    names = Ticket.objects.filter(event=event).values_list("label", "voter")
    pupils = {derive_voter_code(voter) for label, voter in names if label.startswith("Pupil")}
    assert set.union(*map(codes, found)) == pupils
    phones = {"".join(letters) for letters in islice(product(VOTER_CODE_ALPHABET, repeat=6), 1, 3_001)}
    record_voters(event.pk, *phones)
    pages: list[PeopleFound] = []
    while not pages or pages[-1].more:
        show_gateways(event, box, "a")
        pages.append(find(event, after=pages[-1].more if pages else ""))
    assert max(len(page.people) for page in pages) < 2 * PAGE_SIZE
    assert set.union(*map(codes, pages)) == phones | {derive_voter_code(voter) for _, voter in names}
