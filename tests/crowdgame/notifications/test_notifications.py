""" "Your turn" by mail: whoever confirmed an address is told once a turn, and nobody else."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.duels.lists import seats_of, sides_to_move
from crowdgame.duels.models import Duel
from crowdgame.duels.time_controls import BY_SLUG
from crowdgame.notifications.email import send_due
from crowdgame.notifications.models import Address, EmailNotification
from games.engine.game import SIDES
from games.models import Event, Match
from tests.crowdgame.notifications.mailbox import URL, Mailbox, confirmed, give, join, later, links, next_turn
from tests.voting.boxes import ask
from tests.voting.match_helpers import CLASSIC, RED_WINS, only_turn, open_now, play, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.types import Held

pytestmark = pytest.mark.django_db


def test_each_turn_is_told_once_and_stop_stops_at_once(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    send_due(box)
    assert not mailbox.mails  # whoever is at the board sees it
    later()
    send_due(box)
    send_due(box)
    (mail,) = mailbox.mails
    assert mail["Subject"].startswith("Your turn against Guest ")
    assert "You have 3 days left" in str(mail.get_payload())
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop = links(mail)["stop"]
    assert mail["List-Unsubscribe"].split() == [f"<{URL}{stop}>"]
    assert links(mail)[code] == f"/play/{code}"

    next_turn(code, box)
    assert EmailNotification.objects.count() == 1
    strict = Client(enforce_csrf_checks=True)
    assert "Stop the mails" in strict.get(stop).content.decode()
    assert strict.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Address.objects.exists()
    assert not EmailNotification.objects.exists()
    assert "They are stopped" in strict.get(stop).content.decode()
    assert strict.get(stop[:-3]).status_code == 404


def test_in_a_rematch_the_other_colour_is_told(box: BallotBox, mailbox: Mailbox) -> None:
    """The two have changed sides: who has picked is told nothing, and the other against whom it is."""
    client, code = confirmed(box, mailbox)
    other = join(code)
    play(Match.objects.get(), box, RED_WINS)
    EmailNotification.objects.all().delete()
    for one in (client, other):
        one.post(f"/play/{code}/rematch")
    duel, me = Duel.objects.get(), Address.objects.get().guest
    turn = only_turn(Match.objects.get(number=2))
    open_now(turn, box)
    mine, theirs = ("yellow", "red") if duel.one == me else ("red", "yellow")
    vote(turn, box, **{theirs: [1]})
    later()
    send_due(box)
    (mail,) = mailbox.mails
    assert mail["Subject"] == f"Your turn against {duel.two if duel.one == me else duel.one}"
    EmailNotification.objects.create(address=Address.objects.get(), turn=turn, due_at=timezone.now())
    vote(turn, box, **{mine: [2]})
    send_due(box)
    assert len(mailbox.mails) == 1


def test_who_waits_for_the_other_gets_no_mail(box: BallotBox, mailbox: Mailbox) -> None:
    """In the classic game one side is to move in each turn; both players have given an address."""
    duel = join_duel(
        new_duel(new_guest(), DuelSettings(game=CLASSIC, time_control=BY_SLUG["3-days"])).event.code,
        new_guest(),
        box,
    )
    match, now = Match.objects.get(), timezone.now()
    for guest in filter(None, (duel.one, duel.two)):
        Address.objects.create(guest=guest, email=f"{guest}@example.org", asked_at=now, confirmed_at=now)
    for _ in range(2):
        play_turn(only_turn(match), box, red=[1], yellow=[1])
        (side,) = sides_to_move(match)
        assert (
            EmailNotification.objects.latest("pk").address.guest == seats_of(duel, match)[SIDES.index(side)]
        )
    assert EmailNotification.objects.count() == 2


def test_who_has_logged_in_leaves_no_letter_that_nobody_can_send(box: BallotBox, mailbox: Mailbox) -> None:
    """The game is an account's now; the mails that are due to others go."""
    client, code = confirmed(box, mailbox)
    join(code)
    Client().post("/play/account", {"name": "Ada", "password": "anchors-aweigh"})
    client.post("/play/login", {"name": "Ada", "password": "anchors-aweigh"})
    later()
    other = Client()
    other.post("/play/new")
    give(other, "bob@example.org")
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not EmailNotification.objects.filter(turn__isnull=False).exists()


def test_a_game_of_minutes_is_told_by_no_mail(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox, time_control="5-min")
    join(code)
    assert not EmailNotification.objects.exists()


def test_no_mail_for_who_has_picked(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    turn = only_turn(Match.objects.get())
    open_now(turn, box)
    vote(turn, box, red=[1], yellow=[2])
    later()
    send_due(box)
    assert (mailbox.mails, EmailNotification.objects.count()) == ([], 0)


def test_who_has_the_page_open_is_told_later(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    event = Event.objects.get()
    here = (1, 0) if event.duel.one == Address.objects.get().guest else (0, 1)
    ask(lambda own: own.heartbeat(event.pk, "a", (1, 1), Held(here)))
    send_due(box)
    assert not mailbox.mails
    assert EmailNotification.objects.get().due_at > timezone.now() + timedelta(minutes=9)
    ask(lambda own: own.leave(event.pk, "a"))
    later()
    send_due(box)
    assert len(mailbox.mails) == 1
