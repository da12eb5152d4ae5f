"""A session is as good as its login: it ends with it, with the password and with the account."""

from datetime import timedelta
from typing import Any, get_args

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from crowdgame.events.models import Member
from crowdgame.events.rights import REQUIRED_RIGHTS, ROLE_RIGHTS, Right, find_access, may
from games.matches import create_event
from games.models import Event
from voting.protocol import Action, Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

LOGIN = {"username": "ada", "password": "lovelace"}


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password="lovelace")


@pytest.fixture
def event(ada: User) -> Event:
    return create_event(ada, "Gala", ("North", "South"))


def entered(ada: User) -> Client:
    browser = Client()
    assert browser.post("/console/login/", LOGIN).status_code == 302
    return browser


def key(browser: Client) -> str:
    return browser.cookies["sessionid"].value


def test_a_login_has_a_key_of_its_own(ada: User) -> None:
    browser = Client()
    browser.cookies["sessionid"] = "0" * 32
    browser.post("/console/login/", LOGIN)
    first = key(browser)
    assert first != "0" * 32
    browser.post("/console/logout/")
    browser.post("/console/login/", LOGIN)
    assert key(browser) != first
    assert not Session.objects.filter(session_key=first).exists()


def test_it_ends_after_twelve_hours(ada: User, event: Event) -> None:
    browser = entered(ada)
    left = Session.objects.get(session_key=key(browser)).expire_date - timezone.now()
    assert timedelta(hours=11, minutes=59) < left <= timedelta(hours=12)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not may(key(browser), event.pk, "view")
    assert browser.get("/console/").status_code == 302


def test_a_new_password_ends_all_others(ada: User, event: Event) -> None:
    browsers = [entered(ada), entered(ada)]
    assert all(may(key(one), event.pk, "run") for one in browsers)
    ada.set_password("byron")
    ada.save()
    assert not any(may(key(one), event.pk, "run") for one in browsers)
    assert [one.get("/console/").status_code for one in browsers] == [302, 302]


def test_a_new_secret_ends_none_while_the_old_one_is_named(ada: User, event: Event, settings: Any) -> None:
    browser = entered(ada)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert may(key(browser), event.pk, "run")
    settings.SECRET_KEY_FALLBACKS = []
    assert not may(key(browser), event.pk, "run")


@pytest.mark.parametrize("ended", ["logout", "deactivated", "given away"])
def test_a_right_ends_at_once(ended: str, ada: User, event: Event) -> None:
    browser = entered(ada)
    kept = key(browser)
    assert may(kept, event.pk, "run")
    if ended == "logout":
        browser.post("/console/logout/")
    elif ended == "deactivated":
        User.objects.update(is_active=False)
    else:
        Event.objects.update(owner=User.objects.create_user("bob"))
    assert not may(kept, event.pk, "run")


def test_no_session_has_no_right(event: Event) -> None:
    for wrong in (None, "", "0" * 32, "x", "../../etc/passwd"):
        assert not may(wrong, event.pk, "view")


def test_a_superuser_may_run_every_event(event: Event) -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    assert may(key(browser), event.pk, "rehearse")


@pytest.mark.parametrize(
    ("role", "rights"),
    [("cohost", {"view", "run", "rehearse"}), ("viewer", {"view"}), (None, set())],
)
def test_a_member_may_what_the_role_says(role: Role | None, rights: set[Right], ada: User) -> None:
    owner = User.objects.create_user("bob")
    theirs = create_event(owner, "Theirs", ("North", "South"))
    other = create_event(owner, "Another", ("North", "South"))
    if role:
        Member.objects.create(event=theirs, user=ada, role=role)
    kept = key(entered(ada))
    assert {right for right in get_args(Right) if may(kept, theirs.pk, right)} == rights
    assert not may(kept, other.pk, "view")
    found = find_access(kept, theirs.pk)
    assert (found and found.role) == role


def test_every_role_has_its_rights() -> None:
    assert set(ROLE_RIGHTS) == set(get_args(Role))
    assert set(get_args(Right)) == ROLE_RIGHTS["owner"]


def test_every_press_needs_a_right() -> None:
    assert set(REQUIRED_RIGHTS) == set(Action.__args__)  # type: ignore[attr-defined]
