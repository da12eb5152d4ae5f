import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks

from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.console.actions.matches import abort_playing_match
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Announcement, Event, Nickname, StoredBallot, StoredRestriction, Turn, TurnState
from voting.turns.closing import close_turn
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

OF_VOTING = "team match turn storedballot tallyrecord announcement storedrestriction nickname"
READ_ONLY = [*(f"voting.{model}" for model in OF_VOTING.split()), "events.auditentry", "events.member"]
VOTER = "voter-in-public"
BALLOTS = "/admin/voting/storedballot/"


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="root"))
    return client


@pytest.fixture
def turn(admin: Client, box: BallotBox) -> Turn:
    event = create_event(User.objects.get(), "Gala", ("North", "South"), window_s=3600)
    turn = start_match(event.pk, box).turns.get()
    Member.objects.create(event=event, user=User.objects.create_user("bob"), role="viewer")
    AuditEntry.objects.create(event=event, by="root", action="match.start", what="started match 1", at=1)
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", team=2, at=1)
    Nickname.objects.create(event=event, voter_code="BCDFGH", name="Heron 7", allowed=True, chosen_at=1)
    StoredBallot.objects.create(turn=turn, voter=VOTER, side="red", choice=5, sequence=1, stored_at=1)
    return turn


def end_window(turn: Turn, box: BallotBox) -> None:
    Turn.objects.filter(pk=turn.pk).update(opens_at=1, closes_at=2, version=turn.version + 1)
    close_turn(turn.pk, box)


@pytest.mark.parametrize("model", [*READ_ONLY, "voting.event", "auth.user", "auth.group"])
def test_admin_lists_records_read_only(admin: Client, turn: Turn, box: BallotBox, model: str) -> None:
    end_window(turn, box)
    changelist = f"/admin/{model.replace('.', '/')}/"
    assert admin.get(changelist).status_code == 200
    assert admin.get(f"{changelist}?q=North").status_code == 200
    if model in READ_ONLY:
        row = apps.get_model(model)._default_manager.order_by("pk")[0]
        page = admin.get(f"{changelist}{row.pk}/change/")
        assert (page.status_code, b"match.started" in page.content) == (200, model == "voting.announcement")
        assert admin.post(f"{changelist}{row.pk}/change/", {}).status_code == 403
        assert admin.post(f"{changelist}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert admin.get(f"{changelist}add/").status_code == 403


@pytest.mark.parametrize("state", [TurnState.OPEN, TurnState.PAUSED])
def test_admin_shows_seed_and_ballots_only_after_reveal(
    admin: Client, turn: Turn, box: BallotBox, state: TurnState
) -> None:
    page = f"/admin/voting/turn/{turn.pk}/change/"
    Turn.objects.filter(pk=turn.pk).update(state=state, left_ms=1000 if state == TurnState.PAUSED else None)
    assert admin.get(f"{BALLOTS}{StoredBallot.objects.get().pk}/change/").status_code == 302
    for query in ("", "?side=red", f"?q={VOTER[:5]}"):
        assert VOTER not in admin.get(BALLOTS + query).content.decode()
    assert turn.seed not in admin.get(page).content.decode()
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.OPEN, left_ms=None)
    end_window(turn, box)
    assert turn.seed in admin.get(page).content.decode()
    assert VOTER in admin.get(BALLOTS).content.decode()


def test_admin_hides_ballots_of_aborted_match(admin: Client, turn: Turn, box: BallotBox) -> None:
    abort_playing_match(turn.match.event_id, box)
    assert VOTER not in admin.get(BALLOTS).content.decode()


def test_admin_event_edit_is_announced_with_next_seq(
    admin: Client, turn: Turn, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    event = Event.objects.get()
    teams = list(event.teams.order_by("number"))
    shown = admin.get(f"/admin/voting/event/{event.pk}/change/").context["adminform"].form.initial
    form = {name: value for name, value in shown.items() if value not in {None, False}}
    form |= {"name": "Regatta", "tally_method": "approval", "teams-TOTAL_FORMS": 2, "teams-INITIAL_FORMS": 2}
    for i, team in enumerate(teams):
        form |= {f"teams-{i}-id": team.pk, f"teams-{i}-event": event.pk, f"teams-{i}-name": f"New {i}"}
    with django_capture_on_commit_callbacks(execute=True):
        assert admin.post(f"/admin/voting/event/{event.pk}/change/", form).status_code == 302
    edited = Event.objects.get()
    assert (edited.name, edited.seq, edited.lobby) == ("Regatta", event.seq + 1, event.lobby)
    assert edited.tally_method == "approval"
    body = bytes(Announcement.objects.get(seq=edited.seq).body)
    assert b'"event.edited"' in body
    assert b"New 1" in body


def test_admin_cannot_add_or_delete_events_and_is_for_staff(admin: Client, turn: Turn) -> None:
    assert admin.get("/admin/voting/event/add/").status_code == 403
    delete = f"/admin/voting/event/{turn.match.event_id}/delete/"
    assert admin.post(delete, {"post": "yes"}).status_code == 403
    admin.force_login(User.objects.create_user("ada"))
    assert admin.get("/admin/").status_code == 302
