"""Organizers' accounts: invitation, sign-up, confirmation, reset, sessions, second factor."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group, Permission, User
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db.models.signals import pre_save
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.invitations import create_invitation
from crowdgame.accounts.login_links import login_link_path
from crowdgame.accounts.models import Invitation, QueuedMail
from crowdgame.accounts.queued_mail import is_due, send_due

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

Delivery = Callable[[], AbstractContextManager[None]]
PASSWORD = "correct horse battery"
PUBLIC_URL = "https://play.example.org"


@pytest.fixture
def mailing(settings: Any) -> Delivery:
    """A server that sends mails. After `with mailing():`, what was queued meanwhile is sent."""
    settings.EMAIL_ENABLED = True
    settings.PUBLIC_URL = PUBLIC_URL
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]

    @contextmanager
    def deliver() -> Iterator[None]:
        yield
        while is_due():
            send_due()

    return deliver


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", "ada@example.org", PASSWORD)


def open_invitation(**details: Any) -> Client:
    """A browser in which an invitation was opened."""
    client = Client()
    answer = client.get(f"/console/invitation/{create_invitation('Olga', **details)}/")
    assert answer.headers["Location"] == "/console/signup/"
    return client


def sign_up(client: Client, name: str = "olga", email: str = "") -> Any:
    return client.post("/console/signup/", {"username": name, "email": email, "password1": PASSWORD})


def log_in(client: Client, name: str = "ada") -> Any:
    return client.post("/console/login/", {"login": name, "password": PASSWORD})


def is_logged_in(client: Client) -> bool:
    return bool(client.get("/console/").status_code == 200)


def link_in_mail(number: int = -1) -> str:
    """The path of the link in a sent e-mail."""
    [link] = re.findall(rf"{PUBLIC_URL}\S+", str(mail.outbox[number].body))
    return str(urlsplit(link).path)


def test_nobody_signs_up_without_an_invitation() -> None:
    page = Client().get("/console/signup/")
    assert "You need an invitation" in page.content.decode()
    sign_up(Client())
    assert not User.objects.exists()


def test_anybody_signs_up_where_sign_up_is_open(settings: Any) -> None:
    settings.SIGNUP = "open"
    sign_up(Client())
    assert User.objects.exists()


def test_nobody_signs_up_with_an_invitation_once_sign_up_is_closed(settings: Any) -> None:
    client = open_invitation()
    settings.SIGNUP = "closed"
    sign_up(client)
    assert not User.objects.exists()


def test_invitation_creates_one_account_that_may_create_events() -> None:
    client = open_invitation()
    assert sign_up(client).status_code == 302
    assert is_logged_in(client)
    assert client.get("/console/new/").status_code == 200
    olga = User.objects.get()
    assert (olga.username, olga.is_staff, olga.is_superuser) == ("olga", False, False)
    sign_up(client, "otto")
    assert User.objects.count() == 1


def test_invitation_link_is_gone_once_it_is_used_withdrawn_or_expired(ada: User) -> None:
    used, withdrawn, expired = (create_invitation(name) for name in ("used", "withdrawn", "expired"))
    Invitation.objects.filter(name="used").update(used_at=timezone.now())
    Invitation.objects.filter(name="withdrawn").delete()
    Invitation.objects.filter(name="expired").update(expires_at=timezone.now())
    for token in (used, withdrawn, expired, "guess"):
        assert Client().get(f"/console/invitation/{token}/").status_code == 410


def test_two_browsers_cannot_use_the_same_invitation() -> None:
    token = create_invitation("Olga")
    browsers = [Client(), Client()]
    for browser in browsers:
        browser.get(f"/console/invitation/{token}/")
    sign_up(browsers[0], "olga")
    sign_up(browsers[1], "otto")
    assert [user.username for user in User.objects.all()] == ["olga"]


def test_invitation_that_is_spent_during_sign_up_creates_no_account() -> None:
    client = open_invitation()

    def spend(**_: object) -> None:
        Invitation.objects.update(used_at=timezone.now())

    pre_save.connect(spend, User)
    try:
        sign_up(client)
    finally:
        pre_save.disconnect(spend, User)
    assert not User.objects.exists()


def test_first_administrator_is_invited_by_command(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("invite", "Olga", "--administrator", "--first", "--base-url", PUBLIC_URL)
    client = Client()
    client.get(urlsplit(capsys.readouterr().out.strip()).path)
    sign_up(client)
    assert User.objects.get().is_superuser
    assert client.get("/console/invitations/").status_code == 200
    call_command("invite", "Otto", "--administrator", "--first", "--base-url", PUBLIC_URL)
    assert capsys.readouterr().out == ""


def test_invite_command_reports_what_is_wrong(settings: Any) -> None:
    with pytest.raises(CommandError, match="PUBLIC_URL"):
        call_command("invite", "Olga")
    with pytest.raises(ImproperlyConfigured, match="--base-url must be the scheme and the host"):
        call_command("invite", "Olga", "--base-url", "play.example.org")
    with pytest.raises(CommandError, match="valid email"):
        call_command("invite", "Olga", "--base-url", PUBLIC_URL, "--email", "olga")
    settings.SIGNUP = "closed"
    with pytest.raises(CommandError, match="SIGNUP is closed"):
        call_command("invite", "Olga", "--base-url", PUBLIC_URL)


def test_only_administrators_invite_and_withdraw(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    assert client.get("/console/invitations/").status_code == 404
    assert "/console/invitations/" not in client.get("/console/").content.decode()
    User.objects.update(is_superuser=True)
    for name, gone in (("used", {"used_at": timezone.now()}), ("expired", {"expires_at": timezone.now()})):
        create_invitation(name)
        Invitation.objects.filter(name=name).update(**gone)
    assert "No open invitations" in client.get("/console/invitations/").content.decode()
    assert "/console/invitations/" in client.get("/console/").content.decode()
    page = client.post("/console/invitations/", {"ask": "invite", "name": "Olga"}).content.decode()
    link = re.search(r'value="(http://testserver/console/invitation/[^"]+)"', page)
    assert link
    assert client.post("/console/invitations/", {"ask": "invite", "name": ""}).status_code == 400
    client.post("/console/invitations/", {"revoke": str(Invitation.objects.latest("pk").pk)})
    assert Client().get(urlsplit(link[1]).path).status_code == 410


def test_sign_up_confirms_the_address_by_mail_to_the_public_url(mailing: Delivery) -> None:
    client = open_invitation()
    form = {"username": "olga", "email": "olga@example.org", "password1": PASSWORD}
    with mailing():
        client.post("/console/signup/", form, headers={"host": "localhost"})  # allowed, but not public
    assert not is_logged_in(client)
    assert log_in(client, "olga").headers["Location"] == "/console/confirm-email/"
    path = link_in_mail(0)
    client.get(path)
    client.post(path)
    assert log_in(client, "olga").headers["Location"] == "/console/"


@pytest.mark.usefixtures("mailing")
def test_address_of_the_invitation_counts_as_confirmed() -> None:
    client = open_invitation(email="olga@example.org")
    sign_up(client, email="olga@example.org")
    assert is_logged_in(client)
    other = open_invitation(email="otto@example.org")
    sign_up(other, "otto", email="other@example.org")
    verified = EmailAddress.objects.filter(user__username="otto").values_list("email", "verified")
    assert dict(verified) == {"otto@example.org": True, "other@example.org": False}


def test_reset_link_works_once_and_ends_all_sessions(ada: User, mailing: Delivery) -> None:
    elsewhere, client = Client(), Client()
    log_in(elsewhere)
    assert is_logged_in(elsewhere)
    with mailing():
        client.post("/console/password/reset/", {"email": "ada@example.org"}, headers={"host": "localhost"})
    path = link_in_mail()
    form_path = client.get(path).headers["Location"]
    client.post(form_path, {"password1": "another horse", "password2": "another horse"})
    ada.refresh_from_db()
    assert ada.check_password("another horse")
    assert not is_logged_in(elsewhere)
    assert Client().get(path).status_code == 200, "no redirect to the form: the link is used"


def test_reset_without_mail_names_the_command() -> None:
    assert "reset_link" in Client().get("/console/password/reset/").content.decode()


def test_reset_link_by_command_works_without_mail(ada: User, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("reset_link", "ada", "--base-url", PUBLIC_URL)
    client = Client()
    form_path = client.get(urlsplit(capsys.readouterr().out.strip()).path).headers["Location"]
    client.post(form_path, {"password1": "another horse", "password2": "another horse"})
    ada.refresh_from_db()
    assert ada.check_password("another horse")
    with pytest.raises(CommandError, match="no active account"):
        call_command("reset_link", "nobody", "--base-url", PUBLIC_URL)


def test_page_of_addresses_works_without_mail(ada: User) -> None:
    client = Client()
    log_in(client)
    client.post("/console/reauthenticate/", {"password": PASSWORD})
    assert client.post("/console/email/", {"action_add": "", "email": "new@example.org"}).status_code == 302
    assert not QueuedMail.objects.exists()


def test_address_is_not_changed_without_entering_the_password_again(ada: User) -> None:
    client = Client()
    log_in(client)
    answer = client.post("/console/email/", {"action_add": "", "email": "thief@example.org"})
    assert answer.headers["Location"].startswith("/console/reauthenticate/")
    assert not EmailAddress.objects.filter(email="thief@example.org").exists()


def test_session_outlives_the_browser(ada: User) -> None:
    client = Client()
    log_in(client)
    assert client.cookies["sessionid"]["max-age"] == 12 * 3600


def test_sessions_are_listed_and_others_ended(ada: User) -> None:
    here, elsewhere = Client(headers={"user-agent": "Here"}), Client(headers={"user-agent": "Elsewhere"})
    log_in(here)
    log_in(elsewhere)
    page = here.get("/console/sessions/").content.decode()
    assert "Here" in page
    assert "Elsewhere" in page
    here.post("/console/sessions/")
    assert (is_logged_in(here), is_logged_in(elsewhere)) == (True, False)


def test_session_of_a_deactivated_organizer_stays_ended_after_reactivation(ada: User) -> None:
    User.objects.create_user("bob", password=PASSWORD)
    client, other = Client(), Client()
    log_in(client)
    log_in(other, "bob")
    ada.first_name = "Ada"
    ada.save()
    assert is_logged_in(client)
    ada.is_active = False
    ada.save()
    ada.is_active = True
    ada.save()
    assert not is_logged_in(client)
    assert is_logged_in(other)
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
