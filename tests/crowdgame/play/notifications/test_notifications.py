from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.email_messages import DAY_MS, HOUR_MS, format_time_left
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from crowdgame.play.notifications.news import LONG_WINDOW_MS
from games.engine.game import SIDES, Side
from tests.crowdgame.play.duels.test_player_actions import TWO_TURNS, Playing, begin
from tests.crowdgame.play.notifications.conftest import URL, guest_with_address, links, send_all
from tests.mailbox import Mailbox
from tests.voting.box_helpers import ask
from tests.voting.match_helpers import CLASSIC, RED_WINS, only_turn, open_now, play, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts
from voting.models import Event, Match, Turn
from voting.protocol import DuelAction

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mailbox")]


@pytest.mark.usefixtures("player")
def test_each_live_turn_sends_one_mail_and_stop_link_unsubscribes(box: BallotBox, mailbox: Mailbox) -> None:
    send_due(box)
    assert not mailbox.mails  # not due yet: a player at the board sees the turn
    send_all(box)
    send_due(box)
    (mail,) = mailbox.mails
    assert mail["Subject"].startswith("Your turn against Guest ")
    assert "You have 3 days left" in str(mail.get_payload())
    texts = [format_time_left(ms) for ms in (HOUR_MS, DAY_MS + 2 * HOUR_MS, DAY_MS - 1)]
    assert texts == ["1 hour", "1 day and 2 hours", "23 hours"]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop, code = links(mail)["stop"], Event.objects.get().code
    assert mail["List-Unsubscribe"].split() == [f"<{URL}{stop}>"]
    assert links(mail)[code] == f"/play/{code}"

    turn = only_turn(Match.objects.get())
    turn.save()
    assert not EmailNotification.objects.exists()
    EmailNotification.objects.create(address=EmailAddress.objects.get(), turn=turn, due_at=timezone.now())
    play_turn(turn, box, red=[1], yellow=[2])
    send_all(box)
    assert ["(turn 2)" in str(mail.get_payload()) for mail in mailbox.mails] == [False, True]
    EmailNotification.objects.create(address=EmailAddress.objects.get(), turn=turn, due_at=timezone.now())
    strict = Client(enforce_csrf_checks=True)
    assert "Unsubscribe" in strict.get(stop).content.decode()
    assert strict.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not EmailAddress.objects.exists()
    assert not EmailNotification.objects.exists()
    assert "any more e-mails" in strict.get(stop).content.decode()
    assert strict.get(stop[:-3]).status_code == 404


def test_rematch_mail_follows_swapped_sides(player: Client, box: BallotBox, mailbox: Mailbox) -> None:
    play(Match.objects.get(), box, RED_WINS)
    EmailNotification.objects.all().delete()
    for team in (1, 2):
        request_rematch(Event.objects.get().pk, team, box)
    duel, address = Duel.objects.get(), EmailAddress.objects.get()
    turn = only_turn(Match.objects.get(number=2))
    open_now(turn, box)
    is_one = duel.one == address.guest
    mine, theirs, opponent = ("yellow", "red", duel.two) if is_one else ("red", "yellow", duel.one)
    vote(turn, box, **{theirs: [1]})
    send_all(box)
    (mail,) = mailbox.mails
    assert mail["Subject"] == f"Your turn against {opponent}"
    EmailNotification.objects.create(address=address, turn=turn, due_at=timezone.now())
    vote(turn, box, **{mine: [2]})
    send_due(box)
    assert (len(mailbox.mails), EmailNotification.objects.count()) == (1, 0)


def test_only_players_to_move_with_confirmed_address_and_time_are_notified(box: BallotBox) -> None:
    """Of each turn's two players, one has a confirmed address, enough time left, or the move."""
    playing = begin_long(box)
    EmailAddress.objects.filter(guest=playing.yellow).update(confirmed_at=None)
    play_turn(only_turn(playing.match), box, red=[1], yellow=[2])
    assert EmailNotification.objects.get().address.guest == playing.red
    EmailAddress.objects.update(confirmed_at=timezone.now())
    Turn.objects.update(red_bank_ms=LONG_WINDOW_MS - 1)
    play_turn(only_turn(playing.match), box, red=[1], yellow=[2])
    assert EmailNotification.objects.get(turn__number=3).address.guest == playing.yellow
    classic = begin_long(box, game=CLASSIC, options={"first": "red"})
    for guest in (classic.yellow, classic.red):
        play_turn(only_turn(classic.match), box, red=[1], yellow=[1])
        assert EmailNotification.objects.get(turn=only_turn(classic.match)).address.guest == guest


@pytest.mark.usefixtures("player")
@pytest.mark.parametrize(("spare_ms", "mails"), [(-1, 0), (60_000, 1)])
def test_player_out_of_time_gets_no_mail(spare_ms: int, mails: int, box: BallotBox, mailbox: Mailbox) -> None:
    Turn.objects.update(opens_at=box.now() + LONG_WINDOW_MS - 3 * DAY_MS + spare_ms)
    send_all(box)
    assert (len(mailbox.mails), EmailNotification.objects.count()) == (mails, 0)


def test_login_drops_notification_delaying_no_other(player: Client, box: BallotBox, mailbox: Mailbox) -> None:
    """The game now belongs to the account; mails due to others are still sent."""
    Client().post("/play/account", {"username": "Ada", "password1": "anchors-aweigh"})
    player.post("/play/login", {"login": "Ada", "password": "anchors-aweigh"})
    guest_with_address("bob@example.org")
    send_all(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not EmailNotification.objects.filter(turn__isnull=False).exists()


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


def begin_long(box: BallotBox, time_control: str = "3-days", **settings: Any) -> Playing:
    """A game of two players with confirmed addresses, named after their sides. A stranger has one, too."""
    playing = begin(box, time_control=TIME_CONTROLS_BY_SLUG[time_control], **settings)
    for name, guest in (("red", playing.red), ("yellow", playing.yellow), ("stranger", new_guest())):
        EmailAddress.objects.create(guest=guest, email=f"{name}@example.org", confirmed_at=timezone.now())
    return playing


def drop_turn_mails() -> None:
    EmailNotification.objects.filter(news="").delete()


def planned() -> set[str]:
    stored = EmailNotification.objects.exclude(news="").values_list("address__email", "news")
    return {f"{address.partition('@')[0]} {news}" for address, news in stored}


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ("red draw", {"yellow draw_offered"}),
        ("red draw, yellow draw", {"yellow draw_offered", "red draw_accepted"}),
        ("red draw, yellow decline", {"yellow draw_offered", "red draw_declined"}),
        ("red takeback", {"yellow takeback_offered"}),
        ("yellow takeback, red takeback", {"red takeback_offered", "yellow takeback_accepted"}),
        ("yellow takeback, red decline", {"red takeback_offered", "yellow takeback_declined"}),
        ("red resign", {"yellow resigned"}),
        ("yellow abort", {"red aborted"}),
    ],
)
def test_opponent_is_notified_of_what_a_player_does(box: BallotBox, actions: str, expected: set[str]) -> None:
    playing = begin_long(box, casual=True)
    play(playing.match, box, TWO_TURNS if "abort" not in actions else [])
    for who, action in map(str.split, actions.split(", ")):
        playing.do(getattr(playing.match, who).number, msgspec.convert(action, DuelAction), box)
    assert planned() == expected


def test_refused_actions_and_short_games_notify_nobody(box: BallotBox) -> None:
    playing = begin_long(box)
    play(playing.match, box, TWO_TURNS)
    refused: tuple[DuelAction, ...] = ("abort", "takeback", "decline")
    for action in refused:
        playing.refusal(1, action, box)
    for time_control, confirmed_at in (("5-min", timezone.now()), ("3-days", None)):
        EmailAddress.objects.all().delete()
        playing = begin_long(box, time_control)
        EmailAddress.objects.update(confirmed_at=confirmed_at)
        playing.do(1, "resign", box)
    assert planned() == set()


@pytest.mark.parametrize(("present", "result"), [(None, "draw"), *((side, "red") for side in (None, *SIDES))])
def test_absent_players_get_the_result(
    present: Side | None, result: str, box: BallotBox, mailbox: Mailbox
) -> None:
    playing = begin_long(box)
    play(playing.match, box, RED_WINS)
    Match.objects.update(result=result)
    place = getattr(playing.match, present).number if present else 0
    here = PresenceCounts((int(place == 1), int(place == 2)))
    ask(lambda own: own.heartbeat(playing.duel.event_id, "a", (1, 1), here))
    drop_turn_mails()
    send_all(box)
    send_all(box)
    red, yellow = playing.match.red.name, playing.match.yellow.name
    subjects = {"red": (f"You won against {yellow}", f"You lost to {red}")}
    subjects["draw"] = f"Your game against {yellow} is a draw", f"Your game against {red} is a draw"
    expected = dict(zip(("red@example.org", "yellow@example.org"), subjects[result], strict=True))
    expected.pop(f"{present}@example.org", None)
    assert sorted((mail["To"], mail["Subject"]) for mail in mailbox.mails) == sorted(expected.items())
    assert planned() == set()


def test_open_offers_are_mailed_with_opponent_turn_and_page(box: BallotBox, mailbox: Mailbox) -> None:
    playing = begin_long(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    drop_turn_mails()
    teams, red, yellow = playing.teams, playing.match.red.name, playing.match.yellow.name
    playing.do(teams[0], "draw", box)
    playing.do(teams[1], "decline", box)
    playing.do(teams[0], "takeback", box)
    playing.do(teams[1], "draw", box)
    send_due(box)
    assert not mailbox.mails  # someone at the board sees the offers
    send_all(box)
    mails = {str(mail["Subject"]): mail for mail in mailbox.mails}
    assert sorted((mail["To"], subject) for subject, mail in mails.items()) == [
        ("red@example.org", f"{yellow} declined your draw offer"),
        ("red@example.org", f"{yellow} offers a draw"),
        ("yellow@example.org", f"{red} asks to take back the last turn"),
    ]
    offer = mails[f"{yellow} offers a draw"]
    assert "You can answer until turn 3 ends." in str(offer.get_payload())
    assert f"{URL}/play/{playing.duel.event.code}" in str(offer.get_payload()).split()
    assert offer["List-Unsubscribe"]
    EmailAddress.objects.update(language="de")
    playing.do(teams[0], "decline", box)
    send_all(box)
    assert mailbox.mails[3]["Subject"] == f"{red} hat dein Unentschieden abgelehnt"


def test_news_lapse_or_are_capped(box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crowdgame.play.notifications.due_notifications.MAX_NEWS_PER_DAY", 1)
    playing = begin_long(box, casual=True)
    playing.do(playing.teams[1], "draw", box)
    play(playing.match, box, TWO_TURNS)
    drop_turn_mails()
    send_all(box)
    assert mailbox.mails == [], "the offer has lapsed"
    playing.do(playing.teams[0], "draw", box)
    playing.do(playing.teams[0], "takeback", box)
    send_all(box)
    assert (len(mailbox.mails), planned()) == (1, set())
    playing.do(playing.teams[1], "decline", box)
    send_all(box)
    assert [mail["To"] for mail in mailbox.mails] == ["yellow@example.org", "red@example.org"]
