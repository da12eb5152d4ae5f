"""A session ends with a logout, a password change or a deactivated account."""

from datetime import timedelta
from typing import Any, get_args

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from crowdgame.events.models import Member
from crowdgame.events.permissions import EventPermission, find_access
from voting.events import create_event
from voting.models import Event
from voting.protocol import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

LOGIN = {"login": "ada", "password": "lovelace"}


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password="lovelace")


@pytest.fixture
def event(ada: User) -> Event:
    return create_event(ada, "Gala", ("North", "South"))


def logged_in_client() -> Client:
    browser = Client()
    assert browser.post("/console/login/", LOGIN).status_code == 302
    return browser


def may(browser: Client, event_id: int, permission: EventPermission) -> bool:
    found = find_access(browser.cookies["sessionid"].value, event_id)
    return found is not None and found.may(permission)


def test_session_expires_after_twelve_hours(ada: User, event: Event) -> None:
    browser = logged_in_client()
    left = Session.objects.get(session_key=browser.cookies["sessionid"].value).expire_date - timezone.now()
    assert timedelta(hours=11, minutes=59) < left <= timedelta(hours=12)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not may(browser, event.pk, "view")
    assert browser.get("/console/").status_code == 302


def test_session_ends_on_password_change(ada: User, event: Event) -> None:
    browsers = [logged_in_client(), logged_in_client()]
    assert all(may(browser, event.pk, "run") for browser in browsers)
    ada.set_password("byron")
    ada.save()
    assert not any(may(browser, event.pk, "run") for browser in browsers)
    assert [browser.get("/console/").status_code for browser in browsers] == [302, 302]


def test_session_survives_secret_rotation_with_fallback(ada: User, event: Event, settings: Any) -> None:
    browser = logged_in_client()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert may(browser, event.pk, "run")
    settings.SECRET_KEY_FALLBACKS = []
    assert not may(browser, event.pk, "run")


@pytest.mark.parametrize("ended", ["logout", "deactivated", "given away"])
def test_permissions_end_at_once_with_session_or_ownership(ended: str, ada: User, event: Event) -> None:
    browser = logged_in_client()
    kept = browser.cookies["sessionid"].value
    assert may(browser, event.pk, "run")
    if ended == "logout":
        browser.post("/console/logout/")
    elif ended == "deactivated":
        User.objects.update(is_active=False)
        for page in ("/console/", f"/console/{event.code}/", f"/console/{event.code}/edit/", "/admin/"):
            assert browser.get(page).status_code == 302
        refused = Client().post("/console/login/", LOGIN)
        assert (refused.status_code, refused.headers["Location"]) == (302, "/console/inactive/")
    else:
        Event.objects.update(owner=User.objects.create_user("bob"))
    assert find_access(kept, event.pk) is None


def test_superuser_has_permissions_on_every_event_and_invalid_session_none(event: Event) -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    assert may(browser, event.pk, "rehearse")
    for wrong in (None, "", "0" * 32, "x", "../../etc/passwd"):
        assert find_access(wrong, event.pk) is None


@pytest.mark.parametrize(
    ("role", "permissions"),
    [(Role.COHOST, {"view", "run", "rehearse"}), (Role.VIEWER, {"view"}), (None, set())],
)
def test_role_gives_permissions(role: Role | None, permissions: set[EventPermission], ada: User) -> None:
    create_event(ada, "Own", ("North", "South"))
    owner = User.objects.create_user("bob")
    theirs = create_event(owner, "Theirs", ("North", "South"))
    other = create_event(owner, "Another", ("North", "South"))
    if role:
        Member.objects.create(event=theirs, user=ada, role=role)
    browser = logged_in_client()
    assert {one for one in get_args(EventPermission) if may(browser, theirs.pk, one)} == permissions
    assert not may(browser, other.pk, "view")
    found = find_access(browser.cookies["sessionid"].value, theirs.pk)
    assert (found and (found.name, found.role, found.user_id)) == (role and ("ada", role, ada.pk))
