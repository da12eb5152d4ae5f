import re
from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.cups.cups import create_cup, start_pairing
from crowdgame.organizer.cups.models import Cup
from crowdgame.play.chat.models import Suggestion
from crowdgame.play.chat.suggestions import VoterAsk, answer_voters
from tests.voting.action_helpers import record_voters
from tests.voting.match_helpers import start
from voting.admission.seats import Seat
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.events import create_event
from voting.models import Event, StoredRestriction
from voting.protocol import Role, SuggestionMark, SuggestionSend
from voting.terms import MatchState
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
ANN = derive_voter_code("ann")


def listed(client: Client, query: str = "") -> Sequence[str]:
    page = client.get(f"/console/{query}").content.decode()
    return re.findall("<h2>(?:<bdi>)?([^<]+)(?:</bdi>)?</h2>", page.split('class="panel empty"')[0])


@pytest.mark.parametrize("superuser", [False, True])
def test_list_has_pages_of_own_events(superuser: bool, client: Client, organizer: User, other: User) -> None:
    for number in range(25):
        create_event(organizer, f"Evening {number}", ("Rooks", "Doves"))
    create_event(organizer, "A duel", ("Ada", "Bea"), fixed_players=True)
    create_event(other, "Another's", ("Rooks", "Doves"))
    Cup.objects.bulk_create(Cup(owner=organizer, name=f"Cup {n}", code=f"CUP{n:02d}") for n in range(12))
    User.objects.filter(pk=organizer.pk).update(is_superuser=superuser)
    client.force_login(organizer)
    events = [f"Evening {number}" for number in range(25)][::-1]
    cups = [f"Cup {number}" for number in range(12)][::-1]
    assert listed(client) == cups[:10] + events[:20]
    assert listed(client, "?page=2&cups=2") == cups[10:] + events[20:]


def test_search_covers_names_teams_and_codes(browser: Client, event: Event, organizer: User) -> None:
    event.teams.filter(number=1).update(name="Rooks")
    create_event(organizer, "Night", ("North", "South"))
    cup = create_cup(organizer, "Spring", ("Class four", "Class five"))
    for query, found in [
        ("gala", ["Gala"]),
        ("NIGHT", ["Night"]),
        ("rook", ["Gala"]),
        ("five", ["Spring"]),
        ("100%", []),
        (f"{event.code[:2].lower()}%E2%80%93{event.code[2:]}+", ["Gala"]),
        (cup.code, ["Spring"]),
    ]:
        assert listed(browser, f"?q={query}") == found, query


def test_live_event_comes_first(browser: Client, event: Event, organizer: User, box: BallotBox) -> None:
    create_event(organizer, "Later", ("North", "South"))
    start_match(event.pk, box)
    assert listed(browser) == ["Gala", "Later"]
    ended = {"state": MatchState.ENDED, "result": "red", "ended_by": "board", "ended_at": 1_790_000_000_000}
    event.matches.update(**ended)
    page = browser.get("/console/", headers={"accept-language": "de"}).content.decode()
    assert 'data-moment="day">21. September 2026 UTC</time>' in page


def test_event_and_cup_are_archived(browser: Client, event: Event, organizer: User, box: BallotBox) -> None:
    cup = create_cup(organizer, "Spring", ("Class four", "Class five"))
    paths = (f"/console/{event.code}", f"/console/cups/{cup.code}")
    for path in paths:
        assert browser.get(f"{path}/archive/").status_code == 405
        assert browser.post(f"{path}/archive/?page=2").headers["Location"] == "/console/?page=2"
    assert listed(browser) == []
    assert listed(browser, "?show=archived") == ["Spring", "Gala"]
    for path in paths:
        assert browser.post(f"{path}/restore/").status_code == 302
    assert (listed(browser), listed(browser, "?show=archived")) == (["Spring", "Gala"], [])
    for path in paths:
        browser.post(f"{path}/archive/")
    assert not AuditEntry.objects.exists(), "an audit entry would postpone the anonymization"
    start_match(event.pk, box)
    start_match(start_pairing(cup.pk, 1).pk, box)
    soon = create_event(organizer, "Night", ("North", "South"))
    Event.objects.filter(pk=soon.pk).update(next_match_at=1)
    for path in (*paths, f"/console/{soon.code}"):
        page = browser.post(f"{path}/archive/", follow=True).content.decode()
        assert "is live or about to start" in page
    assert sorted(listed(browser)) == ["Gala", "Night", "Spring"]
    assert listed(browser, "?show=archived") == []


def test_empty_list_leads_to_the_archive(browser: Client, event: Event, organizer: User, other: User) -> None:
    Member.objects.create(event=event, user=other, role="cohost")
    browser.force_login(other)
    assert browser.post(f"/console/{event.code}/archive/").status_code == 404
    assert listed(browser) == ["Gala"], "members see it, too"
    browser.force_login(organizer)
    browser.post(f"/console/{event.code}/archive/")
    assert "?show=archived" in browser.get("/console/").content.decode()
    event.delete()
    page = browser.get("/console/").content.decode()
    assert ("?show=archived" in page, "Two crowds, one board" in page) == (False, True)


@pytest.fixture
def discussed(box: BallotBox) -> Event:
    """An event with a suggestion of each team. That of the red team is older and was reported."""
    event = start(box, team_discussion=True).match.event
    for voter, team in (("ann", 1), ("eve", 2)):
        answer_voters([VoterAsk(Seat(event.pk, voter, team), SuggestionSend(f"<b>by {voter}"))], 0)
    report = SuggestionMark(Suggestion.objects.earliest("pk").pk, "report")
    answer_voters([VoterAsk(Seat(event.pk, "bob", 1), report)], 0)
    return event


def member(event: Event, role: Role) -> Client:
    user, client = User.objects.create_user(str(role)), Client()
    Member.objects.create(event=event, user=user, role=role)
    client.force_login(user)
    return client


def discussion(event: Event) -> str:
    return f"/console/{event.code}/discussion/"


def test_discussion_page_removes_reported_message(client: Client, discussed: Event, box: BallotBox) -> None:
    html = member(discussed, Role.COHOST).get(discussion(discussed)).content.decode()
    assert 0 < html.index("&lt;b&gt;by ann") < html.index("Reports: 1") < html.index("&lt;b&gt;by eve")
    viewer, first = member(discussed, Role.VIEWER), Suggestion.objects.earliest("pk")
    assert viewer.get(discussion(discussed)).status_code == 404
    for form in ({"suggestion": first.pk}, {"ask": "discussion.stop"}):
        assert viewer.post(discussion(discussed), form).status_code == 404
    assert Client().get(discussion(discussed)).status_code == 302
    client.force_login(discussed.owner)
    client.post(discussion(start(box, team_discussion=True).match.event), {"suggestion": first.pk})
    assert not Suggestion.objects.filter(removed=True).exists()
    for number in (first.pk, first.pk, 0, "x", "9" * 30):
        client.post(discussion(discussed), {"suggestion": number})
    assert "by ann" not in client.get(discussion(discussed)).content.decode()
    assert str(AuditEntry.objects.get()) == f"olga removed a suggestion by {ANN}"
    assert list(Suggestion.objects.filter(removed=True)) == [first]


def test_organizer_mutes_voter_and_turns_discussion_off(discussed: Event) -> None:
    client = member(discussed, Role.COHOST)
    record_voters(discussed.pk, ANN)
    assert ">禁言<" in client.get(discussion(discussed), headers={"accept-language": "zh"}).content.decode()
    client.post(discussion(discussed), {"ask": "voter.mute", "voter_code": ANN})
    assert StoredRestriction.objects.get(muted=True).voter_code == ANN
    assert 'value="voter.unmute"' in client.get(discussion(discussed)).content.decode()
    for ask, is_on in (("discussion.stop", False), ("match.abort", False), ("discussion.start", True)):
        client.post(discussion(discussed), {"ask": ask})
        assert Event.objects.get(pk=discussed.pk).team_discussion == is_on
    assert discussed.matches.get().state == "playing"
    shown = client.post(discussion(discussed), {"ask": "discussion.start"}, follow=True).content.decode()
    assert "Already done." in shown
    Event.objects.update(team_discussion=False, max_side_changes=1)
    shown = client.post(discussion(discussed), {"ask": "discussion.start"}, follow=True).content.decode()
    assert "With secret sides, teams cannot have a discussion" in shown
