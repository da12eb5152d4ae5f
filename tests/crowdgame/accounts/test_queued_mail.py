import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.header import decode_header, make_header
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from django.utils import timezone
from redis import Redis

from crowdgame.accounts import queued_mail
from crowdgame.accounts.models import QueuedMail
from crowdgame.accounts.queued_mail import KEPT_FOR, SEND_MAIL, is_due, queue_mail, send_due
from crowdgame.accounts.tasks import send_mail
from crowdgame.play.notifications.tasks import send_notifications
from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.mailbox import Mailbox, running_mail_server
from tests.queued_tasks import run_queued_tasks
from tests.voting.match_helpers import new_event, only_turn, open_now
from voting.ballot_box.ballot_box import BallotBox
from voting.sources.tasks import cast_source_ballots
from voting.turns.tasks import DueTask
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "ada@example.org"


@pytest.fixture
def mailbox(settings: Any, valkey_url: str) -> Iterator[Mailbox]:
    settings.EMAIL_ENABLED, settings.PUBLIC_URL = True, "https://play.example.org"
    User.objects.create_user("ada", ADDRESS, "correct horse battery")
    with running_mail_server(settings) as mailbox:
        yield mailbox


def ask_for_reset(email: str = ADDRESS, language: str = "en") -> None:
    client = Client(headers={"accept-language": language})
    answer = client.post("/console/password/reset/", {"email": email})
    assert answer.headers["Location"] == "/console/password/reset/done/"


def is_waiting() -> bool:
    return QueuedMail.objects.exists()


def pass_lease() -> None:
    QueuedMail.objects.update(due_at=timezone.now())


def test_mail_is_sent_once_in_the_language_of_the_request(mailbox: Mailbox) -> None:
    ask_for_reset(language="de")
    assert (mailbox.mails, is_waiting()) == ([], True)
    run_queued_tasks(SEND_MAIL)
    [mail] = mailbox.mails
    assert mail["To"] == ADDRESS
    assert "Passwort" in str(make_header(decode_header(mail["Subject"])))
    assert b"https://play.example.org/console/password/reset/key/" in mail.get_payload(decode=True)
    assert not is_waiting()


@pytest.mark.parametrize(
    ("where", "refusal"),
    [
        ("next_refusals", ["451 later"]),
        ("rejected_recipients", {ADDRESS: "451 later"}),
        ("sender_refused", "550 wrong settings"),
    ],
)
def test_mail_is_sent_again_after_temporary_refusal(where: str, refusal: Any, mailbox: Mailbox) -> None:
    ask_for_reset()
    setattr(mailbox, where, refusal)
    run_queued_tasks(SEND_MAIL)
    assert (is_waiting(), is_due()) == (True, False)
    mailbox.rejected_recipients, mailbox.sender_refused = {}, ""
    pass_lease()
    assert is_due()
    DueTask(SEND_MAIL, is_due)()
    run_queued_tasks(SEND_MAIL)
    assert (len(mailbox.mails), is_waiting()) == (1, False)


@pytest.mark.parametrize("where", ["refusal", "rejected_recipients", "kept for a day", "no header"])
def test_mail_refused_for_good_or_too_old_is_dropped(where: str, mailbox: Mailbox) -> None:
    ask_for_reset()
    if where == "kept for a day":
        QueuedMail.objects.update(queued_at=timezone.now() - KEPT_FOR)
    elif where == "no header":
        QueuedMail.objects.all().delete()
        queue_mail(EmailMessage("Hello", "", to=["=?utf-8?b?YQ0KYg==?=@example.org"]))
    else:
        refusal = "550 no such mailbox"
        setattr(mailbox, where, {ADDRESS: refusal} if where == "rejected_recipients" else refusal)
    run_queued_tasks(SEND_MAIL)
    assert (mailbox.mails, is_waiting()) == ([], False)


def test_worker_waits_once_for_an_unreachable_mail_server(mailbox: Mailbox, settings: Any) -> None:
    working, settings.EMAIL_PORT = settings.EMAIL_PORT, free_port()
    for email in (ADDRESS, ADDRESS, "nobody@example.org"):
        ask_for_reset(email)
    assert run_queued_tasks(SEND_MAIL) == 3
    assert (mailbox.mails, is_due()) == ([], False)
    settings.EMAIL_PORT = working
    pass_lease()
    send_due()
    run_queued_tasks(SEND_MAIL)
    assert ([mail["To"] for mail in mailbox.mails], is_waiting()) == ([ADDRESS] * 2, False)


def test_earliest_mail_goes_first(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(queued_mail, "SEND_BATCH_SIZE", 1)
    for to in ("late", "early"):
        queue_mail(EmailMessage("Hello", "Hello", to=[f"{to}@example.org"]))
    QueuedMail.objects.filter(message__to=["early@example.org"]).update(due_at="2026-01-01T00:00Z")
    send_due()
    assert [mail["To"] for mail in mailbox.mails] == ["early@example.org"]
    late = QueuedMail.objects.get()
    assert [queued_mail._claim(late) for _ in range(2)] == [True, False]
    pass_lease()
    settings.EMAIL_ENABLED = False
    assert not is_due()


@pytest.mark.parametrize("failing", [True, False])
def test_neither_the_task_nor_the_log_contains_the_address(
    failing: bool, mailbox: Mailbox, valkey_url: str, caplog: pytest.LogCaptureFixture, settings: Any
) -> None:
    caplog.set_level("DEBUG")
    ask_for_reset()
    with Redis.from_url(valkey_url) as redis:
        assert ADDRESS.encode() not in b"".join(redis.lrange("crowdgame:celery:background", 0, -1))
    settings.EMAIL_PORT = free_port() if failing else settings.EMAIL_PORT
    run_queued_tasks(SEND_MAIL)
    assert len(mailbox.mails) == (not failing)
    own = "\n".join(record.getMessage() for record in caplog.records if record.name != "mail.log")
    assert ADDRESS not in own
    assert "/password/reset/key/" not in own


def test_computer_votes_while_the_mail_server_hangs(box: BallotBox, settings: Any) -> None:
    settings.EMAIL_ENABLED, settings.EMAIL_TIMEOUT = True, 60
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    event = new_event()
    event.teams.filter(number=2).update(source="bot:2")
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    # Celery's pool of threads is such an executor.
    with socket.create_server((LOOPBACK, 0)) as hanging, ThreadPoolExecutor(max_workers=2) as worker:
        settings.EMAIL_HOST, settings.EMAIL_PORT = hanging.getsockname()
        queue_mail(EmailMessage("One", "Text", to=["ada@example.org"]))
        hangs = worker.submit(send_mail.apply)
        connection, _ = hanging.accept()
        queue_mail(EmailMessage("Two", "Text", to=["ben@example.org"]))
        worker.submit(send_mail.apply)
        worker.submit(send_notifications.apply)
        worker.submit(cast_source_ballots.apply).result()
        assert not hangs.done()
        connection.close()
    assert box.ballot_counts(to_boxed_turn(load_turn(turn.pk))) == {"red": 0, "yellow": 1}
    assert QueuedMail.objects.count() == 2
