"""Retention purges old chat messages and the moderation records about them."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.chat import retention as chat_retention
from crowdgame.play.chat.models import ChatLine, ChatMute, ChatReport, ChatRoom
from crowdgame.play.chat.moderation import mute, remove_message
from crowdgame.play.chat.posting import MessageAuthor, post_message, report
from crowdgame.play.chat.retention import purge_chat
from crowdgame.play.chat.rooms import find_room
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.turns.scheduler import PURGE_EVERY_S, DeadlineScheduler

pytestmark = pytest.mark.django_db


def message(text: str, place: str = "lobby") -> ChatLine:
    room = find_room(place)
    assert room
    return post_message(room, MessageAuthor(None, new_guest), text)


def backdate_messages(days: float) -> None:
    then = timezone.now() - timedelta(days=days)
    ChatLine.objects.update(at=then)
    LogEntry.objects.update(action_time=then)


def old_message() -> ChatLine:
    """A message older than 30 days, with a report, a mute and a log entry."""
    line, boss = message("long ago"), User.objects.create_user("mo")
    report(line, None, "other")
    mute(line, boss, "hour")
    ChatMute.objects.update(until=timezone.now())
    remove_message(line, boss)
    backdate_messages(31)
    return line


@pytest.mark.parametrize("by", ["purge", "scheduler", "command"])
def test_old_messages_and_their_records_are_purged(by: str, box: BallotBox) -> None:
    old_message()
    new, out = message("just now"), StringIO()
    if by == "purge":
        assert list(purge_chat(30))
        assert list(purge_chat(30)) == []
    elif by == "scheduler":
        scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
        for _ in range(9):
            scheduler._purge_periodically()
    else:
        call_command("retention", "--dry-run", stdout=out)
        assert "moderation entries older than 30 days" in out.getvalue()
        assert ChatLine.objects.count() == 2
        call_command("retention", stdout=out)
    assert list(ChatLine.objects.all()) == [new]
    for left in (ChatReport.objects, ChatMute.objects, LogEntry.objects):
        assert left.count() == 0


def test_purge_chat_works_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_retention, "ROWS_PER_STEP", 2)
    for number in range(5):
        message(f"number {number}")
    backdate_messages(31)
    assert list(purge_chat(30)) == [2, 4, 5]


def test_deleting_event_deletes_its_chat(box: BallotBox) -> None:
    code = new_duel(new_guest(), DuelSettings()).event.code
    join_duel(code, new_guest(), box)
    message("Column 4!", f"{code}-watchers")
    Event.objects.all().delete()
    assert not ChatRoom.objects.filter(kind="watchers").exists()
    assert not ChatLine.objects.exists()
