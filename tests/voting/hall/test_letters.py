""""Your turn" by mail, through a real mail server: whoever confirmed an address is told once a turn."""

import re
from collections.abc import Iterator
from datetime import timedelta
from email.message import Message as Mail
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from django.test import Client
from django.utils import timezone

from deploy.laptop.network import LOOPBACK, free_port
from games.models import Address, Event, Guest, Letter, Match
from tests.voting.playing import only_turn
from voting.box.ballot_box import BallotBox
from voting.hall.letters import GRACE, LEASE, send_due

pytestmark = pytest.mark.django_db
URL = "https://play.example"
EMAIL = "ada@example.org"


class Mailbox(Message):
    """A mail server that keeps what it gets, and refuses as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Mail] = []
        self.refusal = ""

    def handle_message(self, message: Mail) -> None:
        self.mails.append(message)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, _: Any) -> str:  # noqa: N802
        if not self.refusal:
            envelope.rcpt_tos.append(address)
        return self.refusal or "250 OK"
