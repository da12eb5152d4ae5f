from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.maintenance.retention import purge_addresses
from crowdgame.play.notifications import addresses, due_notifications
from crowdgame.play.notifications import email as notification_email
from crowdgame.play.notifications.due_notifications import LEASE
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from crowdgame.server.config.mail_settings import mail_server
from crowdgame.server.laptop.network import free_port
from tests.crowdgame.play.notifications.conftest import EMAIL, guest_with_address, links, send_all, submit
from tests.mailbox import Mailbox
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import abort_match
from voting.models import Event
from voting.turns import tasks
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_address_is_confirmed_only_by_post(box: BallotBox, mailbox: Mailbox) -> None:
    client, _ = guest_with_address()
    assert "We sent an e-mail" in client.get("/play/account").content.decode()
    german = Client(headers={"accept-language": "de"})
    german.post("/play/new")
    submit(german, "bob@example.org")
    send_due(box)
    send_due(box)
    assert sorted(mail["To"] for mail in mailbox.mails) == [EMAIL, "bob@example.org"]
    assert ["E-Mail-Adresse" in mail["Subject"] for mail in mailbox.mails] == [False, True]
    EmailAddress.objects.filter(email="bob@example.org").delete()
    mail_links = links(mailbox.mails[0])
    opened = Client().get(mail_links["confirm"])  # as a mail provider's link scanner does
    assert (opened.status_code, EMAIL in opened.content.decode()) == (200, True)
    assert EmailAddress.objects.get().confirmed_at is None
    Client().post(mail_links["confirm"])
    confirmed_at = EmailAddress.objects.get().confirmed_at
    assert confirmed_at
    Client().post(mail_links["confirm"])
    assert EmailAddress.objects.get().confirmed_at == confirmed_at


@pytest.mark.parametrize("path", ["/play/mail/delete", "/play/data"])
def test_guests_change_only_their_own_address(path: str, box: BallotBox, mailbox: Mailbox) -> None:
    (other, _), (client, _) = guest_with_address("bob@example.org"), guest_with_address()
    submit(client, "ada@example.net")
    send_due(box)
    mails = {mail["To"]: mail for mail in mailbox.mails}
    assert mails.keys() == {"bob@example.org", "ada@example.net"}
    client.post(links(mails["ada@example.net"])["confirm"])
    confirmed = dict(EmailAddress.objects.exclude(confirmed_at=None).values_list("email", "guest"))
    assert confirmed.keys() == {"ada@example.net"}
    assert "ada@example.net" not in other.get("/play/account").content.decode()
    client.post(path, {"ask": "delete", "sure": "on"})
    assert EmailAddress.objects.get().email == "bob@example.org"


def test_confirmations_are_limited(box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    hour = timezone.now()  # the limit is per hour of the clock
    monkeypatch.setattr(addresses, "timezone", SimpleNamespace(now=lambda: hour))
    first, other, third = guest_with_address()[0], Client(), Client()
    first.post("/play/mail/delete")
    for client in (other, third):
        client.post("/play/new")
    for client in (first, other):
        refused = submit(client, EMAIL.upper())
        assert (refused.status_code, "already sent today" in refused.content.decode()) == (400, True)
    monkeypatch.setattr(addresses, "MAX_CONFIRMATIONS_PER_HOUR", 2)
    assert submit(other, "bob@example.org").status_code == 302
    assert "Too many" in submit(third, "eve@example.org").content.decode()
    assert EmailAddress.objects.get().email == "bob@example.org"
    hour += timedelta(hours=1)
    assert submit(third, "eve@example.org").status_code == 302


def test_confirm_link_is_bound(box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    client, _ = guest_with_address()
    send_due(box)
    mail_links, owner = links(mailbox.mails[0]), EmailAddress.objects.get().guest
    assert client.post(mail_links["stop"].replace("stop", "confirm")).status_code == 410
    for other in ({"email": "eve@example.org"}, {"email": EMAIL, "guest": new_guest()}):
        EmailAddress.objects.update(**other)  # another row with the same primary key
        assert client.post(mail_links["confirm"]).status_code == 410
    EmailAddress.objects.update(guest=owner)
    with monkeypatch.context() as patch:
        patch.setattr(addresses, "CONFIRM_MAX_AGE", timedelta(seconds=-1))
        assert client.post(mail_links["confirm"]).status_code == 410
    assert EmailAddress.objects.get().confirmed_at is None
    Client().post(mail_links["confirm"], {"no": "1"})
    assert not EmailAddress.objects.exists()


@pytest.mark.usefixtures("mailbox")
def test_purge_addresses_deletes_unconfirmed_and_unused_addresses(box: BallotBox) -> None:
    guest_with_address()
    send_due(box)
    long_ago = timezone.now() - timedelta(days=3)
    EmailAddress.objects.update(confirmed_at=timezone.now(), asked_at=long_ago)
    unconfirmed = Guest.objects.create(number=1)
    EmailAddress.objects.create(guest=unconfirmed, email=EMAIL)
    assert purge_addresses() == 0
    EmailAddress.objects.filter(guest=unconfirmed).update(asked_at=long_ago)
    assert purge_addresses() == 1
    EmailAddress.objects.update(confirmed_at=timezone.now() - timedelta(days=366))
    assert purge_addresses() == 0
    Event.objects.update(created_at=timezone.now() - timedelta(days=366))
    playing = start_match(Event.objects.get().pk, box)
    assert purge_addresses() == 0
    abort_match(playing, box.now())
    assert purge_addresses() == 2  # with a notification


@pytest.mark.usefixtures("player")
def test_dispatcher_arms_once_when_notification_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    armed: list[bool] = []
    monkeypatch.setattr(tasks, "send_task", lambda _: armed.append(True))
    dispatcher = tasks.DueTask(notification_email.SEND_NOTIFICATIONS, notification_email.is_due)
    dispatcher()
    assert armed == []
    EmailNotification.objects.update(due_at=timezone.now())
    dispatcher()
    dispatcher()
    assert armed == [True]


@pytest.mark.parametrize(("refusal", "kept"), [("554 not this one", 0), ("451 later", 1)])
def test_refused_mail_delays_no_other(refusal: str, kept: int, box: BallotBox, mailbox: Mailbox) -> None:
    for email in (EMAIL, "=?utf-8?b?YQ0KYg==?=@example.org", "bob@example.org"):
        guest_with_address(email)
    mailbox.rejected_recipients = {EMAIL: refusal}
    send_all(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert EmailNotification.objects.count() == kept


def test_earliest_mail_goes_first(box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for email in (EMAIL, "bob@example.org"):
        guest_with_address(email)
    monkeypatch.setattr(due_notifications, "SEND_BATCH_SIZE", 1)
    EmailNotification.objects.filter(address__email="bob@example.org").update(due_at="2026-01-01T00:00Z")
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]


@pytest.mark.usefixtures("player")
def test_temporary_failure_is_retried_without_logging_address(
    box: BallotBox, mailbox: Mailbox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, free_port()
    send_all(box)
    assert "no connection to the mail server: ConnectionRefusedError" in caplog.text
    settings.EMAIL_PORT = port
    for mailbox.sender_refused in ("530 who are you", "553 not from there"):  # it is misconfigured
        send_all(box)
    mailbox.sender_refused, mailbox.refusal = "", "451 later"
    send_all(box)
    assert EmailNotification.objects.get().due_at > timezone.now() + LEASE / 2
    mailbox.refusal = ""
    send_all(box)
    assert len(mailbox.mails) == 1
    assert EMAIL not in caplog.text


def test_unknown_mailbox_deletes_address_with_the_rest_of_its_batch(box: BallotBox, mailbox: Mailbox) -> None:
    guest_with_address()
    EmailNotification.objects.create(address=EmailAddress.objects.get(), due_at=timezone.now())
    mailbox.next_refusals = ["550 nobody here"]
    send_due(box)
    assert mailbox.mails == []
    assert not EmailAddress.objects.exists()


@pytest.mark.usefixtures("player")
def test_claimed_mail_is_skipped(box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = due_notifications._claim

    def claim_second(notification: EmailNotification) -> bool:
        assert claim(notification)  # by the other worker, after this one has read it
        return claim(notification)

    monkeypatch.setattr(due_notifications, "_claim", claim_second)
    send_all(box)
    assert not mailbox.mails


def test_mail_server_url_is_parsed(client: Client) -> None:
    client.post("/play/new")
    assert "mail" not in client.get("/play/account").content.decode()
    assert submit(client).status_code == 404, "without a mail server"
    for url, expected in {
        "smtp://me%40here:p%2Fw@mail.example": ("mail.example", 587, "me@here", "p/w", True, False),
        "smtps://mail.example:4650": ("mail.example", 4650, "", "", False, True),
        "smtp+plain://127.0.0.1": ("127.0.0.1", 25, "", "", False, False),
    }.items():
        assert mail_server(url) == expected
