import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

import crowdgame.settings
from crowdgame.accounts.invitations import create_invitation
from crowdgame.accounts.models import QueuedMail
from crowdgame.accounts.password_hashing import LimitedPBKDF2Hasher
from crowdgame.accounts.queued_mail import SEND_MAIL
from tests.mailbox import Mailbox, running_mail_server
from tests.queued_tasks import run_queued_tasks

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD, WRONG = "correct horse battery", "a wrong password"
KNOWN, UNKNOWN = "ada@example.org", "eve@example.org"
INSERT = 'INSERT INTO "accounts_queuedmail" '
Response = tuple[int, str, set[str], str]


@pytest.fixture(autouse=True)
def mailbox(settings: Any, valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """A server that sends mail, and its organizers."""
    settings.EMAIL_ENABLED, settings.PUBLIC_URL = True, "https://play.example.org"
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
    settings.PASSWORD_HASHERS = crowdgame.settings.PASSWORD_HASHERS
    monkeypatch.setattr(LimitedPBKDF2Hasher, "iterations", 1_000)
    User.objects.create_user("ada", KNOWN, PASSWORD)
    User.objects.create_user("otto", "otto@example.org")  # logs in through a provider: has no password
    User.objects.create_user("mia@example.org", "mia@example.org", PASSWORD)
    with running_mail_server(settings) as mailbox:
        yield mailbox


@pytest.fixture
def hashes(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    done: list[int] = []
    module: Any = hashers
    pbkdf2 = module.pbkdf2

    def recorded(password: str, salt: str, iterations: int, **options: Any) -> Any:
        done.append(iterations)
        return pbkdf2(password, salt, iterations, **options)

    monkeypatch.setattr(module, "pbkdf2", recorded)
    return done


def visible(response: Any, *typed: str) -> Response:
    """What a browser learns, without what was typed into the form and without the CSRF token."""
    page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())
    for text in typed:
        page = page.replace(text, "…")
    return response.status_code, response.headers.get("Location", ""), set(response.cookies), page


def log_in(name: str) -> Response:
    return visible(Client().post("/console/login/", {"login": name, "password": WRONG}), name)


def reset(email: str) -> list[Response]:
    client = Client()
    posted = client.post("/console/password/reset/", {"email": email})
    return [visible(one, email) for one in (posted, client.get(posted.headers["Location"]))]


def sign_up(name: str, email: str) -> list[Response]:
    """Sign up with a new invitation, and look at the pages that follow."""
    client = Client()
    client.get(f"/console/invitation/{create_invitation('Somebody')}/")
    form = {"username": name, "email": email, "password1": PASSWORD}
    responses = [client.post("/console/signup/", form)]
    responses += [client.get(path) for path in ("/console/confirm-email/", "/console/", "/console/signup/")]
    return [visible(one, email, name) for one in responses]


@pytest.mark.parametrize("known", ["ada", "ADA", "otto", KNOWN, "mia@example.org"])
def test_login_does_not_reveal_who_has_an_account(known: str, hashes: list[int]) -> None:
    unknown = "eve" if "@" not in known else UNKNOWN
    assert log_in(known) == log_in(unknown)
    assert len(hashes) == 2
    assert len(set(hashes)) == 1


def test_reset_does_not_reveal_who_has_an_account(hashes: list[int], mailbox: Mailbox) -> None:
    with CaptureQueriesContext(connection) as for_known:
        known = reset(KNOWN)
    with CaptureQueriesContext(connection) as for_unknown:
        assert known == reset(UNKNOWN)
    assert [query["sql"].partition("(")[0] for query in (*for_known, *for_unknown)] == [INSERT] * 2
    assert (hashes, mailbox.mails) == ([], [])
    run_queued_tasks(SEND_MAIL)
    assert [mail["To"] for mail in mailbox.mails] == [KNOWN]
    assert not QueuedMail.objects.exists()


def test_sign_up_does_not_reveal_which_address_has_an_account(hashes: list[int], mailbox: Mailbox) -> None:
    """The invitation is spent in both cases: otherwise its holder could try many addresses."""
    known = sign_up("eve", KNOWN)
    hashes_for_known, hashes[:] = list(hashes), []
    assert known == sign_up("eva", UNKNOWN)
    assert hashes_for_known == hashes != []
    assert not User.objects.filter(username="eve").exists()
    assert run_queued_tasks(SEND_MAIL) == 2
    assert {mail["To"] for mail in mailbox.mails} == {KNOWN, UNKNOWN}
