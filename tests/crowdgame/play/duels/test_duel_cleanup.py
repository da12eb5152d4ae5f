"""Cleanup of games that nobody joined, and of guests who have nothing else left."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.guest_names import find_guest, new_guest
from crowdgame.accounts.models import Guest
from crowdgame.maintenance.retention import anonymize_events
from crowdgame.play.chat.models import ChatLine
from crowdgame.play.duels.cleanup import (
    GAMES_PER_STEP,
    _drop_game,
    abandoned_games,
    clean_up_duels,
    stale_guests,
)
from crowdgame.play.duels.creation_limits import hash_network
from crowdgame.play.duels.duels import DuelSettings, join_duel, load_seat_key, new_duel, start_for_one
from crowdgame.play.duels.models import Duel
from tests.chat_helpers import post_chat_message
from tests.crowdgame.maintenance.test_retention import backdate_event
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, Ticket
from voting.turns.scheduler import PURGE_EVERY_S, DeadlineScheduler

pytestmark = pytest.mark.django_db
DAYS = 60


def game(days_ago: int = DAYS + 1, crowd: bool = False) -> tuple[Duel, Guest]:
    guest = new_guest()
    duel = new_duel(guest, DuelSettings(crowd=crowd))
    Event.objects.filter(pk=duel.event_id).update(created_at=timezone.now() - timedelta(days=days_ago))
    Guest.objects.filter(pk=guest.pk).update(seen_on=timezone.localdate() - timedelta(days=days_ago))
    return duel, guest


def test_clean_up_deletes_deserted_games_and_their_guests(box: BallotBox) -> None:
    deserted, _ = game()
    fresh, _ = game(DAYS - 1)
    joined, _ = game()
    join_duel(joined.event.code, new_guest(), box)
    crowd_duel, maker = game(crowd=True)
    start_for_one(crowd_duel.event.code, maker, box)
    full, creator = game()
    Duel.objects.filter(pk=full.pk).update(one=creator, two=new_guest())
    assert list(abandoned_games(DAYS)) == [deserted]
    assert not stale_guests(DAYS).exists()
    assert list(clean_up_duels(DAYS)) == [1, 1]
    assert set(Duel.objects.all()) == {fresh, joined, crowd_duel, full}
    assert Event.objects.count() == 4
    assert Guest.objects.count() == 6


def test_clean_up_deletes_network_hashes_after_an_hour() -> None:
    for days_ago in (0, 1):
        duel, _ = game(days_ago)
        Duel.objects.filter(pk=duel.pk).update(network=hash_network("93.184.216.7"))
    assert list(clean_up_duels(DAYS)) == [1]
    assert [bool(duel.network) for duel in Duel.objects.order_by("pk")] == [True, False]
    assert list(clean_up_duels(DAYS)) == []


def test_returning_guest_is_kept(box: BallotBox) -> None:
    client = Client()
    client.post("/play/new")
    one, returned, with_account = Guest.objects.get(), new_guest(), new_guest()
    Guest.objects.update(seen_on=timezone.localdate() - timedelta(days=DAYS + 1))
    user = User.objects.create_user("ada")
    Guest.objects.filter(pk=with_account.pk).update(name="Ada", user=user)
    Duel.objects.all().delete()
    assert find_guest(returned.pk) == returned
    assert list(stale_guests(DAYS)) == [one]
    client.get("/play/")
    assert not stale_guests(DAYS).exists()
    assert find_guest(0) is None


def test_game_joined_during_clean_up_is_kept(box: BallotBox) -> None:
    duel, _ = game()
    join_duel(duel.event.code, new_guest(), box)
    assert not _drop_game(duel.event_id, DAYS)
    assert Event.objects.filter(pk=duel.event_id).exists()


def test_clean_up_works_in_batches() -> None:
    for _ in range(GAMES_PER_STEP + 1):
        game()
    assert [*clean_up_duels(DAYS), *clean_up_duels(DAYS)] == [GAMES_PER_STEP, 1, GAMES_PER_STEP + 1]


@pytest.mark.parametrize("by", ["scheduler", "command"])
def test_scheduler_and_command_clean_up_duels_and_chat(by: str, box: BallotBox) -> None:
    game()
    post_chat_message("lobby", "long ago")
    ChatLine.objects.update(at=timezone.now() - timedelta(days=31))
    if by == "scheduler":
        scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
        for _ in range(9):
            scheduler.chores_at = 0.0
            scheduler.run_once()
    else:
        call_command("retention", "--dry-run", stdout=(output := StringIO()))
        for said in ("moderation entries older than 30 days", "1 games and guests inactive"):
            assert said in output.getvalue()
        assert Duel.objects.exists()
        assert ChatLine.objects.exists()
        call_command("retention", stdout=output)
    assert not Duel.objects.exists()
    assert not ChatLine.objects.exists()
    assert Guest.objects.count() == 1, "who wrote the message"


def test_waiting_game_keeps_tickets_until_played(box: BallotBox) -> None:
    """A guest who joins after weeks can vote. After the match, the tickets are purged like any event's."""
    waiting, _ = game(DAYS - 1)
    Ticket.objects.update(made_at=timezone.now() - timedelta(days=DAYS - 1))
    assert list(anonymize_events(30)) == []
    guest = new_guest()
    joined = join_duel(waiting.event.code, guest, box)
    assert load_seat_key(joined, guest)
    play(Match.objects.get(), box, RED_WINS)
    backdate_event(waiting.event, 31)
    assert list(anonymize_events(30))
    assert not Ticket.objects.exists()
