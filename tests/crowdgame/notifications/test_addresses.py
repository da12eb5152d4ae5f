"""An address is asked first, told to nobody, and forgotten."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.models import Guest
from crowdgame.notifications import addresses
from crowdgame.notifications.email import send_due
from crowdgame.notifications.models import Address
from crowdgame.operations.retention import purge_addresses
from games.models import Event
from tests.crowdgame.notifications.mailbox import EMAIL, Mailbox, confirmed, give, links
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.django_db


def test_an_address_is_asked_first(box: BallotBox, mailbox: Mailbox) -> None:
    client = Client()
    client.post("/play/new", {"time_control": "3-days"})
    give(client)
    assert "on its way" in client.get("/play/account").content.decode()
    send_due(box)
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == [EMAIL]
    found = links(mailbox.mails[0])
    opened = Client().get(found["confirm"])  # as a mail program's guard does
    assert (opened.status_code, EMAIL in opened.content.decode()) == (200, True)
    assert Address.objects.get().confirmed_at is None
    Client().post(found["confirm"])
    assert Address.objects.get().confirmed_at


def test_nobody_fills_a_strangers_mailbox(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients = [Client(), Client(), Client()]
    for client in clients:
        client.post("/play/new")
    give(clients[0])
    clients[0].post("/play/mail/delete")
    for client in clients[:2]:
        refused = give(client, EMAIL.upper())
        assert (refused.status_code, "was asked today" in refused.content.decode()) == (400, True)
    monkeypatch.setattr(addresses, "MOST_ASKED_AN_HOUR", 1)
    assert "Too many" in give(clients[2], "bob@example.org").content.decode()
    assert not Address.objects.exists()


def test_links_are_one_addresss_and_one_days(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    client.post("/play/new")
    give(client)
    send_due(box)
    found = links(mailbox.mails[0])
    assert client.post(found["stop"].replace("stop", "confirm")).status_code == 410
    Address.objects.update(email="eve@example.org")  # a row with the same number
    assert client.post(found["confirm"]).status_code == 410
    Address.objects.update(email=EMAIL)
    monkeypatch.setattr(addresses, "CONFIRM_WITHIN", timedelta(seconds=-1))
    assert client.post(found["confirm"]).status_code == 410
    assert Address.objects.get().confirmed_at is None


def test_who_says_no_is_forgotten(box: BallotBox, mailbox: Mailbox) -> None:
    client = Client()
    client.post("/play/new")
    give(client)
    send_due(box)
    Client().post(links(mailbox.mails[0])["confirm"], {"no": "1"})
    assert not Address.objects.exists()


def test_without_a_mail_server_nobody_is_asked() -> None:
    client = Client()
    client.post("/play/new")
    assert "mail" not in client.get("/play/account").content.decode()
    assert give(client).status_code == 404


def test_addresses_are_not_kept_for_ever(box: BallotBox, mailbox: Mailbox) -> None:
    confirmed(box, mailbox)
    unsure = Guest.objects.create(number=1)
    Address.objects.create(guest=unsure, email=EMAIL)
    assert purge_addresses() == 0
    Address.objects.filter(guest=unsure).update(asked_at=timezone.now() - timedelta(days=3))
    assert purge_addresses() == 1
    Address.objects.update(confirmed_at=timezone.now() - timedelta(days=366))
    assert purge_addresses() == 0
    Event.objects.update(created_at=timezone.now() - timedelta(days=366))
    assert purge_addresses() == 1
