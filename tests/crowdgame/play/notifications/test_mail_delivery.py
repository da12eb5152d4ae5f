"""Delivery: due notifications, refusals and failures of the mail server, and its URL."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from crowdgame.play.notifications import due_notifications
from crowdgame.play.notifications import email as notification_email
from crowdgame.play.notifications.due_notifications import LEASE
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from crowdgame.server.config.mail_settings import mail_server
from crowdgame.server.laptop.network import free_port
from tests.crowdgame.play.notifications.conftest import EMAIL, guest_with_address, send_all
from tests.mailbox import Mailbox
from voting.ballot_box.ballot_box import BallotBox
from voting.turns import tasks

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize("refusal", ["530 who are you", "553 not from there"])
def test_refused_sender_keeps_notification_queued(refusal: str, box: BallotBox, mailbox: Mailbox) -> None:
    """The mail server is misconfigured; notifications stay queued."""
    guest_with_address()
    mailbox.sender_refused = refusal
    send_due(box)
    assert EmailNotification.objects.count() == 1
    mailbox.sender_refused = ""
    send_all(box)
    assert len(mailbox.mails) == 1


@pytest.mark.parametrize(("refusal", "kept"), [("554 not this one", 0), ("451 later", 1)])
def test_refused_message_does_not_delay_other_mails(
    refusal: str, kept: int, box: BallotBox, mailbox: Mailbox
) -> None:
    for email in (EMAIL, "bob@example.org"):
        guest_with_address(email)
    mailbox.rejected_recipients = {EMAIL: refusal}
    send_all(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert EmailNotification.objects.count() == kept


def test_deleted_address_receives_nothing_more_of_its_batch(box: BallotBox, mailbox: Mailbox) -> None:
    guest_with_address()
    EmailNotification.objects.create(address=EmailAddress.objects.get(), due_at=timezone.now())
    mailbox.next_refusals = ["550 nobody here"]
    send_due(box)
    assert mailbox.mails == []


def test_batches_are_limited_and_the_earliest_is_sent_first(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_notifications, "SEND_BATCH_SIZE", 1)
    for email in (EMAIL, "bob@example.org"):
        guest_with_address(email)
    EmailNotification.objects.filter(address__email="bob@example.org").update(due_at="2026-01-01T00:00Z")
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]


@pytest.mark.usefixtures("player")
def test_temporary_failure_is_retried_without_logging_address(
    box: BallotBox, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    mailbox.refusal = "451 later"
    send_all(box)
    assert EmailNotification.objects.get().due_at > timezone.now() + LEASE / 2
    mailbox.refusal = ""
    send_all(box)
    assert len(mailbox.mails) == 1
    assert EMAIL not in caplog.text


def test_unknown_mailbox_deletes_address(box: BallotBox, mailbox: Mailbox) -> None:
    guest_with_address()
    mailbox.refusal = "550 nobody here"
    send_due(box)
    assert not EmailAddress.objects.exists()


@pytest.mark.usefixtures("player")
def test_unreachable_mail_server_logs_warning_and_keeps_notification(
    box: BallotBox, mailbox: Mailbox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_PORT = free_port()
    send_all(box)
    assert "no connection to the mail server: ConnectionRefusedError" in caplog.text
    assert EmailNotification.objects.count() == 1


@pytest.mark.usefixtures("player")
def test_send_due_skips_notification_claimed_by_another_worker(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = due_notifications._claim

    def claim_second(notification: EmailNotification) -> bool:
        assert claim(notification)  # by the other worker, after this one has read it
        return claim(notification)

    monkeypatch.setattr(due_notifications, "_claim", claim_second)
    send_all(box)
    assert not mailbox.mails


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://me%40here:p%2Fw@mail.example", ("mail.example", 587, "me@here", "p/w", True, False)),
        ("smtps://mail.example:4650", ("mail.example", 4650, "", "", False, True)),
        ("smtp+plain://127.0.0.1", ("127.0.0.1", 25, "", "", False, False)),
    ],
)
def test_mail_server_url_is_parsed(url: str, expected: tuple[object, ...]) -> None:
    assert mail_server(url) == expected


@pytest.mark.parametrize("url", ["mail.example", "http://u:secret@mail.example", "smtp://"])
def test_invalid_mail_server_url_error_omits_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        mail_server(url)
    assert "secret" not in str(error.value)
