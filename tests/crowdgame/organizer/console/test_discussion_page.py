"""The console page of the team discussion: who sees it, removal, mutes and the switch."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.models import AuditEntry, Member
from crowdgame.play.chat.models import Suggestion
from crowdgame.play.chat.suggestions import VoterAsk, answer_voters
from tests.voting.action_helpers import record_voters
from tests.voting.match_helpers import start
from voting.admission.seats import Seat
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, StoredRestriction
from voting.protocol import Role, SuggestionMark, SuggestionSend

pytestmark = pytest.mark.django_db
ANN = derive_voter_code("ann")


@pytest.fixture
def event(box: BallotBox) -> Event:
    """An event with a suggestion of each team. That of the red team is older and was reported."""
    event = start(box, team_discussion=True).match.event
    for voter, team in (("ann", 1), ("eve", 2)):
        answer_voters([VoterAsk(Seat(event.pk, voter, team), SuggestionSend(f"<b>by {voter}"))], 0)
    report = SuggestionMark(Suggestion.objects.earliest("pk").pk, "report")
    answer_voters([VoterAsk(Seat(event.pk, "bob", 1), report)], 0)
    record_voters(event.pk, ANN)
    return event


def browser(event: Event, role: Role | None) -> Client:
    user = event.owner if role == Role.OWNER else User.objects.create_user(str(role))
    if role and role != Role.OWNER:
        Member.objects.create(event=event, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def page(event: Event) -> str:
    return f"/console/{event.code}/discussion/"


@pytest.mark.parametrize("role", [Role.OWNER, Role.COHOST])
def test_discussion_page_shows_both_teams_with_reported_first(role: Role, event: Event) -> None:
    html = browser(event, role).get(page(event)).content.decode()
    assert 0 < html.index("&lt;b&gt;by ann") < html.index("Reports: 1") < html.index("&lt;b&gt;by eve")


@pytest.mark.parametrize("role", [Role.VIEWER, None])
def test_discussion_page_is_hidden_from_viewers_and_strangers(role: Role | None, event: Event) -> None:
    client, first = browser(event, role), Suggestion.objects.earliest("pk").pk
    assert client.get(page(event)).status_code == 404
    assert client.post(page(event), {"suggestion": first}).status_code == 404
    assert client.post(page(event), {"ask": "discussion.stop"}).status_code == 404
    assert Suggestion.objects.filter(removed=False).count() == 2
    assert Client().get(page(event)).status_code == 302


def test_removal_is_logged_without_text_for_its_event_only(event: Event, box: BallotBox) -> None:
    client, first = browser(event, Role.OWNER), Suggestion.objects.earliest("pk")
    other = start(box, team_discussion=True).match.event
    client.post(page(other), {"suggestion": first.pk})
    assert not Suggestion.objects.filter(removed=True).exists()
    for number in (first.pk, first.pk, 0, "x", "9" * 30):
        client.post(page(event), {"suggestion": number})
    assert "by ann" not in client.get(page(event)).content.decode()
    entry = AuditEntry.objects.get(action="suggestion.remove")
    assert str(entry) == f"olga removed a suggestion by {ANN}"
    assert list(Suggestion.objects.filter(removed=True)) == [first]


def test_organizer_mutes_voter_and_turns_discussion_off(event: Event) -> None:
    client = browser(event, Role.COHOST)
    client.post(page(event), {"ask": "voter.mute", "voter_code": ANN})
    assert StoredRestriction.objects.get(muted=True).voter_code == ANN
    assert 'value="voter.unmute"' in client.get(page(event)).content.decode()
    for ask, is_on in (("discussion.stop", False), ("match.abort", False), ("discussion.start", True)):
        client.post(page(event), {"ask": ask})
        assert Event.objects.get(pk=event.pk).team_discussion == is_on
    assert event.matches.get().state == "playing"
    shown = client.post(page(event), {"ask": "discussion.start"}, follow=True).content.decode()
    assert "Already done." in shown
    Event.objects.update(team_discussion=False, max_side_changes=1)
    shown = client.post(page(event), {"ask": "discussion.start"}, follow=True).content.decode()
    assert "With secret sides, teams cannot have a discussion" in shown
