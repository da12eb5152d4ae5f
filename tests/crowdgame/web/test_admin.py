"""The Django admin: what may be edited, and what is hidden until its reveal."""

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks

from crowdgame.console.actions.matches import abort_playing_match
from crowdgame.events.models import AuditEntry, Member
from games.matches import create_event
from games.models import Event, Match, Team, Turn, TurnState
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, StoredBallot, StoredRestriction, TallyRecord
from voting.turns.closing import close_turn
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

READ_ONLY = [
    "games/team",
    "games/match",
    "games/turn",
    "voting/storedballot",
    "voting/tallyrecord",
    "voting/announcement",
    "events/auditentry",
    "voting/storedrestriction",
    "events/member",
]
VOTER = "voter-in-public"


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="root"))
    return client


@pytest.fixture
def event(admin: Client) -> Event:
    return create_event(User.objects.get(), "Gala", ("North", "South"), window_s=3600)


@pytest.fixture
def turn(event: Event, box: BallotBox) -> Turn:
    """A turn with a long window and a stored ballot."""
    turn = start_match(event.pk, box).turns.get()
    Member.objects.create(event=event, user=User.objects.create_user("bob"), role="viewer")
    AuditEntry.objects.create(event=event, by="root", action="match.start", what="started match 1", at=1)
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", team=2, at=1)
    StoredBallot.objects.create(turn=turn, voter=VOTER, side="red", choice=5, sequence=1, stored_at=1)
    return turn


def end_window(turn: Turn, box: BallotBox) -> None:
    Turn.objects.filter(pk=turn.pk).update(opens_at=1, closes_at=2, version=turn.version + 1)
    close_turn(turn.pk, box)


def ballots_page(admin: Client) -> str:
    return admin.get("/admin/voting/storedballot/").content.decode()


@pytest.mark.parametrize("page", [*READ_ONLY, "games/event", "auth/user", "auth/group"])
def test_admin_changelist_opens_and_searches(admin: Client, turn: Turn, box: BallotBox, page: str) -> None:
    end_window(turn, box)
    assert admin.get(f"/admin/{page}/").status_code == 200
    assert admin.get(f"/admin/{page}/?q=North").status_code == 200


@pytest.mark.parametrize("page", READ_ONLY)
def test_admin_records_are_read_only(admin: Client, turn: Turn, box: BallotBox, page: str) -> None:
    end_window(turn, box)
    models: dict[str, type[Model]] = {
        "games/team": Team,
        "games/match": Match,
        "games/turn": Turn,
        "voting/storedballot": StoredBallot,
        "voting/tallyrecord": TallyRecord,
        "voting/announcement": Announcement,
        "events/auditentry": AuditEntry,
        "voting/storedrestriction": StoredRestriction,
        "events/member": Member,
    }
    row = models[page]._default_manager.order_by("pk").first()
    assert row is not None
    assert admin.get(f"/admin/{page}/{row.pk}/change/").status_code == 200
    assert admin.post(f"/admin/{page}/{row.pk}/change/", {}).status_code == 403
    assert admin.post(f"/admin/{page}/{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert admin.get(f"/admin/{page}/add/").status_code == 403


@pytest.mark.parametrize("state", [TurnState.OPEN, TurnState.PAUSED])
def test_admin_hides_ballots_of_live_turn(admin: Client, turn: Turn, state: TurnState) -> None:
    left = 1000 if state == TurnState.PAUSED else None
    Turn.objects.filter(pk=turn.pk).update(state=state, left_ms=left)
    ballot = StoredBallot.objects.get()
    assert VOTER not in ballots_page(admin)
    assert admin.get(f"/admin/voting/storedballot/{ballot.pk}/change/").status_code == 302
    assert VOTER not in admin.get("/admin/voting/storedballot/?side=red").content.decode()
    assert VOTER not in admin.get(f"/admin/voting/storedballot/?q={VOTER[:5]}").content.decode()


def test_admin_shows_ballots_after_reveal(admin: Client, turn: Turn, box: BallotBox) -> None:
    end_window(turn, box)
    assert VOTER in ballots_page(admin)


def test_admin_hides_ballots_of_aborted_match(admin: Client, turn: Turn, box: BallotBox) -> None:
    abort_playing_match(turn.match.event_id, box)
    assert VOTER not in ballots_page(admin)


def test_admin_shows_seed_only_after_turn_closes(admin: Client, turn: Turn, box: BallotBox) -> None:
    page = f"/admin/games/turn/{turn.pk}/change/"
    assert turn.seed not in admin.get(page).content.decode()
    end_window(turn, box)
    assert turn.seed in admin.get(page).content.decode()


def test_admin_event_edit_is_announced_with_next_seq(
    admin: Client, turn: Turn, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    event = Event.objects.get()
    teams = list(event.teams.order_by("number"))
    form = {
        "name": "Regatta",
        "owner": event.owner_id,
        "team_choice": "balance",
        "admission": "open",
        "window_s": 3600,
        "reveal_s": 6,
        "tally_method": "approval",
        "tie_rule": "first",
        "no_ballot_rule": "random",
        "next_match_after_s": "",
        "teams-TOTAL_FORMS": 2,
        "teams-INITIAL_FORMS": 2,
    }
    for i, team in enumerate(teams):
        form |= {f"teams-{i}-id": team.pk, f"teams-{i}-event": event.pk, f"teams-{i}-name": f"New {i}"}
    with django_capture_on_commit_callbacks(execute=True):
        assert admin.post(f"/admin/games/event/{event.pk}/change/", form).status_code == 302
    edited = Event.objects.get()
    assert (edited.name, edited.seq, edited.lobby) == ("Regatta", event.seq + 1, event.lobby)
    assert edited.tally_method == "approval"
    body = bytes(Announcement.objects.get(seq=edited.seq).body)
    assert b'"event.edited"' in body
    assert b"New 1" in body


def test_admin_cannot_add_or_delete_events(admin: Client, event: Event) -> None:
    assert admin.get("/admin/games/event/add/").status_code == 403
    assert admin.post(f"/admin/games/event/{event.pk}/delete/", {"post": "yes"}).status_code == 403


def test_admin_shows_announcement_type(admin: Client, turn: Turn) -> None:
    row = Announcement.objects.get()
    page = admin.get(f"/admin/voting/announcement/{row.pk}/change/").content.decode()
    assert "match.started" in page


def test_admin_redirects_non_staff_user(client: Client) -> None:
    client.force_login(User.objects.create_user("ada"))
    assert client.get("/admin/").status_code == 302
