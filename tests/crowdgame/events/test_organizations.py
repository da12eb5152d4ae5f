import io
import zipfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import AsyncClient, Client
from django.utils import timezone

from crowdgame.events import organizations
from crowdgame.events.members import add_member, remove_member
from crowdgame.events.members import change_member as change_event_member
from crowdgame.events.models import Organization, OrganizationMember, SharedEvent
from crowdgame.events.organizations import change_member, create_organization, invite_member, share_event
from crowdgame.events.permissions import role_at_event
from crowdgame.organizer.api.tokens import create_token
from tests.crowdgame.events.form_helpers import form_defaults
from tests.voting.match_helpers import RED_WINS, play
from tests.voting.page_fixtures import answers
from voting.announcements.outbox import publish_role_change
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event
from voting.protocol import Role
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
EVERYONE, RUNNERS, OWNER = ("owner", "cohost", "viewer"), ("owner", "cohost"), ("owner",)
EVENT, API, SCHOOL = "/console/{code}/", "/api/v1/events/{code}/", "/console/organizations/{pk}/"


@pytest.fixture
def school(organizer: User) -> Organization:
    """Its event, a template, is of `organizer`. Its members are called like their roles."""
    school = create_organization("School", organizer)
    for role in Role:
        school.members.create(user=User.objects.create_user(role.value), role=role)
    outsider, *_ = (User.objects.create_user(name) for name in ("outsider", "invited", "unrelated"))
    another = create_organization("Another school", outsider)
    share_event(create_event(outsider, "Theirs", ("A", "B")), another, outsider, is_template=True)
    removed = school.members.create(user=User.objects.create_user("removed"), role=Role.OWNER)
    change_member(removed, None, organizer)
    invite_member(school, "invited", Role.OWNER)
    return school


@pytest.fixture
def shared(event: Event, school: Organization) -> Event:
    share_event(event, school, event.owner, is_template=True)
    return event


def log_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


@pytest.mark.usefixtures("box")
@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
@pytest.mark.parametrize(
    ("path", "form", "allowed"),
    [
        (EVENT, None, EVERYONE),
        (f"{EVENT}discussion/", None, RUNNERS),
        (f"{EVENT}edit/", None, OWNER),
        (f"{EVENT}again/", None, RUNNERS),  # uses the template
        (API, None, EVERYONE),
        (f"{API}actions/lobby.open/", {}, RUNNERS),
        (SCHOOL, None, EVERYONE),
        (f"{SCHOOL}export.zip", None, EVERYONE),
        (SCHOOL, {"ask": "leave"}, EVERYONE),
        (SCHOOL, {"ask": "invite", "name": "Zoe", "role": "owner"}, OWNER),
        *((SCHOOL, {"ask": ask}, OWNER) for ask in ("owner", "remove", "delete")),
    ],
    ids=str,
)
def test_only_members_with_the_role_may(
    path: str, form: dict[str, str] | None, allowed: tuple[str, ...], shared: Event, school: Organization
) -> None:
    address = path.format(code=shared.code, pk=school.pk)
    viewer = {"member": school.members.get(user__username="viewer").pk, "sure": "on"}
    answers: dict[str, Any] = {}
    for name in (*Role, "outsider", "removed", "invited", "unrelated"):
        client = log_in(name)
        with transaction.atomic():
            if path.startswith(API):
                token = create_token(User.objects.get(username=name), "script", ("run",))
                method, headers = "GET" if form is None else "POST", {"authorization": f"Bearer {token}"}
                answers[name] = client.generic(method, address, headers=headers)
            else:
                answers[name] = client.get(address) if form is None else client.post(address, viewer | form)
            transaction.set_rollback(True)
    refused = {name for name, answer in answers.items() if answer.status_code in {401, 403, 404}}
    assert answers.keys() - refused == {*allowed}


def test_created_organization_is_listed_for_its_members_only(school: Organization) -> None:
    made = log_in("unrelated").post("/console/organizations/", {"name": "<b>New"}, follow=True)
    assert "&lt;b&gt;New" in made.content.decode()
    lists = [log_in(name).get("/console/organizations/").content.decode() for name in ("unrelated", "viewer")]
    assert [("b&gt;New" in page, "School" in page) for page in lists] == [(True, False), (False, True)]


def test_invitation_works_once_unless_expired_or_withdrawn(school: Organization, shared: Event) -> None:
    token = invite_member(school, "Zoe", Role.VIEWER)
    path, row = f"/console/organizations/join/{token}/", school.members.get(name="Zoe")
    assert token not in str(OrganizationMember.objects.filter(pk=row.pk).values())
    assert Client().post(path).status_code == 302
    assert "still works" in log_in("cohost").post(path, follow=True).content.decode()
    OrganizationMember.objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert log_in("unrelated").post(path).status_code == 410
    OrganizationMember.objects.filter(pk=row.pk).update(expires_at=row.expires_at)
    assert log_in("unrelated").get(path).status_code == 200
    assert not school.members.filter(user__username="unrelated").exists()
    log_in("unrelated").post(path)
    assert school.members.get(user__username="unrelated").role == Role.VIEWER
    assert str(shared.audit_entries.latest("pk")) == "unrelated joined as a member of School"
    assert [log_in(name).post(path).status_code for name in ("unrelated", "outsider")] == [410, 410]
    withdrawn = invite_member(school, "Yan", Role.OWNER)
    form = {"ask": "remove", "member": school.members.get(name="Yan").pk}
    log_in("owner").post(f"/console/organizations/{school.pk}/", form)
    assert log_in("outsider").post(f"/console/organizations/join/{withdrawn}/").status_code == 410


def test_last_owner_stays_until_another_one_is_active(organizer: User, other: User) -> None:
    school = create_organization("School", organizer)
    only = school.members.get()
    invite_member(school, "Zoe", Role.OWNER)
    member = school.members.create(user=other, role=Role.COHOST)
    school.members.create(user=User.objects.create_user("away", is_active=False), role=Role.OWNER)
    for new in (None, Role.COHOST, Role.VIEWER):
        with pytest.raises(organizations.LastOwner):
            change_member(only, new, organizer)
    browser, page = log_in("ada"), f"/console/organizations/{school.pk}/"
    assert "only owner" in browser.get("/console/data/").content.decode()
    assert "only owner" in browser.post(page, {"ask": "leave"}, follow=True).content.decode()
    change_member(member, Role.OWNER, organizer)
    assert "only owner" not in browser.get("/console/data/").content.decode()
    change_member(only, Role.COHOST, organizer)
    User.objects.filter(pk=other.pk).update(is_active=False)
    change_member(only, None, organizer)
    assert not school.members.filter(user=organizer).exists()
    with pytest.raises(organizations.LastOwner):
        change_member(member, None, organizer)


def test_owner_moves_event_into_and_out_of_organization(event: Event, school: Organization) -> None:
    browser = log_in("ada")

    def save(**choice: Any) -> None:
        assert browser.post(f"/console/{event.code}/edit/", answers(**choice)).status_code == 302

    viewer, theirs = User.objects.get(username="viewer"), Organization.objects.get(name="Another school")
    form = browser.post(f"/console/{event.code}/edit/", answers(organization=theirs.pk))
    assert (form.status_code, SharedEvent.objects.filter(event=event).exists()) == (200, False)
    save(organization=school.pk, is_template="on")
    assert role_at_event(viewer, event.pk) == Role.VIEWER
    save()
    assert SharedEvent.objects.get(event=event).is_template
    for name in ("ada", "viewer"):
        listed = log_in(name).get("/console/").content.decode()
        assert "shared with <bdi>School</bdi>" in listed
        has_key = "#" in listed.split("/stage/")[1][:20]
        assert {f"/console/{event.code}/edit/" in listed, has_key} == {name == "ada"}
    new = log_in("cohost").get("/console/new/").content.decode()
    assert ("<bdi>School</bdi>" in new, "Another school" in new) == (True, False)
    for slug in ("two-halls", "empty"):
        form = log_in("cohost").post("/console/new/", {"form": slug, "organization": school.pk}, follow=True)
        assert f'value="{school.pk}" selected' in form.content.decode()
    assert "<bdi>School</bdi>" not in log_in("viewer").get("/console/new/").content.decode()
    change_member(school.members.get(user=viewer), Role.COHOST, User.objects.get(username="owner"))
    save(organization="")
    assert role_at_event(viewer, event.pk) is None
    assert [str(entry) for entry in event.audit_entries.exclude(action="event.edit").order_by("pk")] == [
        "ada shared this event with School",
        "owner made viewer a co-host in School",
        "ada stopped sharing this event with School",
    ]


def test_each_change_of_a_role_is_published_to_the_gateways(
    event: Event, school: Organization, admin_client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    def published(change: Callable[[], object]) -> set[Any]:
        with django_capture_on_commit_callbacks() as callbacks:
            change()
        changed = (one for one in callbacks if isinstance(one, partial) and one.func is publish_role_change)
        return {callback.args for callback in changed}

    owner, members = event.owner, school.members.exclude(user=None)
    cohost, viewer = (members.get(role=role) for role in (Role.COHOST, Role.VIEWER))
    token, unrelated = invite_member(school, "Zoe", Role.VIEWER), User.objects.get(username="unrelated")
    member = add_member(event, "unrelated", Role.VIEWER).pk
    for change in (partial(change_event_member, role=Role.COHOST), remove_member):
        assert published(partial(change, event, member)) == {(unrelated.pk, event.pk)}
    for field, about in (("last_login", set()), ("is_superuser", {(unrelated.pk,)})):
        assert published(partial(unrelated.save, update_fields=[field])) == about
    for path, changes, expected in (
        (f"/admin/auth/user/{cohost.user_id}/change/", {"is_active": ""}, {(cohost.user_id,)}),
        (
            f"/admin/voting/event/{event.pk}/change/",
            {"owner": str(unrelated.pk)},
            {(user.pk, event.pk) for user in (owner, unrelated)},
        ),
    ):
        form = form_defaults(admin_client, path) | changes
        assert published(partial(admin_client.post, path, form)) == expected
    removed = User.objects.get(username="removed")
    assert {(removed.pk,)} == published(removed.delete)
    everybody = {(user, event.pk) for user in members.values_list("user", flat=True)}
    assert published(lambda: share_event(event, school, owner, is_template=False)) == everybody
    assert published(lambda: share_event(event, None, owner, is_template=False)) == everybody
    assert published(lambda: change_member(viewer, Role.COHOST, owner)) == {(viewer.user_id,)}
    assert published(lambda: change_member(viewer, None, owner)) == {(viewer.user_id,)}
    assert published(lambda: organizations.accept_invitation(token, unrelated)) == {(unrelated.pk,)}
    assert (cohost.user_id,) in published(lambda: organizations.delete_organization(school, owner))


def test_organization_deleted_meanwhile_changes_nothing(school: Organization) -> None:
    owner, unrelated = (User.objects.get(username=name) for name in ("owner", "unrelated"))
    viewer, token = school.members.get(user__username="viewer"), invite_member(school, "Zoe", Role.VIEWER)

    def delete_first(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if sql.startswith("SAVEPOINT"):  # the beginning of the change
            Organization.objects.all().delete()
        return execute(sql, *rest)

    with connection.execute_wrapper(delete_first):
        assert not organizations.accept_invitation(token, unrelated)
    change_member(viewer, Role.COHOST, owner)
    assert not OrganizationMember.objects.exists()


def test_new_events_are_shared_as_chosen(school: Organization) -> None:
    cohost, viewer = log_in("cohost"), log_in("viewer")
    cohost.post("/console/new/", {"preset": "computer", "organization": school.pk})
    cohost.post("/console/new/two-halls/", answers(organization=school.pk, is_template="on"))
    viewer.post("/console/new/", {"preset": "computer", "organization": school.pk})
    shared = SharedEvent.objects.filter(organization=school).order_by("pk")
    owners = list(shared.values_list("event__owner__username", "is_template"))
    assert owners == [("cohost", False), ("cohost", True)]


def test_stronger_of_two_roles_counts(shared: Event) -> None:
    roles = {"viewer": Role.COHOST, "cohost": Role.VIEWER, "unrelated": Role.VIEWER}
    for name, role in roles.items():
        add_member(shared, name, role)
    found = [role_at_event(User.objects.get(username=name), shared.pk) for name in roles]
    assert found == [Role.COHOST, Role.COHOST, Role.VIEWER]


def test_organization_without_other_members_goes_with_its_account(organizer: User, other: User) -> None:
    for name, members in (("Alone", []), ("Two owners", [other])):
        school = create_organization(name, organizer)
        for user in members:
            school.members.create(user=user, role=Role.OWNER)
    browser = log_in("ada")
    posted = browser.post("/console/data/", {"ask": "delete", "sure": "on"})
    browser.post(posted["Location"], {"password": "lovelace"})
    assert not User.objects.filter(username="ada").exists()
    assert [school.name for school in Organization.objects.all()] == ["Two owners"]


def test_export_streams_all_events_but_no_others(shared: Event, school: Organization, box: BallotBox) -> None:
    second = create_event(shared.owner, "Second", ("A", "B"))
    share_event(second, school, shared.owner, is_template=False)
    for played in (shared, second, Event.objects.get(name="Theirs")):
        play(start_match(played.pk, box), box, RED_WINS)

    @async_to_sync
    async def download() -> list[bytes]:
        client = AsyncClient()
        await client.aforce_login(await User.objects.aget(username="viewer"))
        answer: Any = await client.get(f"/console/organizations/{school.pk}/export.zip")
        return [chunk async for chunk in answer.streaming_content]

    chunks = download()
    with zipfile.ZipFile(io.BytesIO(b"".join(chunks))) as archive:
        assert archive.testzip() is None
        names = [f"{event.code}-1.{ending}" for event in (shared, second) for ending in ("json", "csv")]
        assert archive.namelist() == names
    assert len(chunks) == 3
