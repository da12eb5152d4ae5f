"""The e-mails "your turn": who receives one, when, and in which words."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import get_language

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.play.duels.lists import players_by_side
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.notifications import email_messages
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.email_messages import DAY_MS, HOUR_MS, format_time_left
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from crowdgame.play.notifications.news import LONG_WINDOW_MS
from games.engine.game import SIDES
from tests.crowdgame.play.notifications.conftest import (
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
from voting.models import Event, Match, Turn
from voting.positions import load_position

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

    turn = only_turn(Match.objects.get())
    turn.save()
    assert not EmailNotification.objects.exists()
    play_turn(turn, box, red=[1], yellow=[2])
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
    for guest in filter(None, (duel.one, duel.two, new_guest())):
        EmailAddress.objects.create(guest=guest, email=f"{guest}@example.org", asked_at=now, confirmed_at=now)
    for _ in range(2):
        play_turn(only_turn(match), box, red=[1], yellow=[1])
        (side,) = load_position(match).to_move
        notified = EmailNotification.objects.latest("pk").address.guest
        assert notified == players_by_side(duel, match)[SIDES.index(side)]
    assert EmailNotification.objects.count() == 2


def test_only_confirmed_addresses_and_long_banks_are_notified(box: BallotBox, mailbox: Mailbox) -> None:
    """Of each turn's two players, one has a confirmed address or enough time left."""
    one, two = new_guest(), new_guest()
    for guest in (one, two):
        EmailAddress.objects.create(guest=guest, email=f"{guest.number}@example.org")
    EmailAddress.objects.filter(guest=one).update(confirmed_at=timezone.now())
    settings = DuelSettings(time_control=TIME_CONTROLS_BY_SLUG["3-days"])
    duel = join_duel(new_duel(one, settings).event.code, two, box)
    assert EmailNotification.objects.get().address.guest == one
    EmailAddress.objects.update(confirmed_at=timezone.now())
    match = Match.objects.get()
    sides = players_by_side(duel, match)
    short = SIDES[sides.index(one)]
    Turn.objects.update(**{f"{short}_bank_ms": LONG_WINDOW_MS - 1})
    play_turn(only_turn(match), box, red=[1], yellow=[2])
    assert EmailNotification.objects.filter(turn__number=2).get().address.guest == two


@pytest.mark.usefixtures("player")
def test_turn_that_is_over_is_not_mailed(box: BallotBox, mailbox: Mailbox) -> None:
    play_turn(only_turn(Match.objects.get()), box, red=[1], yellow=[2])
    send_all(box)
    (mail,) = mailbox.mails
    assert "(turn 2)" in str(mail.get_payload())


@pytest.mark.usefixtures("player")
@pytest.mark.parametrize(("spare_ms", "mails"), [(-1, 0), (60_000, 1)])
def test_player_with_too_little_time_left_receives_no_mail(
    spare_ms: int, mails: int, box: BallotBox, mailbox: Mailbox
) -> None:
    Turn.objects.update(opens_at=box.now() + LONG_WINDOW_MS - 3 * DAY_MS + spare_ms)
    send_all(box)
    assert (len(mailbox.mails), EmailNotification.objects.count()) == (mails, 0)


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


def test_remaining_time_is_worded_in_days_and_hours() -> None:
    texts = [format_time_left(ms) for ms in (HOUR_MS, 3 * DAY_MS, DAY_MS + 2 * HOUR_MS, DAY_MS - 1)]
    assert texts == ["1 hour", "3 days", "1 day and 2 hours", "23 hours"]
