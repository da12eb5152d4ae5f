"""A session ends with a logout, a password change or a deactivated account."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, get_args

import pytest
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.invitations import create_invitation
from crowdgame.accounts.login_links import login_link_path
from crowdgame.events.models import Member
from crowdgame.events.permissions import ROLE_PERMISSIONS, EventPermission, find_access
from voting.events import create_event
from voting.models import Event
from voting.protocol import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
LOGIN = {"login": "ada", "password": "lovelace"}


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password="lovelace")


@pytest.fixture
def event(ada: User) -> Event:
    return create_event(ada, "Gala", ("North", "South"))


def logged_in_client(ada: User) -> Client:
    browser = Client()
    assert browser.post("/console/login/", LOGIN).status_code == 302
    return browser


def may(session_key: str | None, event_id: int, permission: EventPermission) -> bool:
    found = find_access(session_key, event_id)
    return found is not None and found.may(permission)


def key(browser: Client) -> str:
    return browser.cookies["sessionid"].value


def start_session(browser: Client) -> str:
    """Open the link of an invitation. Returns the key of the session, which could be planted in a browser."""
    browser.get(f"/console/invitation/{create_invitation('Olga')}/")
    planted = key(browser)
    assert Session.objects.filter(session_key=planted).exists()
    return planted


def log_in(browser: Client, ada: User) -> None:
    assert browser.post("/console/login/", LOGIN).headers["Location"] == "/console/"


def log_in_by_link(browser: Client, ada: User) -> None:
    assert browser.post(login_link_path(ada)).headers["Location"] == "/console/"


def log_in_with_second_factor(browser: Client, ada: User) -> None:
    TOTP.activate(ada, SECRET)
    browser.post("/console/login/", LOGIN)
    code = format_hotp_value(hotp_value(SECRET, next(yield_hotp_counters_from_time())))
    assert browser.post("/console/2fa/authenticate/", {"code": code}).headers["Location"] == "/console/"


def sign_up(browser: Client, ada: User) -> None:
    form = {"username": "olga", "password1": "correct horse battery"}
    assert browser.post("/console/signup/", form).headers["Location"] == "/console/"


@pytest.mark.parametrize("enter", [log_in, log_in_by_link, log_in_with_second_factor, sign_up])
def test_session_from_before_the_login_does_not_become_the_login(
    enter: Callable[[Client, User], None], ada: User
) -> None:
    """Session fixation: an attacker plants the key of a session in the browser of somebody who logs in."""
    browser, attacker = Client(), Client()
    attacker.cookies["sessionid"] = planted = start_session(browser)
    enter(browser, ada)
    assert browser.get("/console/").status_code == 200
    assert key(browser) != planted
    assert attacker.get("/console/").status_code == 302


def test_login_rotates_session_key(ada: User) -> None:
    browser = logged_in_client(ada)
    first = key(browser)
    browser.post("/console/logout/")
    browser.post("/console/login/", LOGIN)
    assert key(browser) != first
    assert not Session.objects.filter(session_key=first).exists()


def test_session_expires_after_twelve_hours(ada: User, event: Event) -> None:
    browser = logged_in_client(ada)
    left = Session.objects.get(session_key=key(browser)).expire_date - timezone.now()
    assert timedelta(hours=11, minutes=59) < left <= timedelta(hours=12)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not may(key(browser), event.pk, "view")
    assert browser.get("/console/").status_code == 302


def test_session_ends_on_password_change(ada: User, event: Event) -> None:
    browsers = [logged_in_client(ada), logged_in_client(ada)]
    assert all(may(key(browser), event.pk, "run") for browser in browsers)
    ada.set_password("byron")
    ada.save()
    assert not any(may(key(browser), event.pk, "run") for browser in browsers)
    assert [browser.get("/console/").status_code for browser in browsers] == [302, 302]


@pytest.mark.parametrize("role", ["owner", Role.COHOST])
def test_role_counts_only_at_its_event(role: str, ada: User, event: Event) -> None:
    bob, carol = User.objects.create_user("bob"), User.objects.create_user("carol")
    other = create_event(bob, "Ball", ("East", "West"))
    Member.objects.create(event=other, user=carol, role=Role.COHOST)
    if role == Role.COHOST:
        event.owner = bob
        event.save()
        Member.objects.create(event=event, user=ada, role=role)
    browser = logged_in_client(ada)
    access = find_access(key(browser), event.pk)
    assert access is not None
    assert (access.name, access.role, access.user_id) == ("ada", role, ada.pk)
    assert find_access(key(browser), other.pk) is None


def test_session_survives_secret_rotation_with_fallback(ada: User, event: Event, settings: Any) -> None:
    browser = logged_in_client(ada)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert may(key(browser), event.pk, "run")
    settings.SECRET_KEY_FALLBACKS = []
    assert not may(key(browser), event.pk, "run")


@pytest.mark.parametrize("ended", ["logout", "deactivated", "given away"])
def test_permissions_end_at_once_with_session_or_ownership(ended: str, ada: User, event: Event) -> None:
    browser = logged_in_client(ada)
    kept = key(browser)
    assert may(kept, event.pk, "run")
    if ended == "logout":
        browser.post("/console/logout/")
    elif ended == "deactivated":
        User.objects.update(is_active=False)
    else:
        Event.objects.update(owner=User.objects.create_user("bob"))
    assert not may(kept, event.pk, "run")


def test_deactivated_account_opens_no_page_and_cannot_log_in(ada: User, event: Event) -> None:
    browser = logged_in_client(ada)
    pages = ("/console/", f"/console/{event.code}/", f"/console/{event.code}/edit/", "/admin/")
    User.objects.update(is_active=False)
    assert [browser.get(page).status_code for page in pages] == [302] * len(pages)
    refused = Client().post("/console/login/", LOGIN)
    assert (refused.status_code, refused.headers["Location"]) == (302, "/console/inactive/")


def test_invalid_session_has_no_permissions(event: Event) -> None:
    for wrong in (None, "", "0" * 32, "x", "../../etc/passwd"):
        assert not may(wrong, event.pk, "view")


def test_superuser_has_permissions_on_every_event(event: Event) -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    assert may(key(browser), event.pk, "rehearse")


@pytest.mark.parametrize(
    ("role", "permissions"),
    [(Role.COHOST, {"view", "run", "rehearse"}), (Role.VIEWER, {"view"}), (None, set())],
)
def test_member_has_the_permissions_of_the_role(
    role: Role | None, permissions: set[EventPermission], ada: User
) -> None:
    owner = User.objects.create_user("bob")
    theirs = create_event(owner, "Theirs", ("North", "South"))
    other = create_event(owner, "Another", ("North", "South"))
    if role:
        Member.objects.create(event=theirs, user=ada, role=role)
    kept = key(logged_in_client(ada))
    assert {
        permission for permission in get_args(EventPermission) if may(kept, theirs.pk, permission)
    } == permissions
    assert not may(kept, other.pk, "view")
    found = find_access(kept, theirs.pk)
    assert (found and found.role) == role


def test_permissions_cover_every_role() -> None:
    assert set(ROLE_PERMISSIONS) == set(Role)
    assert set(get_args(EventPermission)) == ROLE_PERMISSIONS[Role.OWNER]
