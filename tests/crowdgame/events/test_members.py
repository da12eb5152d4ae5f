"""Event members: the owner adds them by role; members see only what their role allows."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.models import Member
from games.matches import create_event
from games.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password="lovelace")


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob", password="builder")


@pytest.fixture
def event(ada: User) -> Event:
    return create_event(ada, "Gala", ("North", "South"))


@pytest.fixture
def browser(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def page(event: Event) -> str:
    return f"/console/{event.code}/members/"


def post_form(browser: Client, event: Event, **form: Any) -> str:
    """Post the form and return the resulting page."""
    return browser.post(page(event), form, follow=True).content.decode()


def test_owner_adds_changes_and_removes_member(browser: Client, event: Event, bob: User) -> None:
    assert "bob was added" in post_form(browser, event, ask="add", name=" bob ", role="viewer")
    member = Member.objects.get()
    assert (member.event, member.user, member.role) == (event, bob, "viewer")
    assert "Saved." in post_form(browser, event, ask="cohost", member=member.pk)
    assert Member.objects.get().role == "cohost"
    assert "Co-host: runs the event</p>" in browser.get(page(event)).content.decode()
    assert "Saved." in post_form(browser, event, ask="remove", member=member.pk)
    assert not Member.objects.exists()


@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("", "viewer", "Enter a username."),
        ("nobody", "viewer", "No account has this username"),
        ("BOB", "viewer", "No account has this username"),
        ("gone", "viewer", "No account has this username"),
        ("ada", "viewer", "the event&#x27;s owner"),
        ("carl", "cohost", "already a member"),
        ("bob", "", "Choose a role."),
        ("bob", "owner", "Choose a role."),
        ("b" * 151, "viewer", "This username is too long."),
    ],
)
@pytest.mark.usefixtures("bob")
def test_invalid_member_is_rejected_with_message(
    name: str, role: str, words: str, browser: Client, event: Event
) -> None:
    User.objects.create_user("gone", is_active=False)
    Member.objects.create(event=event, user=User.objects.create_user("carl"), role="viewer")
    assert words in post_form(browser, event, ask="add", name=name, role=role)
    assert list(Member.objects.values_list("user__username", "role")) == [("carl", "viewer")]


@pytest.mark.parametrize("ask", ["cohost", "remove"])
@pytest.mark.parametrize("number", ["", "x", "0", "9" * 30, "-1", "of another event"])
def test_change_of_unknown_member_is_rejected(
    ask: str, number: str, browser: Client, event: Event, bob: User
) -> None:
    another = create_event(event.owner, "Another", ("East", "West"))
    theirs = Member.objects.create(event=another, user=bob, role="viewer")
    number = str(theirs.pk) if number == "of another event" else number
    assert "not on the list any more" in post_form(browser, event, ask=ask, member=number)
    theirs.refresh_from_db()
    assert theirs.role == "viewer"


def test_unknown_role_is_rejected(browser: Client, event: Event, bob: User) -> None:
    member = Member.objects.create(event=event, user=bob, role="viewer")
    assert "not on the list" in post_form(browser, event, ask="owner", member=member.pk)
    member.refresh_from_db()
    assert member.role == "viewer"


@pytest.mark.parametrize("role", ["cohost", "viewer"])
def test_member_enters_console_but_no_owner_pages(role: str, client: Client, event: Event, bob: User) -> None:
    Member.objects.create(event=event, user=bob, role=role)
    Member.objects.create(event=event, user=User.objects.create_user("carl"), role=role)
    client.force_login(bob)
    listed = client.get("/console/").content.decode()
    assert listed.count("<h2>Gala</h2>") == 1
    assert "owned by ada" in listed
    assert client.get(f"/console/{event.code}/").status_code in {200, 503}
    for own in ("edit", "delete", "members", "tickets", "tickets/csv", "tickets/print"):
        assert client.get(f"/console/{event.code}/{own}/").status_code == 404
    assert client.post(page(event), {"ask": "add", "name": "bob", "role": "cohost"}).status_code == 404
    assert Member.objects.get(user=bob).role == role


def test_event_list_hides_owner_pages_from_member(client: Client, event: Event, bob: User) -> None:
    Member.objects.create(event=event, user=bob, role="cohost")
    client.force_login(bob)
    listed = client.get("/console/").content.decode()
    assert f'href="/console/{event.code}/"' in listed
    for own in ("edit", "delete", "members"):
        assert f"/console/{event.code}/{own}/" not in listed


def test_event_is_listed_once_for_owner_with_several_members(
    browser: Client, event: Event, bob: User
) -> None:
    for name in ("carl", "dora"):
        Member.objects.create(event=event, user=User.objects.create_user(name), role="viewer")
    listed = browser.get("/console/").content.decode()
    assert listed.count("<h2>Gala</h2>") == 1
    assert f"/console/{event.code}/members/" in listed


def test_non_member_cannot_see_event(client: Client, event: Event, bob: User) -> None:
    client.force_login(bob)
    assert "Gala" not in client.get("/console/").content.decode()
    assert client.get(f"/console/{event.code}/").status_code == 404
    assert client.get(page(event)).status_code == 404


def test_deleting_user_deletes_membership(event: Event, bob: User) -> None:
    Member.objects.create(event=event, user=bob, role="cohost")
    bob.delete()
    assert not Member.objects.exists()


def test_member_changes_are_audited(browser: Client, event: Event, bob: User) -> None:
    post_form(browser, event, ask="add", name=" bob ", role="viewer")
    member = Member.objects.get(user=bob)
    post_form(browser, event, ask="cohost", member=member.pk)
    post_form(browser, event, ask="remove", member=member.pk)
    post_form(browser, event, ask="remove", member=member.pk)
    assert list(event.audit_entries.order_by("pk").values_list("action", "what")) == [
        ("member.add", "added bob as a viewer"),
        ("member.change", "made bob a co-host"),
        ("member.remove", "removed bob from the members"),
    ]


def test_member_name_is_escaped(browser: Client, event: Event) -> None:
    Member.objects.create(event=event, user=User.objects.create(username="<b>x"), role="viewer")
    shown = browser.get(page(event)).content.decode()
    assert "<b>x" not in shown
    assert "&lt;b&gt;x" in shown
