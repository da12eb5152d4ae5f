"""One against a crowd: a seat for the creator, and everyone else in the other team."""

from typing import Any

import pytest

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.duels.duels import (
    DuelSettings,
    PlayError,
    active_games,
    join_duel,
    load_seat_key,
    new_duel,
    seat_number,
    start_against_crowd,
)
from crowdgame.duels.lists import load_guest_games, load_page
from crowdgame.duels.models import Duel
from crowdgame.duels.rematch import request_rematch
from crowdgame.duels.time_controls import TIME_CONTROLS_BY_SLUG
from games.models import Event, Match, MatchState, Team
from tests.voting.match_helpers import RED_WINS, play
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Ticket

pytestmark = pytest.mark.django_db


def crowd_game(**duel_settings: Any) -> tuple[Duel, Guest]:
    guest = new_guest()
    return new_duel(guest, DuelSettings(crowd=True, **duel_settings)), guest


def test_crowd_game_has_solo_team_and_open_team() -> None:
    duel, guest = crowd_game(time_control=TIME_CONTROLS_BY_SLUG["1-min"])
    event, place = duel.event, seat_number(duel, guest)
    teams = {team.number: (team.name, team.solo) for team in Team.objects.filter(event=event)}
    assert teams == {place: (str(guest), True), 3 - place: ("The crowd", False)}
    assert (event.admission, event.window_s, event.bank_s) == ("open", 15, None)
    assert Ticket.objects.get(event=event).code == load_seat_key(duel, guest)
    assert seat_number(duel, None) == 0


def test_only_creator_takes_seat_and_begins_crowd_game(box: BallotBox) -> None:
    duel, _ = crowd_game()
    for action in (join_duel, start_against_crowd):
        with pytest.raises(PlayError):
            action(duel.event.code, new_guest(), box)
    assert not Match.objects.exists()


def test_creator_begins_crowd_game_once(box: BallotBox) -> None:
    duel, guest = crowd_game()
    for _ in range(2):
        start_against_crowd(duel.event.code, guest, box)
    match = Match.objects.get()
    assert (match.state, match.bank_s, match.window_s) == (MatchState.PLAYING, None, 30)
    assert Event.objects.get().next_match_at is None


def test_crowd_game_is_listed_as_open_then_running(box: BallotBox) -> None:
    duel, guest = crowd_game()
    crowd_game(listed=False)
    assert [(line.code, line.crowd, line.clock) for line in load_page("open", 1)] == [
        (duel.event.code, True, "30 seconds per turn")
    ]
    start_against_crowd(duel.event.code, guest, box)
    assert not load_page("open", 1).object_list
    assert set(load_page("running", 1)[0].names) == {str(guest), "The crowd"}
    assert [line.your_turn for line in load_guest_games(guest, box)] == [True]
    assert active_games(guest).count() == 1


def test_two_player_game_cannot_begin_against_crowd(box: BallotBox) -> None:
    guest = new_guest()
    duel = new_duel(guest, DuelSettings())
    with pytest.raises(PlayError, match="created this game"):
        start_against_crowd(duel.event.code, guest, box)


def test_creator_begins_next_crowd_game_without_rematch(box: BallotBox) -> None:
    duel, guest = crowd_game()
    start_against_crowd(duel.event.code, guest, box)
    play(Match.objects.get(), box, RED_WINS)
    with pytest.raises(PlayError, match="This game has no rematch"):
        request_rematch(duel.event_id, seat_number(duel, guest), box)
    assert load_snapshot(Event.objects.get()).rematch_wanted_by is None
    start_against_crowd(duel.event.code, guest, box)
    assert [match.state for match in Match.objects.order_by("number")] == ["ended", "playing"]
