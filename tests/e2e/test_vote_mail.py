"""A voter of an event of days asks on the phone for e-mails when a vote opens."""

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.deploy.processes import wait_until
from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import running_server_with_static
from tests.e2e.screens import PHONE, TIMEOUT_MS, vote
from tests.mailbox import running_mail_server

DAY_S = 24 * 3600
URL = "http://play.example"


def test_voter_subscribes_on_the_phone(tmp_path: Path, settings: Any, open_at: OpenScreen) -> None:
    with running_mail_server(settings) as mailbox:
        email_url = f"smtp+plain://{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        with running_server_with_static(tmp_path, email_url=email_url, public_url=URL) as server:
            event = server.ask("event", lobby="open", window_s=DAY_S)
            server.ask("begin", event_id=event["id"])
            phone = open_at(server, "vote-mail", PHONE)
            phone.page.goto(f"/{event['code']}")
            phone.wait_for(phase="voting")
            vote(phone, 3)
            with phone.page.expect_popup() as opened:
                phone.page.get_by_role("link", name="Notify me when a vote opens").click(timeout=TIMEOUT_MS)
            form = opened.value
            form.get_by_label("E-mail address").fill("ada@example.org")
            form.get_by_role("button", name="Send confirmation e-mail").click()
            expect(form.get_by_role("status")).to_contain_text("ada@example.org", timeout=TIMEOUT_MS)
            wait_until(lambda: bool(mailbox.mails))
            text = mailbox.mails[0].get_payload(decode=True)
            assert isinstance(text, bytes)
            (link,) = re.findall(rf"{URL}(/play/confirm/\S+)", text.decode())
            form.goto(server.http + link)
            form.get_by_role("button", name="Confirm").click()
            expect(form.get_by_role("heading", name="Address confirmed")).to_be_visible(timeout=TIMEOUT_MS)
            assert phone.errors == []
