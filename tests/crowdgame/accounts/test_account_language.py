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


def test_language_of_account_follows_to_another_device_and_mails(client: Client, settings: Settings) -> None:
    ola = User.objects.create_user("ola", "ola@example.org", PASSWORD)
    AccountLanguage.objects.create(user=User.objects.create_user("per"), language="ar")
    assert client.get(PAGE).headers["Location"].startswith("/console/login/")
    client.force_login(ola)
    assert client.post(PAGE, {"language": "tlh"}).status_code == 400
    assert not AccountLanguage.objects.filter(user=ola).exists()
    assert (
        '<option value="fr" selected>' in client.get(PAGE, headers={"accept-language": "fr"}).content.decode()
    )
    saved = client.post(PAGE, {"language": "de"}, headers={"accept-language": "fr"})
    assert (saved.status_code, saved.cookies["language"].value) == (302, "de")
    other = Client(headers={"accept-language": "fr"})
    other.post("/console/login/", {"login": "ola", "password": PASSWORD})
    assert other.cookies["language"].value == "de"
    assert '<html lang="de">' in other.get("/console/").content.decode()
    settings.EMAIL_ENABLED = True
    EmailAddress.objects.create(user=ola, email=ola.email, verified=True, primary=True)
    Client().post("/console/password/reset/", {"email": ola.email}, headers={"accept-language": "fr"})
    send_due()
    assert "Zurücksetzen" in str(QueuedMail.objects.get().message)
