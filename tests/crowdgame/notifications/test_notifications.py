"""E-mail notifications: "your turn", confirmed addresses, and failures of the mail server."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone
from django.utils.translation import get_language

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.config.mail_settings import mail_server
from crowdgame.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.duels.lists import players_by_side
from crowdgame.duels.models import Duel
from crowdgame.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.notifications import addresses, email_messages
from crowdgame.notifications import email as notification_email
from crowdgame.notifications.email import LEASE, send_due
from crowdgame.notifications.email_messages import DAY_MS, HOUR_MS, format_time_left
from crowdgame.notifications.models import EmailAddress, EmailNotification
from crowdgame.operations.retention import purge_addresses
from deploy.laptop.network import free_port
from games.engine.game import SIDES
from tests.crowdgame.notifications.conftest import (
    EMAIL,
    URL,
    guest_with_address,
    join,
    links,
    player_with_address,
    send_all,
    submit_address,
)
from tests.mailbox import Mailbox
from tests.voting.box_helpers import ask
from tests.voting.match_helpers import CLASSIC, RED_WINS, only_turn, open_now, play, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts
from voting.matches import load_position
from voting.models import Event, Match
from voting.turns import tasks

pytestmark = pytest.mark.django_db


def test_each_turn_sends_one_mail_and_stop_link_unsubscribes(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = player_with_address(box, mailbox)
    join(code)
    send_due(box)
    assert not mailbox.mails  # not due yet: a player at the board sees the turn
    send_all(box)
    send_due(box)
    (mail,) = mailbox.mails
    assert mail["Subject"].startswith("Your turn against Guest ")
    assert "You have 3 days left" in str(mail.get_payload())
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop = links(mail)["stop"]
    assert mail["List-Unsubscribe"].split() == [f"<{URL}{stop}>"]
    assert links(mail)[code] == f"/play/{code}"

    play_turn(only_turn(Match.objects.get()), box, red=[1], yellow=[2])
    assert EmailNotification.objects.count() == 1
    strict = Client(enforce_csrf_checks=True)
    assert "Unsubscribe" in strict.get(stop).content.decode()
    assert strict.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not EmailAddress.objects.exists()
    assert not EmailNotification.objects.exists()
    assert "any more e-mails" in strict.get(stop).content.decode()
    assert strict.get(stop[:-3]).status_code == 404


def test_mail_is_in_language_of_page_on_which_address_was_entered(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(email_messages, "gettext", lambda text: f"({get_language()}) {text}")
    client = Client(headers={"accept-language": "de"})
    client.post("/play/new", {"time_control": "3-days"})
    submit_address(client)
    send_all(box)
    (mail,) = mailbox.mails
    assert mail["Subject"] == "(de) Confirm your e-mail address"


def test_rematch_mail_follows_swapped_sides(box: BallotBox, mailbox: Mailbox) -> None:
    """Sides are swapped: the mail names the opponent, and a player who has picked receives none."""
    client, code = player_with_address(box, mailbox)
    other = join(code)
    play(Match.objects.get(), box, RED_WINS)
    EmailNotification.objects.all().delete()
    for one in (client, other):
        one.post(f"/play/{code}/rematch")
    duel, me = Duel.objects.get(), EmailAddress.objects.get().guest
    turn = only_turn(Match.objects.get(number=2))
    open_now(turn, box)
    mine, theirs = ("yellow", "red") if duel.one == me else ("red", "yellow")
    vote(turn, box, **{theirs: [1]})
    send_all(box)
    (mail,) = mailbox.mails
    assert mail["Subject"] == f"Your turn against {duel.two if duel.one == me else duel.one}"
    EmailNotification.objects.create(address=EmailAddress.objects.get(), turn=turn, due_at=timezone.now())
    vote(turn, box, **{mine: [2]})
    send_due(box)
    assert len(mailbox.mails) == 1


def test_only_side_to_move_is_notified(box: BallotBox, mailbox: Mailbox) -> None:
    """In the classic game one side moves per turn; both players have confirmed an address."""
    settings = DuelSettings(game=CLASSIC, time_control=TIME_CONTROLS_BY_SLUG["3-days"])
    duel = join_duel(new_duel(new_guest(), settings).event.code, new_guest(), box)
    match, now = Match.objects.get(), timezone.now()
    for guest in filter(None, (duel.one, duel.two)):
        EmailAddress.objects.create(guest=guest, email=f"{guest}@example.org", asked_at=now, confirmed_at=now)
    for _ in range(2):
        play_turn(only_turn(match), box, red=[1], yellow=[1])
        (side,) = load_position(match).to_move
        notified = EmailNotification.objects.latest("pk").address.guest
        assert notified == players_by_side(duel, match)[SIDES.index(side)]
    assert EmailNotification.objects.count() == 2


def test_login_drops_notification_without_delaying_others(
    player: Client, box: BallotBox, mailbox: Mailbox
) -> None:
    """The game now belongs to the account; mails due to others are still sent."""
    Client().post("/play/account", {"username": "Ada", "password1": "anchors-aweigh"})
    player.post("/play/login", {"login": "Ada", "password": "anchors-aweigh"})
    guest_with_address("bob@example.org")
    send_all(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not EmailNotification.objects.filter(turn__isnull=False).exists()


def test_short_time_control_sends_no_mail(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = player_with_address(box, mailbox, time_control="5-min")
    join(code)
    assert not EmailNotification.objects.exists()


@pytest.mark.usefixtures("player")
def test_player_who_has_picked_receives_no_mail(box: BallotBox, mailbox: Mailbox) -> None:
    turn = only_turn(Match.objects.get())
    open_now(turn, box)
    vote(turn, box, red=[1], yellow=[2])
    send_all(box)
    assert (mailbox.mails, EmailNotification.objects.count()) == ([], 0)


@pytest.mark.usefixtures("player")
def test_mail_is_postponed_while_page_is_open(box: BallotBox, mailbox: Mailbox) -> None:
    event = Event.objects.get()
    here = (1, 0) if event.duel.one == EmailAddress.objects.get().guest else (0, 1)
    ask(lambda own: own.heartbeat(event.pk, "a", (1, 1), PresenceCounts(here)))
    send_all(box)
    assert not mailbox.mails
    assert EmailNotification.objects.get().due_at > timezone.now() + timedelta(minutes=9)
    ask(lambda own: own.leave(event.pk, "a"))
    send_all(box)
    assert len(mailbox.mails) == 1


# ------------------------------------------------------------------ addresses
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
    assert EmailAddress.objects.get().confirmed_at


def test_confirmation_mails_are_rate_limited(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = guest_with_address(), Client()
    first.post("/play/mail/delete")
    other.post("/play/new")
    for client in (first, other):
        refused = submit_address(client, EMAIL.upper())
        assert (refused.status_code, "already sent today" in refused.content.decode()) == (400, True)
    monkeypatch.setattr(addresses, "MAX_CONFIRMATIONS_PER_HOUR", 1)
    assert "Too many" in submit_address(other, "bob@example.org").content.decode()
    assert not EmailAddress.objects.exists()


def test_confirmation_link_is_bound_to_address_and_expires(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = guest_with_address()
    send_due(box)
    mail_links = links(mailbox.mails[0])
    assert client.post(mail_links["stop"].replace("stop", "confirm")).status_code == 410
    EmailAddress.objects.update(email="eve@example.org")  # another row with the same primary key
    assert client.post(mail_links["confirm"]).status_code == 410
    EmailAddress.objects.update(email=EMAIL)
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


# ------------------------------------------------------------------ sending
@pytest.mark.usefixtures("player")
def test_dispatcher_arms_once_when_notification_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    armed: list[bool] = []
    monkeypatch.setattr(tasks, "send_task", lambda _: armed.append(True))
    dispatcher = tasks.DueTask(notification_email.SEND_NOTIFICATIONS, notification_email.is_due)
    dispatcher()
    assert armed == []
    EmailNotification.objects.update(due_at=timezone.now())
    dispatcher()
    dispatcher()
    assert armed == [True]


@pytest.mark.parametrize("refusal", ["530 who are you", "553 not from there"])
def test_refused_sender_keeps_notification_queued(refusal: str, box: BallotBox, mailbox: Mailbox) -> None:
    """The mail server is misconfigured; notifications stay queued."""
    guest_with_address()
    mailbox.sender_refused = refusal
    send_due(box)
    assert EmailNotification.objects.count() == 1
    mailbox.sender_refused = ""
    send_all(box)
    assert len(mailbox.mails) == 1


def test_refused_recipient_does_not_delay_other_mails(box: BallotBox, mailbox: Mailbox) -> None:
    for email in (EMAIL, "bob@example.org"):
        guest_with_address(email)
    mailbox.rejected_recipients = {EMAIL: "554 not this one"}
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not EmailNotification.objects.exists()


@pytest.mark.usefixtures("player")
def test_temporary_failure_is_retried_without_logging_address(
    box: BallotBox, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    mailbox.refusal = "451 later"
    send_all(box)
    assert EmailNotification.objects.get().due_at > timezone.now() + LEASE / 2
    mailbox.refusal = ""
    send_all(box)
    assert len(mailbox.mails) == 1
    assert EMAIL not in caplog.text


def test_unknown_mailbox_deletes_address(box: BallotBox, mailbox: Mailbox) -> None:
    guest_with_address()
    mailbox.refusal = "550 nobody here"
    send_due(box)
    assert not EmailAddress.objects.exists()


@pytest.mark.usefixtures("player")
def test_unreachable_mail_server_logs_warning_and_keeps_notification(
    box: BallotBox, mailbox: Mailbox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_PORT = free_port()
    send_all(box)
    assert "no connection to the mail server: ConnectionRefusedError" in caplog.text
    assert EmailNotification.objects.count() == 1


@pytest.mark.usefixtures("player")
def test_send_due_skips_notification_claimed_by_another_worker(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = notification_email._claim

    def claim_second(notification: EmailNotification) -> bool:
        assert claim(notification)  # by the other worker, after this one has read it
        return claim(notification)

    monkeypatch.setattr(notification_email, "_claim", claim_second)
    send_all(box)
    assert not mailbox.mails


# ------------------------------------------------------------------ wording and settings
def test_remaining_time_is_worded_in_days_and_hours() -> None:
    texts = [format_time_left(ms) for ms in (HOUR_MS, 3 * DAY_MS, DAY_MS + 2 * HOUR_MS, DAY_MS - 1)]
    assert texts == ["1 hour", "3 days", "1 day and 2 hours", "23 hours"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://me%40here:p%2Fw@mail.example", ("mail.example", 587, "me@here", "p/w", True, False)),
        ("smtps://mail.example:4650", ("mail.example", 4650, "", "", False, True)),
        ("smtp+plain://127.0.0.1", ("127.0.0.1", 25, "", "", False, False)),
    ],
)
def test_mail_server_url_is_parsed(url: str, expected: tuple[object, ...]) -> None:
    assert mail_server(url) == expected


@pytest.mark.parametrize("url", ["mail.example", "http://u:secret@mail.example", "smtp://"])
def test_invalid_mail_server_url_error_omits_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        mail_server(url)
    assert "secret" not in str(error.value)
