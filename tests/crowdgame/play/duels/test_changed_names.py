"""A changed name shows in a guest's unfinished games, and in the rematch of a finished one."""

import pytest
from django.test import Client

from crowdgame.accounts import accounts
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.play.duels.lists import load_page
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match

pytestmark = pytest.mark.django_db


def started(box: BallotBox, one: Guest) -> Match:
    duel = join_duel(new_duel(one, DuelSettings()).event.code, new_guest(), box)
    return Match.objects.select_related("event").get(event=duel.event)


def test_new_name_shows_in_unfinished_games_only(box: BallotBox, client: Client) -> None:
    guest = new_guest()
    old = str(guest)
    ended, live = started(box, guest), started(box, guest)
    play(ended, box, RED_WINS)
    waiting = new_duel(guest, DuelSettings())
    seq = Match.objects.select_related("event").get(pk=live.pk).event.seq
    accounts.create_account(guest, "Ada", "only-for-tests")
    accounts.rename(guest, "Grace")
    names = {line.code: line.names for kind in ("open", "running", "finished") for line in load_page(kind, 1)}
    assert "Grace" in names[live.event.code]
    assert "Grace" in names[waiting.event.code]
    assert old in names[ended.event.code]
    event = Duel.objects.get(event=live.event).event
    assert "Grace" in event.name
    assert event.seq > seq
    waiting.event.refresh_from_db()
    assert waiting.event.name == "Grace's game"
    assert "Grace" in client.get(f"/play/{live.event.code}").content.decode()


def test_rematch_shows_new_name(box: BallotBox) -> None:
    guest = new_guest()
    match = started(box, guest)
    play(match, box, RED_WINS)
    accounts.create_account(guest, "Ada", "only-for-tests")
    for team in (1, 2):
        request_rematch(match.event_id, team, box)
    assert "Ada" in load_page("running", 1)[0].names
