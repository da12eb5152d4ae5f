"""A local SMTP server that keeps the mails it receives."""

from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message as Mail
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message

from crowdgame.server.laptop.network import LOOPBACK, free_port


class Mailbox(Message):
    """An SMTP handler that stores mails and can refuse senders, recipients or contents.

    `next_refusals`: the replies to the next recipients.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Mail] = []
        self.refusal = ""
        self.rejected_recipients: dict[str, str] = {}
        self.sender_refused = ""
        self.next_refusals: list[str] = []

    async def handle_MAIL(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return self.sender_refused or "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        for to in envelope.rcpt_tos:
            if to in self.rejected_recipients:
                return self.rejected_recipients[to]
        return await super().handle_DATA(server, session, envelope)

    def handle_message(self, message: Mail) -> None:
        self.mails.append(message)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, _: Any) -> str:  # noqa: N802
        if self.next_refusals:
            return self.next_refusals.pop(0)
        if not self.refusal:
            envelope.rcpt_tos.append(address)
        return self.refusal or "250 OK"


@contextmanager
def running_mail_server(settings: Any) -> Iterator[Mailbox]:
    mailbox = Mailbox()
    smtp = Controller(mailbox, hostname=LOOPBACK, port=free_port())
    smtp.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = LOOPBACK, smtp.port
    try:
        yield mailbox
    finally:
        smtp.stop()
