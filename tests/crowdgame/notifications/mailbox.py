"""A local SMTP server, and guests who confirm an address for e-mail notifications."""

import re
from email.message import Message as Mail
from typing import Any

from aiosmtpd.handlers import Message
from django.test import Client
from django.utils import timezone

from crowdgame.notifications.email import send_due
from crowdgame.notifications.models import EmailNotification
from games.models import Match
from tests.voting.match_helpers import only_turn, play_turn
from voting.ballot_box.ballot_box import BallotBox

URL = "https://play.example"
EMAIL = "ada@example.org"


class Mailbox(Message):
    """An SMTP handler that stores mails and can refuse senders, recipients or contents."""

    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Mail] = []
        self.refusal = ""
        self.rejected_recipients: dict[str, str] = {}
        self.sender_refused = ""

    async def handle_MAIL(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return self.sender_refused or "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        reply = next(
            (self.rejected_recipients[to] for to in envelope.rcpt_tos if to in self.rejected_recipients), None
        )
        return reply or await super().handle_DATA(server, session, envelope)

    def handle_message(self, message: Mail) -> None:
        self.mails.append(message)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, _: Any) -> str:  # noqa: N802
        if not self.refusal:
            envelope.rcpt_tos.append(address)
        return self.refusal or "250 OK"


def links(mail: Mail) -> dict[str, str]:
    """Paths of the mail's links, by their first segment below `/play/`."""
    text = mail.get_payload(decode=True)
    assert isinstance(text, bytes)
    return {path.split("/")[2]: path for path in re.findall(rf"{URL}(/play/\S+)", text.decode())}


def submit_address(client: Client, email: str = EMAIL) -> Any:
    return client.post("/play/mail", {"email": email})


def player_with_address(box: BallotBox, mailbox: Mailbox, time_control: str = "3-days") -> tuple[Client, str]:
    """A guest with a confirmed address who has created a game, and its code."""
    client = Client()
    code = client.post("/play/new", {"time_control": time_control})["Location"][1:].partition("#")[0]
    submit_address(client)
    send_due(box)
    assert client.post(links(mailbox.mails.pop())["confirm"]).status_code == 200
    return client, code


def join(code: str) -> Client:
    other = Client()
    other.post(f"/play/{code}/join")
    return other


def make_notifications_due() -> None:
    """Make all queued notifications due now."""
    EmailNotification.objects.update(due_at=timezone.now())


def next_turn(code: str, box: BallotBox) -> None:
    turn = only_turn(Match.objects.get(event__code=code))
    play_turn(turn, box, red=[1], yellow=[2])
