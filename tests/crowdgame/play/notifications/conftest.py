"""A local SMTP server and push service, and guests with an address for e-mail notifications."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message as Mail
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.play.duels.duel_news import player_acted
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.email_messages import DAY_MS, HOUR_MS
from crowdgame.play.notifications.models import EmailNotification
from crowdgame.play.notifications.news import plan_end, plan_news, plan_notifications
from crowdgame.play.notifications.vote_news import plan_vote_news
from tests.crowdgame.organizer.api.conftest import Receiver, running_receiver
from tests.mailbox import Mailbox, running_mail_server
from tests.voting.match_helpers import only_turn, set_window
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import match_ended, turn_created
from voting.models import Event, Turn
from voting.turns.turns import start_match

URL = "https://play.example"
EMAIL = "ada@example.org"


def links(mail: Mail) -> dict[str, str]:
    """Paths of the mail's links, by their first segment below `/play/`."""
    body = mail.get_payload(decode=True)
    assert isinstance(body, bytes)
    return {path.split("/")[2]: path for path in re.findall(rf"{URL}(/play/\S+)", body.decode())}


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with running_mail_server(settings) as mailbox:
        settings.EMAIL_ENABLED, settings.PUBLIC_URL = True, URL
        with planning():
            yield mailbox


@pytest.fixture
def push_service(settings: Any) -> Iterator[Receiver]:
    """A push service. Nobody is notified by e-mail."""
    settings.PUSH_ENABLED, settings.WEBHOOKS, settings.PUBLIC_URL = True, "private", URL
    with running_receiver() as receiver, planning():
        yield receiver


@contextmanager
def planning() -> Iterator[None]:
    """Connect what is connected at startup if the settings have e-mail or push."""
    receivers = (
        (turn_created, plan_notifications),
        (turn_created, plan_vote_news),
        (player_acted, plan_news),
        (match_ended, plan_end),
    )
    for signal, receiver in receivers:
        signal.connect(receiver)
    yield
    for signal, receiver in receivers:
        signal.disconnect(receiver)


def submit(client: Client, email: str = EMAIL) -> Any:
    return client.post("/play/mail", {"email": email})


def guest_with_address(email: str = EMAIL) -> tuple[Client, str]:
    """A guest who has created a game and submitted this address, and the game's code."""
    client = Client()
    code = client.post("/play/new", {"time_control": "3-days"})["Location"].rpartition("/")[2]
    submit(client, email)
    return client, code


def send_all(box: BallotBox) -> None:
    EmailNotification.objects.update(due_at=timezone.now())
    send_due(box)


@pytest.fixture
def player(box: BallotBox, mailbox: Mailbox) -> Client:
    """A guest with a confirmed address whose game has begun: a notification is queued."""
    client, code = guest_with_address()
    send_due(box)
    assert client.post(links(mailbox.mails.pop())["confirm"]).status_code == 200
    Client().post(f"/play/{code}/join")
    return client


def move_deadline(turn: Turn, box: BallotBox, left_ms: int) -> None:
    set_window(turn, box, left_ms - DAY_MS, left_ms)


def open_turn(event: Event, box: BallotBox) -> Turn:
    """The first turn of an event of days, open for 23 more hours."""
    turn = only_turn(start_match(event.pk, box))
    move_deadline(turn, box, 23 * HOUR_MS)
    return turn
