"""A stack that sends e-mail to a local SMTP server, and the pages of organizers' accounts.

Browsers open it at localhost, where they offer passkeys without HTTPS.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message as Mail
from pathlib import Path
from queue import Queue

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from playwright.sync_api import Page

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.stack import Stack
from tests.e2e.accounts.oidc_provider import CLIENT_ID, CLIENT_SECRET
from tests.run_folder import static_files
from tests.server import Server, organizer, running_parts

PASSWORD, NEW_PASSWORD = "correct horse battery", "another horse battery"
MAIL_WITHIN_S = 20


class Mailbox(Message):
    """An SMTP handler that stores the mails."""

    def __init__(self) -> None:
        super().__init__()
        self.mails: Queue[Mail] = Queue()

    def handle_message(self, message: Mail) -> None:
        self.mails.put(message)

    def link(self, to: str) -> str:
        """The link in the oldest unread mail to this address."""
        while (mail := self.mails.get(timeout=MAIL_WITHIN_S))["To"] != to:
            pass
        text = mail.get_payload(decode=True)
        assert isinstance(text, bytes)
        [link] = re.findall(r"http://localhost\S+", text.decode())
        return str(link)


@dataclass(frozen=True)
class MailingStack(Stack):
    smtp_port: int = 0
    provider_port: int = 0

    @property
    def provider_url(self) -> str:
        """By another name than the server's, as in practice, so that they share no cookies."""
        return f"http://{LOOPBACK}:{self.provider_port}"

    @property
    def env(self) -> Mapping[str, str]:
        own = {
            "EMAIL_URL": f"smtp+plain://{LOOPBACK}:{self.smtp_port}",
            "PUBLIC_URL": f"http://localhost:{self.port}",
            "OIDC_URL": self.provider_url,
            "OIDC_NAME": "School",
            "OIDC_CLIENT_ID": CLIENT_ID,
            "OIDC_CLIENT_SECRET": CLIENT_SECRET,
        }
        return {**super().env, **own}


@dataclass
class AccountPages:
    """The account pages of a server, and the mails it has sent."""

    server: Server
    mailbox: Mailbox = field(default_factory=Mailbox)

    @property
    def home(self) -> str:
        return f"http://localhost:{self.server.stack.port}"

    def open(self, page: Page, path: str) -> None:
        page.goto(self.home + path)

    def log_in(self, page: Page, name: str, password: str = PASSWORD) -> None:
        self.open(page, "/console/login/")
        page.get_by_label("Username or e-mail address").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in", exact=True).click()

    def confirm_password(self, page: Page) -> None:
        """Enter the password again, as before each change of the account."""
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()

    def log_out(self, page: Page) -> None:
        page.get_by_role("button", name="Log out").click()

    def log_in_by_provider(self, page: Page, name: str) -> None:
        self.open(page, "/console/login/")
        page.get_by_role("link", name="Log in with School").click()
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign In").click()

    def make_organizer(self, name: str) -> None:
        """Create an organizer with a confirmed e-mail address."""
        self.server.ask("confirmed_organizer", name=name, password=PASSWORD)


@pytest.fixture(scope="session")
def account_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AccountPages]:
    with running_account_pages(tmp_path_factory.mktemp("accounts")) as pages:
        yield pages


@contextmanager
def running_account_pages(data: Path, kind: type[MailingStack] = MailingStack) -> Iterator[AccountPages]:
    mailbox = Mailbox()
    smtp = Controller(mailbox, hostname=LOOPBACK, port=free_port())
    smtp.start()
    stack = kind(
        data=data,
        secret_key="of the tests",
        port=free_port(),
        valkey_port=free_port(),
        smtp_port=smtp.port,
        provider_port=free_port(),
    )
    (data / "static").symlink_to(static_files())
    with running_parts(stack) as supervisor, organizer(stack) as asked:
        yield AccountPages(Server(stack, supervisor, asked), mailbox)
    smtp.stop()
