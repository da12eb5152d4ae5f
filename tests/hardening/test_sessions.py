import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, get_args
from urllib.parse import quote

import pytest
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from crowdgame.accounts.invitations import create_invitation
from crowdgame.accounts.login_links import login_link_path
from crowdgame.events.models import Member
from crowdgame.events.permissions import EventPermission, find_access
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.consoles import open_console
from voting.events import create_event
from voting.models import Event
from voting.protocol import CloseCode, Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

PASSWORD = "correct horse battery"
LOGIN = {"login": "ada", "password": PASSWORD}
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", "ada@example.org", PASSWORD)


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


def test_session_ends_on_password_change_and_after_twelve_hours(ada: User, event: Event) -> None:
    browsers = [logged_in_client(), logged_in_client()]
    assert all(may(browser, event.pk, "run") for browser in browsers)
    ada.set_password(PASSWORD)
    ada.save()
    assert not any(may(browser, event.pk, "run") for browser in browsers)
    assert [browser.get("/console/").status_code for browser in browsers] == [302, 302]
    browser = logged_in_client()
    left = Session.objects.get(session_key=browser.cookies["sessionid"].value).expire_date - timezone.now()
    assert timedelta(hours=11, minutes=59) < left <= timedelta(hours=12)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not may(browser, event.pk, "view")
    assert browser.get("/console/").status_code == 302


def test_session_survives_secret_rotation_with_fallback(event: Event, settings: Any) -> None:
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


@pytest.mark.parametrize(
    ("role", "permissions"),
    [(Role.COHOST, {"view", "run", "rehearse"}), (Role.VIEWER, {"view"}), (None, set())],
)
def test_role_gives_permissions_on_its_event_and_superusers_have_all(
    role: Role | None, permissions: set[EventPermission], ada: User
) -> None:
    create_event(ada, "Own", ("North", "South"))
    owner = User.objects.create_user("bob")
    theirs = create_event(owner, "Theirs", ("North", "South"))
    other = create_event(owner, "Another", ("North", "South"))
    if role:
        Member.objects.create(event=theirs, user=ada, role=role)
    browser = logged_in_client()
    assert {one for one in get_args(EventPermission) if may(browser, theirs.pk, one)} == permissions
    assert not may(browser, other.pk, "view")
    for wrong in (None, "", "0" * 32, "x", "../../etc/passwd"):
        assert find_access(wrong, theirs.pk) is None
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    assert may(root, theirs.pk, "rehearse")
    found = find_access(browser.cookies["sessionid"].value, theirs.pk)
    assert (found and (found.name, found.role, found.user_id)) == (role and ("ada", role, ada.pk))


def test_console_action_after_session_end_is_refused(server: Server, clients: SocketClients) -> None:
    server.ask("abort_all_matches")  # events of other tests must not change anything meanwhile
    console = open_console(server, clients, server.ask("event", owner="presses")["code"], "presses")
    console.say("action.ask", id=1, action="lobby.open").receive("action.done", id=1)
    server.ask("log_out", name="presses")
    before = server.contents()
    with suppress(ConnectionClosed):  # the gateway may have noticed the end before it reads the action
        console.say("action.ask", id=2, action="match.start")
    assert console.closed() == CloseCode.NOT_ALLOWED
    refused = [message["text"] for message in console.received if message["type"] == "action.refused"]
    assert refused in ([], ["You don't have permission to do this."])
    assert server.contents() == before


def test_idle_console_is_closed_soon_after_session_end(server: Server, clients: SocketClients) -> None:
    endings = ("log_out", "deactivate", "give_away_events")
    codes = [server.ask("event", owner=f"looks-{ending}")["code"] for ending in endings]
    ways = zip(endings, codes, strict=True)
    consoles = [open_console(server, clients, code, f"looks-{ending}") for ending, code in ways]
    for ending in endings:
        server.ask(ending, name=f"looks-{ending}")
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(endings)


def log_in(client: Client, after: str) -> Any:
    return client.post("/console/login/", LOGIN | {"next": after})


def log_in_by_query(client: Client, after: str) -> Any:
    return client.post(f"/console/login/?next={quote(after)}", LOGIN)


def log_in_with_second_factor(client: Client, after: str) -> Any:
    TOTP.activate(User.objects.get(), SECRET)
    log_in(client, after)
    code = format_hotp_value(hotp_value(SECRET, next(yield_hotp_counters_from_time())))
    return client.post("/console/2fa/authenticate/", {"code": code, "next": after})


def visit_login_when_logged_in(client: Client, after: str) -> Any:
    client.force_login(User.objects.get())
    return client.get("/console/login/", {"next": after})


def log_in_by_link(client: Client, after: str) -> Any:
    return client.post(login_link_path(User.objects.get()), {"next": after})


def sign_up(client: Client, after: str) -> Any:
    client.get(f"/console/invitation/{create_invitation('Olga')}/", {"next": after})
    form = {"username": "olga", "password1": PASSWORD, "next": after}
    return client.post("/console/signup/", form)


def log_out(client: Client, after: str) -> Any:
    client.force_login(User.objects.get())
    return client.post("/console/logout/", {"next": after})


def reauthenticate(client: Client, after: str) -> Any:
    log_in(client, "")
    return client.post("/console/reauthenticate/", {"password": PASSWORD, "next": after})


def change_password(client: Client, after: str) -> Any:
    log_in(client, "")
    new = "another horse battery"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new, "next": after}
    return client.post("/console/password/change/", form)


FOLLOWING = (log_in, log_in_by_query, log_in_with_second_factor, sign_up, log_out, reauthenticate)
FOREIGN = ["https://evil.example/", "///evil.example/", "/\\evil.example/", "http:///evil.example/"]
FOREIGN += ["javascript:alert(1)", "https://testserver@evil.example/"]


@pytest.mark.parametrize("foreign", FOREIGN)
@pytest.mark.parametrize("flow", [*FOLLOWING, visit_login_when_logged_in, log_in_by_link, change_password])
def test_account_form_redirects_to_no_other_site(flow: Callable[[Client, str], Any], foreign: str) -> None:
    response = flow(Client(), foreign)
    assert response.status_code == 302
    assert re.match(r"/[^/\\]", response.headers["Location"])


@pytest.mark.parametrize("flow", [log_in, log_in_by_link, log_in_with_second_factor, sign_up])
def test_session_from_before_the_login_does_not_become_the_login(flow: Callable[[Client, str], Any]) -> None:
    """Session fixation: an attacker plants the key of a session in the browser of somebody who logs in."""
    browser, attacker = Client(), Client()
    browser.get(f"/console/invitation/{create_invitation('Olga')}/")
    attacker.cookies["sessionid"] = planted = browser.cookies["sessionid"].value
    assert Session.objects.filter(session_key=planted).exists()
    assert flow(browser, "").headers["Location"] == "/console/"
    assert browser.get("/console/").status_code == 200
    assert browser.cookies["sessionid"].value != planted
    assert attacker.get("/console/").status_code == 302


@pytest.mark.parametrize("flow", FOLLOWING)
def test_account_form_redirects_to_a_page_of_this_site(flow: Callable[[Client, str], Any]) -> None:
    assert flow(Client(), "/console/new/").headers["Location"] == "/console/new/"
