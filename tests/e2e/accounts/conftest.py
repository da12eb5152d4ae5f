"""A stack that sends e-mail and trusts an OpenID Connect provider, and the pages of organizers' accounts.

Browsers open it at localhost, where they offer passkeys without HTTPS.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.stack import Stack
from tests.e2e.accounts.oidc_provider import CLIENT_ID, CLIENT_SECRET
from tests.mailbox import Mailbox, running_mail_server
from tests.run_folder import static_files
from tests.server import Server, organizer, running_parts

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class MailingStack(Stack):
    smtp_port: int = 0
    provider_port: int = 0

    @property
    def env(self) -> Mapping[str, str]:
        own = {
            "EMAIL_URL": f"smtp+plain://{LOOPBACK}:{self.smtp_port}",
            "PUBLIC_URL": f"http://localhost:{self.port}",
            "OIDC_URL": f"http://{LOOPBACK}:{self.provider_port}",
            "OIDC_NAME": "School",
            "OIDC_CLIENT_ID": CLIENT_ID,
            "OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "OIDC_TRUST_EMAIL": "true",
        }
        return {**super().env, **own}


@dataclass
class AccountPages:
    """The account pages of a server, and the mails it has sent."""

    server: Server
    mailbox: Mailbox
    provider_port: int

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

    def log_in_by_provider(self, page: Page, name: str, path: str = "/console/login/") -> None:
        self.open(page, path)
        if path == "/console/login/":
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
    data, smtp = tmp_path_factory.mktemp("accounts"), SimpleNamespace()
    (data / "static").symlink_to(static_files())
    with running_mail_server(smtp) as mailbox:
        ports = {"smtp_port": smtp.EMAIL_PORT, "provider_port": free_port()}
        stack = MailingStack(
            data=data, secret_key="of the tests", port=free_port(), valkey_port=free_port(), **ports
        )
        with running_parts(stack) as supervisor, organizer(stack) as asked:
            yield AccountPages(Server(stack, supervisor, asked), mailbox, stack.provider_port)
