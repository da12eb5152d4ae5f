"""E-mail to an absent player: offers and their answers, resignations and ends of games of days."""

from typing import Any

import pytest
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.notifications import due_notifications
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from games.engine.game import SIDES, Side, other_side
from tests.crowdgame.play.duels.test_player_actions import TWO_TURNS, Playing, begin
from tests.crowdgame.play.notifications.conftest import URL, send_all
from tests.mailbox import Mailbox
from tests.voting.box_helpers import ask
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mailbox")]


def begin_long(
    box: BallotBox, time_control: str = "3-days", language: str = "en", **settings: Any
) -> Playing:
    """A game of two players with confirmed addresses, named after their sides. A stranger has one, too."""
    playing = begin(box, time_control=TIME_CONTROLS_BY_SLUG[time_control], **settings)
    people = {"red": playing.red, "yellow": playing.yellow, "stranger": new_guest()}
    for name, guest in people.items():
        EmailAddress.objects.create(
            guest=guest, email=f"{name}@example.org", language=language, confirmed_at=timezone.now()
        )
    return playing


def planned() -> set[tuple[str, str]]:
    """Address and news of all stored news."""
    stored = EmailNotification.objects.exclude(news="").values_list("address__email", "news")
    return {(address.partition("@")[0], news) for address, news in stored}


def show_page_to(playing: Playing, side: Side) -> None:
    team = getattr(playing.match, side).number
    here = PresenceCounts((1, 0) if team == 1 else (0, 1))
    ask(lambda own: own.heartbeat(playing.duel.event_id, "a", (1, 1), here))


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (["red draw"], {("yellow", "draw_offered")}),
        (["red draw", "yellow draw"], {("yellow", "draw_offered"), ("red", "draw_accepted")}),
        (["red draw", "yellow decline"], {("yellow", "draw_offered"), ("red", "draw_declined")}),
        (["red takeback"], {("yellow", "takeback_offered")}),
        (["yellow takeback", "red takeback"], {("red", "takeback_offered"), ("yellow", "takeback_accepted")}),
        (["yellow takeback", "red decline"], {("red", "takeback_offered"), ("yellow", "takeback_declined")}),
        (["red resign"], {("yellow", "resigned")}),
    ],
)
def test_opponent_is_notified_of_what_a_player_does(
    box: BallotBox, actions: list[str], expected: set[tuple[str, str]]
) -> None:
    playing = begin_long(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    for who, action in map(str.split, actions):
        playing.do(getattr(playing.match, who).number, action, box)  # type: ignore[arg-type]
    assert planned() == expected


def test_opponent_is_notified_of_aborted_game(box: BallotBox) -> None:
    playing = begin_long(box)
    playing.do(playing.teams[1], "abort", box)
    assert planned() == {("red", "aborted")}


def test_refused_actions_notify_nobody(box: BallotBox) -> None:
    playing = begin_long(box)
    play(playing.match, box, TWO_TURNS)
    playing.refusal(1, "abort", box)
    playing.refusal(1, "takeback", box)
    playing.refusal(1, "decline", box)
    assert planned() == set()


def test_both_are_notified_how_board_decided_game(box: BallotBox, mailbox: Mailbox) -> None:
    playing = begin_long(box)
    play(playing.match, box, RED_WINS)
    send_all(box)
    send_all(box)
    subjects = {str(mail["To"]): mail["Subject"] for mail in mailbox.mails}
    assert subjects == {
        "red@example.org": f"You won against {playing.match.yellow.name}",
        "yellow@example.org": f"You lost to {playing.match.red.name}",
    }
    assert len(mailbox.mails) == 2


def test_offer_mail_names_opponent_turn_and_page(box: BallotBox, mailbox: Mailbox) -> None:
    playing = begin_long(box)
    EmailNotification.objects.all().delete()  # "your turn"
    playing.do(playing.teams[0], "draw", box)
    send_due(box)
    assert not mailbox.mails  # someone at the board sees the offer
    send_all(box)
    (mail,) = mailbox.mails
    assert mail["Subject"] == f"{playing.match.red.name} offers a draw"
    text = str(mail.get_payload())
    assert "You can answer until turn 1 ends." in text
    assert f"{URL}/play/{playing.duel.event.code}" in text.split()
    assert mail["List-Unsubscribe"]


def test_mail_is_in_language_of_address(box: BallotBox, mailbox: Mailbox) -> None:
    playing = begin_long(box, language="de")
    EmailNotification.objects.all().delete()
    playing.do(playing.teams[0], "draw", box)
    send_all(box)
    assert mailbox.mails[0]["Subject"] == f"{playing.match.red.name} bietet Unentschieden an"


@pytest.mark.parametrize("present", SIDES)
def test_connected_player_is_not_notified(present: Side, box: BallotBox, mailbox: Mailbox) -> None:
    playing = begin_long(box)
    play(playing.match, box, RED_WINS)
    show_page_to(playing, present)
    EmailNotification.objects.filter(news="").delete()
    send_all(box)
    assert [mail["To"] for mail in mailbox.mails] == [f"{other_side(present)}@example.org"]
    assert planned() == set()


def test_only_the_offers_that_are_open_are_mailed(box: BallotBox, mailbox: Mailbox) -> None:
    playing = begin_long(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    EmailNotification.objects.all().delete()
    (red, yellow), names = playing.teams, (playing.match.red.name, playing.match.yellow.name)
    playing.do(red, "draw", box)
    playing.do(yellow, "decline", box)
    playing.do(red, "takeback", box)
    playing.do(yellow, "draw", box)
    send_all(box)
    assert sorted((mail["To"], mail["Subject"]) for mail in mailbox.mails) == [
        ("red@example.org", f"{names[1]} declined your draw offer"),
        ("red@example.org", f"{names[1]} offers a draw"),
        ("yellow@example.org", f"{names[0]} asks to take back the last turn"),
    ]


def test_lapsed_offer_is_not_mailed(box: BallotBox, mailbox: Mailbox) -> None:
    playing = begin_long(box)
    playing.do(playing.teams[0], "draw", box)
    play(playing.match, box, TWO_TURNS[:1])
    EmailNotification.objects.filter(news="").delete()
    send_all(box)
    assert mailbox.mails == []


def test_news_are_limited_per_day_and_address(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_notifications, "MAX_NEWS_PER_DAY", 1)
    playing = begin_long(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    playing.do(playing.teams[0], "draw", box)
    playing.do(playing.teams[0], "takeback", box)
    EmailNotification.objects.filter(news="").delete()
    send_all(box)
    assert (len(mailbox.mails), planned()) == (1, set())
    playing.do(playing.teams[1], "decline", box)
    send_all(box)
    assert [mail["To"] for mail in mailbox.mails] == ["yellow@example.org", "red@example.org"]


def test_short_games_and_unconfirmed_addresses_are_sent_nothing(box: BallotBox) -> None:
    short = begin_long(box, "5-min")
    short.do(1, "resign", box)
    EmailAddress.objects.all().delete()
    unconfirmed = begin_long(box)
    EmailAddress.objects.update(confirmed_at=None)
    unconfirmed.do(1, "resign", box)
    assert planned() == set()
