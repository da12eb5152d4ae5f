"""The language of an account: pages after a login, and e-mails."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.accounts.models import AccountLanguage, QueuedMail
from crowdgame.accounts.queued_mail import send_due

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]

PAGE, PASSWORD = "/console/language/", "correct horse battery"


@pytest.fixture
def ola() -> User:
    return User.objects.create_user("ola", "ola@example.org", PASSWORD)


def test_language_of_account_follows_to_another_device(client: Client, ola: User) -> None:
    AccountLanguage.objects.create(user=User.objects.create_user("per"), language="ar")
    client.force_login(ola)
    assert (
        '<option value="fr" selected>' in client.get(PAGE, headers={"accept-language": "fr"}).content.decode()
    )
    saved = client.post(PAGE, {"language": "de"}, headers={"accept-language": "fr"})
    assert (saved.status_code, saved.cookies["language"].value) == (302, "de")
    other = Client(headers={"accept-language": "fr"})
    other.post("/console/login/", {"login": "ola", "password": PASSWORD})
    assert other.cookies["language"].value == "de"
    assert '<html lang="de">' in other.get("/console/").content.decode()


def test_unknown_language_is_refused(client: Client, ola: User) -> None:
    client.force_login(ola)
    assert client.post(PAGE, {"language": "tlh"}).status_code == 400
    assert not AccountLanguage.objects.exists()


def test_the_page_needs_a_login(client: Client) -> None:
    assert client.get(PAGE).headers["Location"].startswith("/console/login/")


def test_mail_is_in_the_language_of_the_account(client: Client, ola: User, settings: Settings) -> None:
    settings.EMAIL_ENABLED = True
    EmailAddress.objects.create(user=ola, email=ola.email, verified=True, primary=True)
    AccountLanguage.objects.create(user=ola, language="de")
    client.post("/console/password/reset/", {"email": ola.email}, headers={"accept-language": "fr"})
    send_due()
    assert "Zurücksetzen" in str(QueuedMail.objects.get().message)
