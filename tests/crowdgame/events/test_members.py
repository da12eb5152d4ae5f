"""Event members: the owner adds them by role; deleted users are removed."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.models import Member
from voting.events import create_event
from voting.models import Event

pytestmark = pytest.mark.django_db
UNKNOWN = ["", "x", "0", "9" * 30, "-1", "THEIRS"]


def page(event: Event) -> str:
    return f"/console/{event.code}/members/"


def post_form(browser: Client, event: Event, **form: Any) -> str:
    return browser.post(page(event), form, follow=True).content.decode()


def test_owner_adds_changes_and_removes_member(browser: Client, event: Event, other: User) -> None:
    assert "bob was added" in post_form(browser, event, ask="add", name=" bob ", role="viewer")
    member = Member.objects.get()
    assert (member.event, member.user, member.role) == (event, other, "viewer")
    assert "Saved." in post_form(browser, event, ask="cohost", member=member.pk)
    assert Member.objects.get().role == "cohost"
    assert "Co-host: runs the event</p>" in browser.get(page(event)).content.decode()
    assert "Saved." in post_form(browser, event, ask="remove", member=member.pk)
    assert not Member.objects.exists()
    post_form(browser, event, ask="remove", member=member.pk)
    assert [(entry.action, str(entry)) for entry in event.audit_entries.order_by("pk")] == [
        ("member.add", "ada added bob as a viewer"),
        ("member.change", "ada made bob a co-host"),
        ("member.remove", "ada removed bob from the members"),
    ]


@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("", "viewer", "Enter a username."),
        *((name, "viewer", "No account has this username") for name in ("nobody", "BOB", "gone")),
        ("ada", "viewer", "the event&#x27;s owner"),
        ("carl", "cohost", "already a member"),
        *(("bob", role, "Choose a role.") for role in ("", "owner")),
        ("b" * 151, "viewer", "This username is too long."),
    ],
)
@pytest.mark.usefixtures("other")
def test_invalid_member_is_rejected_with_message(
    name: str, role: str, words: str, browser: Client, event: Event
) -> None:
    User.objects.create_user("gone", is_active=False)
    Member.objects.create(event=event, user=User.objects.create_user("carl"), role="viewer")
    assert words in post_form(browser, event, ask="add", name=name, role=role)
    assert list(Member.objects.values_list("user__username", "role")) == [("carl", "viewer")]


@pytest.mark.parametrize(
    ("ask", "number"),
    [*((ask, number) for ask in ("cohost", "remove") for number in UNKNOWN), ("owner", "OURS")],
)
def test_change_of_unknown_member_or_role_is_rejected(
    ask: str, number: str, browser: Client, event: Event, other: User
) -> None:
    ours = Member.objects.create(event=event, user=other, role="viewer")
    another = create_event(event.owner, "Another", ("East", "West"))
    theirs = Member.objects.create(event=another, user=other, role="viewer")
    number = number.replace("THEIRS", str(theirs.pk)).replace("OURS", str(ours.pk))
    assert "not on the list any more" in post_form(browser, event, ask=ask, member=number)
    assert list(Member.objects.values_list("role", flat=True)) == ["viewer", "viewer"]
