from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from deploy.laptop.network import LOOPBACK, free_port
from tests.crowdgame.notifications.mailbox import URL, Mailbox
from tests.voting.conftest import clients, pytest_generate_tests, server, servers
from tests.voting.page_fixtures import browser, event, organizer, other

__all__ = [
    "browser",
    "clients",
    "event",
    "organizer",
    "other",
    "pytest_generate_tests",
    "server",
    "servers",
]


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    mailbox = Mailbox()
    smtp = Controller(mailbox, hostname=LOOPBACK, port=free_port())
    smtp.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = LOOPBACK, smtp.port
    settings.EMAIL_ENABLED, settings.PUBLIC_URL = True, URL
    yield mailbox
    smtp.stop()
