"""A mail server that accepts connections and never answers delays e-mail alone."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.mail import EmailMessage

from crowdgame.accounts.models import QueuedMail
from crowdgame.accounts.queued_mail import queue_mail
from crowdgame.accounts.tasks import send_mail
from crowdgame.play.notifications.tasks import send_notifications
from crowdgame.server.laptop.network import LOOPBACK
from tests.voting.match_helpers import new_event, only_turn, open_now
from voting.ballot_box.ballot_box import BallotBox
from voting.sources.tasks import cast_source_ballots
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db(transaction=True)

BACKGROUND_THREADS = 2  # of a background worker: Celery's pool of threads is such an executor


@pytest.fixture
def hanging_server(settings: Any) -> Iterator[socket.socket]:
    settings.EMAIL_ENABLED, settings.EMAIL_TIMEOUT = True, 60
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with socket.create_server((LOOPBACK, 0)) as listener:
        settings.EMAIL_HOST, settings.EMAIL_PORT = listener.getsockname()
        yield listener


def test_computer_votes_while_the_mail_server_hangs(box: BallotBox, hanging_server: socket.socket) -> None:
    event = new_event()
    event.teams.filter(number=2).update(source="bot:2")
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    with ThreadPoolExecutor(BACKGROUND_THREADS) as worker:
        queue_mail(EmailMessage("One", "Text", to=["ada@example.org"]))
        hangs = worker.submit(send_mail.apply)
        connection, _ = hanging_server.accept()
        queue_mail(EmailMessage("Two", "Text", to=["ben@example.org"]))
        worker.submit(send_mail.apply)
        worker.submit(send_notifications.apply)
        worker.submit(cast_source_ballots.apply).result()
        assert not hangs.done()
        connection.close()
    assert box.ballot_counts(to_boxed_turn(load_turn(turn.pk))) == {"red": 0, "yellow": 1}
    assert QueuedMail.objects.count() == 2
