"""The dispatcher sends due notifications; a refused mail is not lost and delays no other."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.notifications import email as notification_email
from crowdgame.notifications.email import LEASE, send_due
from crowdgame.notifications.models import EmailAddress, EmailNotification
from deploy.laptop.network import free_port
from tests.crowdgame.notifications.mailbox import (
    EMAIL,
    Mailbox,
    join,
    make_notifications_due,
    player_with_address,
    submit_address,
)
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.django_db


def test_dispatcher_arms_once_when_notification_is_due(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    armed: list[bool] = []
    monkeypatch.setattr(notification_email, "send_task", lambda _: armed.append(True))
    dispatcher = notification_email.NotificationDispatcher()
    _, code = player_with_address(box, mailbox)
    join(code)
    dispatcher()
    assert armed == []
    make_notifications_due()
    dispatcher()
    dispatcher()
    assert armed == [True]


@pytest.mark.parametrize("refusal", ["530 who are you", "553 not from there"])
def test_refused_sender_keeps_notification_queued(refusal: str, box: BallotBox, mailbox: Mailbox) -> None:
    """The mail server is misconfigured; notifications stay queued."""
    client = Client()
    client.post("/play/new")
    submit_address(client)
    mailbox.sender_refused = refusal
    send_due(box)
    assert EmailNotification.objects.count() == 1
    mailbox.sender_refused = ""
    make_notifications_due()
    send_due(box)
    assert len(mailbox.mails) == 1


def test_refused_recipient_does_not_delay_other_mails(box: BallotBox, mailbox: Mailbox) -> None:
    for email in (EMAIL, "bob@example.org"):
        client = Client()
        client.post("/play/new")
        submit_address(client, email)
    mailbox.rejected_recipients = {EMAIL: "554 not this one"}
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not EmailNotification.objects.exists()


def test_temporary_failure_is_retried_without_logging_address(
    box: BallotBox, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    _, code = player_with_address(box, mailbox)
    join(code)
    make_notifications_due()
    mailbox.refusal = "451 later"
    send_due(box)
    assert EmailNotification.objects.get().due_at > timezone.now() + LEASE / 2
    mailbox.refusal = ""
    make_notifications_due()
    send_due(box)
    assert len(mailbox.mails) == 1
    assert EMAIL not in caplog.text


def test_unknown_mailbox_deletes_address(box: BallotBox, mailbox: Mailbox) -> None:
    client = Client()
    client.post("/play/new")
    submit_address(client)
    mailbox.refusal = "550 nobody here"
    send_due(box)
    assert not EmailAddress.objects.exists()


def test_unreachable_mail_server_logs_warning_and_keeps_notification(
    box: BallotBox, mailbox: Mailbox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    _, code = player_with_address(box, mailbox)
    join(code)
    make_notifications_due()
    settings.EMAIL_PORT = free_port()
    send_due(box)
    assert "no connection to the mail server: ConnectionRefusedError" in caplog.text
    assert EmailNotification.objects.count() == 1


def test_send_due_skips_notification_claimed_by_another_worker(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, code = player_with_address(box, mailbox)
    join(code)
    make_notifications_due()
    claim = notification_email._claim

    def claim_second(notification: EmailNotification) -> bool:
        assert claim(notification)  # by the other worker, after this one has read it
        return claim(notification)

    monkeypatch.setattr(notification_email, "_claim", claim_second)
    send_due(box)
    assert not mailbox.mails
