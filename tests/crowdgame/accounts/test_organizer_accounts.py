import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db.models.signals import pre_save
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.account_changes import delete_ended_sessions
from crowdgame.accounts.invitations import create_invitation
from crowdgame.accounts.login_links import login_link_path
from crowdgame.accounts.models import AccountLanguage, Invitation, QueuedMail
from crowdgame.accounts.queued_mail import is_due, send_due

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

PASSWORD = "correct horse battery"
PUBLIC_URL = "https://play.example.org"
INVITATIONS = "/console/invitations/"


@pytest.fixture
def mailing(settings: Any) -> None:
    settings.EMAIL_ENABLED, settings.PUBLIC_URL = True, PUBLIC_URL
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", "ada@example.org", PASSWORD)


def open_invitation(**details: Any) -> Client:
    client = Client()
    answer = client.get(f"/console/invitation/{create_invitation('Olga', **details)}/")
    assert answer.headers["Location"] == "/console/signup/"
    return client


def sign_up(client: Client, name: str = "olga", email: str = "", host: str = "testserver") -> Any:
    form = {"username": name, "email": email, "password1": PASSWORD}
    return client.post("/console/signup/", form, headers={"host": host})


def log_in(client: Client, name: str = "ada") -> Any:
    return client.post("/console/login/", {"login": name, "password": PASSWORD})


def is_logged_in(client: Client) -> bool:
    return bool(client.get("/console/").status_code == 200)


def sent_link(mailoutbox: list[Any]) -> str:
    """Send the queued mails. Returns the path of the link in the first one."""
    while is_due():
        send_due()
    [link] = re.findall(rf"{PUBLIC_URL}\S+", str(mailoutbox[0].body))
    return str(urlsplit(link).path)


@pytest.mark.parametrize(
    ("setting", "invited", "allowed"),
    [
        ("invitation", False, False),
        ("open", False, True),
        ("closed", True, False),
        ("invitation", True, True),
    ],
)
def test_sign_up_needs_an_invitation(setting: str, invited: bool, allowed: bool, settings: Any) -> None:
    client = open_invitation() if invited else Client()
    settings.SIGNUP = setting
    page = client.get("/console/signup/").content.decode()
    assert ("You need an invitation" in page) == (not allowed)
    sign_up(client)
    assert (client.get("/console/new/").status_code == 200) == is_logged_in(client) == allowed
    sign_up(client, "otto")
    accounts = [(user.username, user.is_staff, user.is_superuser) for user in User.objects.all()]
    assert accounts == ([("olga", False, False)] if allowed else [])


def test_invitation_that_is_spent_during_sign_up_creates_no_account() -> None:
    def spend(**_: object) -> None:
        Invitation.objects.update(used_at=timezone.now())

    client = open_invitation()
    pre_save.connect(spend, User)
    try:
        sign_up(client)
    finally:
        pre_save.disconnect(spend, User)
    assert not User.objects.exists()


def test_first_administrator_is_invited_by_command(capsys: pytest.CaptureFixture[str], settings: Any) -> None:
    first = ("invite", "Olga", "--administrator", "--first", "--base-url", PUBLIC_URL)
    call_command(*first)
    client = Client()
    client.get(urlsplit(capsys.readouterr().out.strip()).path)
    sign_up(client)
    assert User.objects.get().is_superuser
    assert client.get(INVITATIONS).status_code == 200
    call_command(*first)
    assert capsys.readouterr().out == ""
    for signup, options, error in [
        ("open", (), "PUBLIC_URL"),
        ("open", ("--base-url", "play.example.org"), "--base-url must be the scheme and the host"),
        ("open", ("--base-url", PUBLIC_URL, "--email", "olga"), "valid e-mail"),
        ("closed", ("--base-url", PUBLIC_URL), "SIGNUP is closed"),
    ]:
        settings.SIGNUP = signup
        with pytest.raises((CommandError, ImproperlyConfigured), match=error):
            call_command("invite", "Olga", *options)


def test_only_administrators_invite_and_withdraw_and_link_is_gone_once_used_or_expired(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    assert client.get(INVITATIONS).status_code == 404
    assert INVITATIONS not in client.get("/console/").content.decode()
    User.objects.update(is_superuser=True)
    tokens = [create_invitation(name) for name in ("used", "expired")]
    Invitation.objects.filter(name="used").update(used_at=timezone.now())
    Invitation.objects.filter(name="expired").update(expires_at=timezone.now())
    assert "No open invitations" in client.get(INVITATIONS).content.decode()
    assert INVITATIONS in client.get("/console/").content.decode()
    page = client.post(INVITATIONS, {"ask": "invite", "name": "Olga"}).content.decode()
    [path] = re.findall(r'value="http://testserver(/console/invitation/[^"]+)"', page)
    assert client.post(INVITATIONS, {"ask": "invite", "name": ""}).status_code == 400
    assert Client().get(path).status_code == 302
    client.post(INVITATIONS, {"revoke": str(Invitation.objects.latest("pk").pk)})
    for gone in (path, *(f"/console/invitation/{token}/" for token in (*tokens, "guess"))):
        assert Client().get(gone).status_code == 410


@pytest.mark.usefixtures("mailing")
def test_sign_up_confirms_address_by_mail_unless_it_is_the_invited_one(mailoutbox: list[Any]) -> None:
    client = open_invitation()
    sign_up(client, email="olga@example.org", host="localhost")  # allowed, but not public
    assert not is_logged_in(client)
    path = sent_link(mailoutbox)
    assert log_in(client, "olga").headers["Location"] == "/console/confirm-email/"
    client.get(path)
    client.post(path)
    assert log_in(client, "olga").headers["Location"] == "/console/"
    invited, other = (open_invitation(email=f"{name}@example.org") for name in ("otto", "ada"))
    sign_up(invited, "otto", email="otto@example.org")
    assert is_logged_in(invited)
    sign_up(other, "ada", email="other@example.org")
    verified = EmailAddress.objects.filter(user__username="ada").values_list("email", "verified")
    assert dict(verified) == {"ada@example.org": True, "other@example.org": False}


@pytest.mark.usefixtures("mailing")
def test_reset_link_works_once_and_ends_all_sessions(ada: User, mailoutbox: list[Any], settings: Any) -> None:
    elsewhere, client = Client(), Client()
    log_in(elsewhere)
    assert elsewhere.cookies["sessionid"]["max-age"] == 12 * 3600
    client.post("/console/password/reset/", {"email": ada.email}, headers={"host": "localhost"})
    path = sent_link(mailoutbox)
    form_path = client.get(path).headers["Location"]
    client.post(form_path, {"password1": "another horse", "password2": "another horse"})
    ada.refresh_from_db()
    assert ada.check_password("another horse")
    assert not is_logged_in(elsewhere)
    assert Client().get(path).status_code == 200, "no redirect to the form: the link is used"
    settings.EMAIL_ENABLED = False
    assert "reset_link" in client.get("/console/password/reset/").content.decode()


def test_address_is_changed_only_after_entering_the_password_again(ada: User) -> None:
    client, added = Client(), {"action_add": "", "email": "new@example.org"}
    log_in(client)
    answer = client.post("/console/email/", added)
    assert answer.headers["Location"].startswith("/console/reauthenticate/")
    assert not EmailAddress.objects.filter(email="new@example.org").exists()
    client.post("/console/reauthenticate/", {"password": PASSWORD})
    assert client.post("/console/email/", added).status_code == 302
    assert EmailAddress.objects.filter(email="new@example.org").exists()
    assert not QueuedMail.objects.exists()


def test_session_of_a_deactivated_organizer_stays_ended_after_reactivation(ada: User) -> None:
    User.objects.create_user("bob", password=PASSWORD)
    client, other = Client(), Client()
    log_in(client)
    log_in(other, "bob")
    ada.save()
    assert is_logged_in(client)
    for ada.is_active in (False, True):
        ada.save()
    assert (is_logged_in(client), is_logged_in(other)) == (False, True)
    assert UserSession.objects.get().user.username == "bob"
    delete_ended_sessions()
    assert UserSession.objects.get().user.username == "bob"


def test_user_has_only_their_own_and_their_groups_permissions(ada: User) -> None:
    own, given, other = Permission.objects.select_related("content_type").order_by("pk")[:3]
    group = Group.objects.create(name="moderators")
    group.permissions.add(given)
    ada.groups.add(group)
    ada.user_permissions.add(own)
    User.objects.create_user("bob").user_permissions.add(other)
    names = {f"{each.content_type.app_label}.{each.codename}" for each in (own, given)}
    assert ada.get_all_permissions() == names
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert User.objects.get(pk=ada.pk).get_all_permissions() == set()


def test_second_factor_is_asked_for_after_password_and_login_link(ada: User) -> None:
    secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    TOTP.activate(ada, secret)
    client = Client()
    assert log_in(client).headers["Location"] == "/console/2fa/authenticate/"
    for page in ("/console/", "/console/sessions/", "/admin/", "/console/password/change/"):
        assert client.get(page).status_code == 302, page
    linked = Client()
    assert linked.post(login_link_path(ada)).headers["Location"] == "/console/2fa/authenticate/"
    assert not is_logged_in(linked)
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    client.post("/console/2fa/authenticate/", {"code": "000000"})
    assert not is_logged_in(client)
    client.post("/console/2fa/authenticate/", {"code": code})
    assert is_logged_in(client)


@pytest.mark.usefixtures("mailing")
def test_language_of_account_follows_to_another_device_and_mails(ada: User, mailoutbox: list[Any]) -> None:
    page, french = "/console/language/", {"accept-language": "fr"}
    client, other = Client(headers=french), Client(headers=french)
    AccountLanguage.objects.create(user=User.objects.create_user("per"), language="ar")
    assert client.get(page).headers["Location"].startswith("/console/login/")
    client.force_login(ada)
    assert client.post(page, {"language": "tlh"}).status_code == 400
    assert not AccountLanguage.objects.filter(user=ada).exists()
    assert '<option value="fr" selected>' in client.get(page).content.decode()
    saved = client.post(page, {"language": "de"})
    assert (saved.status_code, saved.cookies["language"].value) == (302, "de")
    log_in(other)
    assert other.cookies["language"].value == "de"
    assert '<html lang="de">' in other.get("/console/").content.decode()
    Client(headers=french).post("/console/password/reset/", {"email": ada.email})
    sent_link(mailoutbox)
    assert "Zurücksetzen" in mailoutbox[0].subject
