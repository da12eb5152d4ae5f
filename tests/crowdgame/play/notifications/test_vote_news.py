from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from crowdgame.maintenance.retention import purge_addresses
from crowdgame.play.notifications.email import send_due
from crowdgame.play.notifications.email_messages import HOUR_MS
from crowdgame.play.notifications.models import EmailAddress, EmailNotification, PushSubscription
from crowdgame.play.notifications.vote_messages import format_deadline
from crowdgame.play.notifications.vote_news import reminder_at
from tests.crowdgame.play.notifications.conftest import EMAIL, URL, links, move_deadline, open_turn, send_all
from tests.mailbox import Mailbox
from tests.voting.action_helpers import press, record_voters
from tests.voting.box_helpers import ask
from tests.voting.match_helpers import CLASSIC, ballots, new_event, only_turn, play_turn, store
from voting.admission.seats import Seat, sign_seat
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, Match, Team, Turn
from voting.terms import HANDS, MatchState
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
DAY_S = 24 * 3600


def submit(event: Event, voter: str = "red1", team: int = 1, email: str = EMAIL, time_zone: str = "") -> int:
    seat = sign_seat(Seat(event.pk, voter, team))
    answer = Client().post(f"/play/mail/{event.code}", {"email": email, "seat": seat, "time_zone": time_zone})
    return int(answer.status_code)


def subscribe(event: Event, box: BallotBox, mailbox: Mailbox, voter: str = "red1", team: int = 1) -> None:
    """Add and confirm the address VOTER@example.org."""
    assert submit(event, voter, team, f"{voter}@example.org", "Europe/Berlin") == 200
    send_due(box)
    assert Client().post(links(mailbox.mails.pop())["confirm"]).status_code == 200


@pytest.fixture
def event(box: BallotBox, mailbox: Mailbox) -> Event:
    """An event of days, one voter of which has confirmed an address."""
    event = new_event(window_s=DAY_S)
    subscribe(event, box, mailbox)
    return event


@pytest.fixture
def turn(event: Event, box: BallotBox) -> Turn:
    return open_turn(event, box)


def test_vote_is_mailed_once_with_one_reminder(turn: Turn, box: BallotBox, mailbox: Mailbox) -> None:
    EmailAddress.objects.create(event=turn.match.event, voter="other", team=2, email=EMAIL)
    send_due(box)
    assert not mailbox.mails  # those who are there see it by themselves
    send_all(box)
    send_all(box)
    (mail,) = mailbox.mails
    assert (mail["To"], mail["Subject"]) == ("red1@example.org", "The vote is open: An evening")
    assert f"{URL}/{turn.match.event.code}" in str(mail.get_payload())
    assert "(Europe/Berlin)" in str(mail.get_payload())
    move_deadline(turn, box, 3 * HOUR_MS + 60_000)
    send_all(box)
    assert len(mailbox.mails) == 1
    assert timedelta(0) < EmailNotification.objects.get().due_at - timezone.now() <= timedelta(minutes=1)
    move_deadline(turn, box, 3 * HOUR_MS)
    send_all(box)
    send_all(box)
    assert [mail["Subject"] for mail in mailbox.mails[1:]] == ["Vote soon: An evening"]
    assert not EmailNotification.objects.exists()
    assert reminder_at(Turn(opens_at=HOUR_MS, closes_at=9 * HOUR_MS)) == 7 * HOUR_MS
    play_turn(turn, box, red=[1], yellow=[2])
    move_deadline(only_turn(turn.match), box, 23 * HOUR_MS)
    send_all(box)
    assert ["turn 2" in str(mail.get_payload()) for mail in mailbox.mails[2:]] == [True]
    stop = links(mail)["stop"]
    assert mail["List-Unsubscribe"].split() == [f"<{URL}{stop}>"]
    assert "You can still vote" in Client().get(stop).content.decode()
    assert Client().post(stop).status_code == 200
    assert EmailAddress.objects.get().voter == "other"


@pytest.mark.parametrize(
    "why", ["voted", "banned", "moved", "changed", "hands", "closed", "not to move", "no game"]
)
def test_voter_who_need_not_vote_gets_no_mail(why: str, box: BallotBox, mailbox: Mailbox) -> None:
    first = "yellow" if why == "not to move" else "red"
    event = new_event(game=CLASSIC, window_s=DAY_S, options={"first": first})
    subscribe(event, box, mailbox)
    turn = open_turn(event, box)
    code = derive_voter_code("red1")
    if why == "voted":
        store(turn, ballots("red", [3]))
    elif why in {"banned", "moved"}:
        record_voters(event.pk, code)
        action = {"banned": "voter.ban", "moved": "voter.move"}[why]
        press(event.pk, action, box, voter_code=code, team=2)
    elif why == "changed":
        turn.match.side_changes.create(voter="red1", number=1, turn=1, side="yellow", blind="0" * 32)
    elif why == "hands":
        Team.objects.filter(number=1).update(source=HANDS)
    elif why == "closed":
        play_turn(turn, box, red=[1])
    elif why == "no game":
        Match.objects.update(game="removed-game")
    send_all(box)
    assert (mailbox.mails, EmailNotification.objects.count()) == ([], 0)


def test_late_mail_is_only_the_reminder_and_the_only_one_of_its_day(
    turn: Turn, box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crowdgame.play.notifications.due_notifications.MAX_VOTE_NEWS_PER_DAY", 1)
    move_deadline(turn, box, 3 * HOUR_MS)
    for _ in range(2):
        send_all(box)
    play_turn(turn, box, red=[1], yellow=[2])
    move_deadline(only_turn(turn.match), box, 23 * HOUR_MS)
    send_all(box)
    assert [mail["Subject"] for mail in mailbox.mails] == ["Vote soon: An evening"]
    assert [row.news for row in EmailNotification.objects.all()] == ["vote_reminder"], "the other is dropped"


def test_mail_hides_other_voters(turn: Turn, box: BallotBox, mailbox: Mailbox) -> None:
    store(turn, ballots("red", [3, 4, 4])[1:] + ballots("yellow", [5]))
    Turn.objects.filter(pk=turn.pk).update(closes_at=1_900_000_000_000)
    send_all(box)
    (mail,) = mailbox.mails
    assert " ".join(str(mail.get_payload()).split()) == (
        "Hello, turn 1 of “An evening” is open. Vote before March 17, 2030, 6:46 p.m. (Europe/Berlin). "
        f"{URL}/{turn.match.event.code} Unsubscribe: {URL}{links(mail)['stop']}"
    )


def test_mail_is_postponed_while_paused_or_connected(turn: Turn, box: BallotBox, mailbox: Mailbox) -> None:
    event_id = turn.match.event_id
    for _ in range(2):  # without votes, so that the third turn begins paused
        play_turn(only_turn(turn.match), box)
    send_all(box)
    press(event_id, "turn.resume", box)
    move_deadline(only_turn(turn.match), box, 23 * HOUR_MS)
    record_voters(event_id, derive_voter_code("red1"))
    ask(lambda own: own.heartbeat(event_id, "a", (turn.pk, 1), PresenceCounts((1, 0))))
    send_all(box)
    assert (mailbox.mails, EmailNotification.objects.count()) == ([], 2)
    ask(lambda own: own.leave(event_id, "a"))
    Team.objects.filter(number=1).update(source=HANDS)  # so that all phones vote for team 2
    send_all(box)
    assert len(mailbox.mails) == 1


@pytest.mark.usefixtures("mailbox")
def test_short_windows_and_clocks_offer_no_mail(box: BallotBox) -> None:
    fields = {"voter": "red1", "team": 1, "email": EMAIL, "confirmed_at": timezone.now()}
    for event in (new_event(window_s=3599), new_event(window_s=DAY_S, bank_s=DAY_S)):
        assert submit(event) == 404
        assert not load_snapshot(event).vote_mail
        EmailAddress.objects.create(event=event, **fields)
        start_match(event.pk, box)
    assert not EmailNotification.objects.exists()


def test_address_needs_seat_of_event_and_is_limited(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_snapshot(event).vote_mail
    other = new_event(window_s=DAY_S)
    for seat in (sign_seat(Seat(other.pk, "red9", 1)), "", "made.up.1:x"):
        answer = Client().post(f"/play/mail/{event.code}", {"email": EMAIL, "seat": seat})
        assert (answer.status_code, "in which you vote" in answer.content.decode()) == (400, True)
    monkeypatch.setattr("crowdgame.play.notifications.addresses.MAX_ADDRESSES_PER_EVENT", 1)
    assert submit(event, "red2") == 400
    assert submit(event, "red1", time_zone="Atlantis/Capital") == 200  # replaces its own
    assert submit(event, "red1") == 400  # one confirmation request a day for each address
    address = EmailAddress.objects.get()
    assert (address.email, address.time_zone) == (EMAIL, "")
    assert format_deadline(0, address.time_zone) == "Jan. 1, 1970, midnight (UTC)"
    assert format_deadline(0, "America/New_York") == "Dec. 31, 1969, 7 p.m. (America/New York)"


def test_purge_deletes_voter_addresses_and_devices_after_event(turn: Turn) -> None:
    month, now = timedelta(days=31), timezone.now()
    EmailAddress.objects.update(confirmed_at=now - 2 * month)
    PushSubscription.objects.create(event=turn.match.event, voter="red1", endpoint="https://push.example/")
    PushSubscription.objects.update(seen_at=now - 2 * month)
    assert purge_addresses() == 0  # the match is live
    ended = Match.objects.filter(pk=turn.match_id)
    ended.update(state=MatchState.ABORTED, ended_at=now.timestamp() * 1000)
    assert purge_addresses() == 0
    ended.update(ended_at=(now - month).timestamp() * 1000)
    Event.objects.update(next_match_at=1)
    assert purge_addresses() == 0
    Event.objects.update(next_match_at=None)
    assert purge_addresses() == 4  # with the address's two notifications
