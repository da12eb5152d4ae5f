"""Mails on their way: the clock has them sent, and no refusal loses one or holds up another."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.notifications import email as notification_email
from crowdgame.notifications.email import LEASE, send_due
from crowdgame.notifications.models import Address, EmailNotification
from deploy.laptop.network import free_port
from tests.crowdgame.notifications.mailbox import EMAIL, Mailbox, confirmed, give, join, later
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.django_db


def test_the_clock_has_what_is_due_sent_and_asks_for_nothing_else(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(notification_email, "arm_notifications", lambda: asked.append(True))
    dispatcher = notification_email.NotificationDispatcher()
    _, code = confirmed(box, mailbox)
    join(code)
    dispatcher()
    assert asked == []
    later()
    dispatcher()
    dispatcher()
    assert asked == [True]


@pytest.mark.parametrize("refusal", ["530 who are you", "553 not from there"])
def test_a_sender_who_is_refused_loses_nothing(refusal: str, box: BallotBox, mailbox: Mailbox) -> None:
    """The mail server is set up wrongly: all wait until it is not."""
    client = Client()
    client.post("/play/new")
    give(client)
    mailbox.sender_refused = refusal
    send_due(box)
    assert EmailNotification.objects.count() == 1
    mailbox.sender_refused = ""
    later()
    send_due(box)
    assert len(mailbox.mails) == 1


def test_a_letter_that_is_refused_holds_up_no_other(box: BallotBox, mailbox: Mailbox) -> None:
    for email in (EMAIL, "bob@example.org"):
        client = Client()
        client.post("/play/new")
        give(client, email)
    mailbox.spurned = {EMAIL: "554 not this one"}
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not EmailNotification.objects.exists()


def test_what_could_not_be_sent_is_sent_later_and_logs_name_nobody(
    box: BallotBox, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    mailbox.refusal = "451 later"
    send_due(box)
    assert EmailNotification.objects.get().due_at > timezone.now() + LEASE / 2
    mailbox.refusal = ""
    later()
    send_due(box)
    assert len(mailbox.mails) == 1
    assert EMAIL not in caplog.text


def test_a_mailbox_that_is_not_there_is_forgotten(box: BallotBox, mailbox: Mailbox) -> None:
    client = Client()
    client.post("/play/new")
    give(client)
    mailbox.refusal = "550 nobody here"
    send_due(box)
    assert not Address.objects.exists()


def test_a_mail_server_that_is_away_costs_a_warning(
    box: BallotBox, mailbox: Mailbox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    settings.EMAIL_PORT = free_port()
    send_due(box)
    assert "letters wait: ConnectionRefusedError" in caplog.text
    assert EmailNotification.objects.count() == 1


def test_of_two_workers_one_sends(box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    claim = notification_email._claim

    def claim_second(notification: EmailNotification) -> bool:
        assert claim(notification)  # the other one, after this one has read it
        return claim(notification)

    monkeypatch.setattr(notification_email, "_claim", claim_second)
    send_due(box)
    assert not mailbox.mails
