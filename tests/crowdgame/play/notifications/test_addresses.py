"""E-mail addresses: confirmed by a link, limited, and deleted when unused."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.maintenance.retention import purge_addresses
from crowdgame.play.notifications import addresses
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.models import EmailAddress
from tests.crowdgame.play.notifications.conftest import (
    EMAIL,
    guest_with_address,
    links,
    player_with_address,
    submit_address,
)
from tests.mailbox import Mailbox
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event

pytestmark = pytest.mark.django_db


def test_address_is_confirmed_only_by_post(box: BallotBox, mailbox: Mailbox) -> None:
    client = guest_with_address()
    assert "We sent an e-mail" in client.get("/play/account").content.decode()
    send_due(box)
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == [EMAIL]
    mail_links = links(mailbox.mails[0])
    opened = Client().get(mail_links["confirm"])  # as a mail provider's link scanner does
    assert (opened.status_code, EMAIL in opened.content.decode()) == (200, True)
    assert EmailAddress.objects.get().confirmed_at is None
    Client().post(mail_links["confirm"])
    confirmed_at = EmailAddress.objects.get().confirmed_at
    assert confirmed_at
    Client().post(mail_links["confirm"])
    assert EmailAddress.objects.get().confirmed_at == confirmed_at


@pytest.mark.parametrize(
    "deletion", [("/play/mail/delete", {}), ("/play/data", {"ask": "delete", "sure": "on"})]
)
def test_guests_replace_confirm_and_delete_only_their_own_address(
    deletion: tuple[str, dict[str, str]], box: BallotBox, mailbox: Mailbox
) -> None:
    other, client = guest_with_address("bob@example.org"), guest_with_address()
    submit_address(client, "ada@example.net")
    send_due(box)
    mails = {mail["To"]: mail for mail in mailbox.mails}
    assert mails.keys() == {"bob@example.org", "ada@example.net"}
    client.post(links(mails["ada@example.net"])["confirm"])
    confirmed = dict(EmailAddress.objects.exclude(confirmed_at=None).values_list("email", "guest"))
    assert confirmed.keys() == {"ada@example.net"}
    assert "ada@example.net" not in other.get("/play/account").content.decode()
    client.post(*deletion)
    assert EmailAddress.objects.get().email == "bob@example.org"


def test_confirmation_mails_are_rate_limited(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    hour = timezone.now()  # the limit is per hour of the clock
    monkeypatch.setattr(addresses, "timezone", SimpleNamespace(now=lambda: hour))
    first, other, third = guest_with_address(), Client(), Client()
    first.post("/play/mail/delete")
    for client in (other, third):
        client.post("/play/new")
    for client in (first, other):
        refused = submit_address(client, EMAIL.upper())
        assert (refused.status_code, "already sent today" in refused.content.decode()) == (400, True)
    monkeypatch.setattr(addresses, "MAX_CONFIRMATIONS_PER_HOUR", 2)
    assert submit_address(other, "bob@example.org").status_code == 302
    assert "Too many" in submit_address(third, "eve@example.org").content.decode()
    assert EmailAddress.objects.get().email == "bob@example.org"


def test_confirmation_link_is_bound_to_address_and_expires(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = guest_with_address()
    send_due(box)
    mail_links = links(mailbox.mails[0])
    assert client.post(mail_links["stop"].replace("stop", "confirm")).status_code == 410
    EmailAddress.objects.update(email="eve@example.org")  # another row with the same primary key
    assert client.post(mail_links["confirm"]).status_code == 410
    owner = EmailAddress.objects.get().guest
    EmailAddress.objects.update(email=EMAIL, guest=new_guest())
    assert client.post(mail_links["confirm"]).status_code == 410
    EmailAddress.objects.update(guest=owner)
    monkeypatch.setattr(addresses, "CONFIRM_MAX_AGE", timedelta(seconds=-1))
    assert client.post(mail_links["confirm"]).status_code == 410
    assert EmailAddress.objects.get().confirmed_at is None


def test_declined_confirmation_deletes_address(box: BallotBox, mailbox: Mailbox) -> None:
    guest_with_address()
    send_due(box)
    Client().post(links(mailbox.mails[0])["confirm"], {"no": "1"})
    assert not EmailAddress.objects.exists()


def test_address_form_is_absent_without_mail_server() -> None:
    client = Client()
    client.post("/play/new")
    assert "mail" not in client.get("/play/account").content.decode()
    assert submit_address(client).status_code == 404


def test_purge_addresses_deletes_unconfirmed_and_unused_addresses(box: BallotBox, mailbox: Mailbox) -> None:
    player_with_address(box, mailbox)
    unconfirmed = Guest.objects.create(number=1)
    EmailAddress.objects.create(guest=unconfirmed, email=EMAIL)
    assert purge_addresses() == 0
    EmailAddress.objects.filter(guest=unconfirmed).update(asked_at=timezone.now() - timedelta(days=3))
    assert purge_addresses() == 1
    EmailAddress.objects.update(confirmed_at=timezone.now() - timedelta(days=366))
    assert purge_addresses() == 0
    Event.objects.update(created_at=timezone.now() - timedelta(days=366))
    assert purge_addresses() == 1
