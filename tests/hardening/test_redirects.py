"""Logins and forms of an account: no redirect to another site by `next`, and no session fixation."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from crowdgame.accounts.invitations import create_invitation
from crowdgame.accounts.login_links import login_link_path

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

PASSWORD = "correct horse battery"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
OWN = "/console/new/"


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", "ada@example.org", PASSWORD)


def log_in(client: Client, after: str) -> Any:
    return client.post("/console/login/", {"login": "ada", "password": PASSWORD, "next": after})


def log_in_by_query(client: Client, after: str) -> Any:
    return client.post(f"/console/login/?next={quote(after)}", {"login": "ada", "password": PASSWORD})


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
    assert re.match(r"/[^/\\]", response.headers["Location"]), response.headers["Location"]


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
    assert flow(Client(), OWN).headers["Location"] == OWN
