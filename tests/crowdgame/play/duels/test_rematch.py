"""Rematches: the next match begins when both players ask, with sides swapped, and is rated."""

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels import rematch as rematch_module
from crowdgame.play.duels.duels import DuelSettings, PlayError, active_games, join_duel, new_duel
from crowdgame.play.duels.lists import load_page
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.ratings.models import RatedMatch
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, kinds, new_event, play
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match
from voting.protocol import EventState
from voting.terms import MatchState
from voting.turns.turns import start_due_match

pytestmark = pytest.mark.django_db


@pytest.fixture
def ended_duel(box: BallotBox) -> Duel:
    duel = join_duel(new_duel(new_guest(), DuelSettings()).event.code, new_guest(), box)
    play(Match.objects.get(event=duel.event), box, RED_WINS)
    return Duel.objects.select_related("event", "one", "two").get(pk=duel.pk)


def load_state(duel: Duel) -> EventState:
    return load_snapshot(Event.objects.get(pk=duel.event_id))


def test_snapshot_after_match_contains_rating_changes(ended_duel: Duel) -> None:
    state = load_state(ended_duel)
    assert state.rematch_wanted_by == 0
    assert state.match
    rated = state.match.rated
    assert rated
    assert (rated.red_before, rated.yellow_before) == (1200, 1200)
    assert rated.red_after - 1200 == 1200 - rated.yellow_after > 50


def test_rematch_starts_with_swapped_sides_when_both_ask(ended_duel: Duel, box: BallotBox) -> None:
    request_rematch(ended_duel.event_id, 2, box)
    assert load_state(ended_duel).rematch_wanted_by == 2
    seq = Event.objects.get(pk=ended_duel.event_id).seq
    request_rematch(ended_duel.event_id, 2, box)
    assert (Match.objects.count(), Event.objects.get(pk=ended_duel.event_id).seq) == (1, seq)
    request_rematch(ended_duel.event_id, 1, box)
    match = Match.objects.get(number=2)
    assert (match.red.number, match.yellow.number, match.state) == (2, 1, MatchState.PLAYING)
    assert load_state(ended_duel).rematch_wanted_by is None
    assert kinds(ended_duel.event_id)[-1] == "match.started"
    with pytest.raises(PlayError, match="already started"):
        request_rematch(ended_duel.event_id, 1, box)
    play(match, box, RED_WINS)
    assert RatedMatch.objects.count() == 2
    assert ended_duel.two
    assert ended_duel.two.ratings.get().games == 2
    request_rematch(ended_duel.event_id, 1, box)
    request_rematch(ended_duel.event_id, 2, box)
    assert Match.objects.get(number=3).red.number == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_rematch_requests_start_one_match(ended_duel: Duel, box: BallotBox) -> None:
    teams = [1, 2]
    assert at_once(2, lambda own: request_rematch(ended_duel.event_id, teams.pop(), own)) == []
    assert Match.objects.filter(state=MatchState.PLAYING).count() == 1


def test_due_rematch_starts_after_requester_crashed(
    ended_duel: Duel, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rematch_module, "start_due_match", lambda *_: None)
    request_rematch(ended_duel.event_id, 1, box)
    request_rematch(ended_duel.event_id, 2, box)
    with pytest.raises(PlayError, match="already started"):
        request_rematch(ended_duel.event_id, 1, box)
    assert load_state(ended_duel).rematch_wanted_by is None
    assert Match.objects.count() == 1
    start_due_match(ended_duel.event_id, box)
    assert Match.objects.filter(state=MatchState.PLAYING).count() == 1


def test_event_without_duel_offers_no_rematch(box: BallotBox) -> None:
    event = new_event()
    assert load_snapshot(event).rematch_wanted_by is None
    with pytest.raises(PlayError, match="no rematch"):
        request_rematch(event.pk, 1, box)


def test_rematched_game_is_listed_by_its_latest_match(ended_duel: Duel, box: BallotBox) -> None:
    assert ended_duel.one
    assert [line.match for line in load_page("finished", 1)] == [1]
    assert not active_games(ended_duel.one).exists()
    request_rematch(ended_duel.event_id, 1, box)
    request_rematch(ended_duel.event_id, 2, box)
    assert [line.match for line in load_page("running", 1)] == [2]
    assert load_page("running", 1)[0].names == (str(ended_duel.two), str(ended_duel.one))
    assert [line.match for line in load_page("finished", 1)] == [1]
    assert active_games(ended_duel.one).count() == 1
    play(Match.objects.get(number=2), box, RED_WINS)
    finished = load_page("finished", 1)
    assert [(line.match, line.won, line.names[0]) for line in finished] == [(2, 1, str(ended_duel.two))]


def test_game_page_shows_rating_change_and_rematch(box: BallotBox) -> None:
    one, two = Client(), Client()
    code = one.post("/play/new")["Location"].rpartition("/")[2]
    two.post(f"/play/{code}/join")
    assert one.post(f"/play/{code}/rematch").status_code == 409
    play(Match.objects.get(), box, RED_WINS)
    page = one.get(f"/play/{code}").content.decode()
    assert "1282 (+82)" in page
    assert "1118 (\N{MINUS SIGN}82)" in page
    assert "Rematch" in page
    assert "Rematch" not in Client().get(f"/play/{code}").content.decode()
    assert Client().post(f"/play/{code}/rematch").status_code == 403
    assert one.post(f"/play/{code}/rematch")["Location"] == f"/play/{code}"
    assert "You asked for a rematch" in one.get(f"/play/{code}").content.decode()
    assert "Your opponent wants a rematch" in two.get(f"/play/{code}").content.decode()
    two.post(f"/play/{code}/rematch")
    assert Match.objects.filter(state=MatchState.PLAYING).exists()
    assert "Game in progress" in one.get(f"/play/{code}").content.decode()
