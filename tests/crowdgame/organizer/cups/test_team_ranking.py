"""The ladder rates an organizer's teams by name, over all events and cups."""

import pytest
from django.test import Client

from crowdgame.organizer.console.actions.matches import abort_playing_match
from crowdgame.organizer.cups.team_ranking import list_played_games, rank_teams
from tests.voting.match_helpers import CLASSIC, RED_WINS, only_turn, organizer, play, play_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event, Match
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def play_event(box: BallotBox, red: str, yellow: str, owner: str = "olga") -> Match:
    event = create_event(organizer(owner), "An evening", (red, yellow), game="simultaneous-captains-mistress")
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    return match


def rows(owner: str = "olga") -> list[tuple[int, str, int, int]]:
    found = rank_teams(organizer(owner), "simultaneous-captains-mistress")
    return [(row.place, row.name, row.rating, row.games) for row in found]


def test_team_keeps_rating_across_events_by_name(box: BallotBox) -> None:
    play_event(box, "4a", "4b")
    play_event(box, " 4A ", "4c")
    listed = [(place, name, games) for place, name, _, games in rows()]
    assert listed == [(1, "4A", 2), (2, "4c", 1), (3, "4b", 1)]
    assert (rows("otto"), list_played_games(organizer("otto"))) == ([], []), "of other organizers"
    assert sum(rating for _, _, rating, _ in rows()) == pytest.approx(3600, abs=60)


def test_ladder_ignores_aborted_and_rehearsed_matches(box: BallotBox) -> None:
    match = play_event(box, "4a", "4b")
    Match.objects.filter(pk=match.pk).update(rehearsed=True)
    aborted = create_event(organizer(), "Stopped", ("4a", "4b"))
    play_turn(only_turn(start_match(aborted.pk, box)), box, [1], [2])
    abort_playing_match(aborted.pk, box)
    assert rows() == []
    play_event(box, "alike", "Alike")
    assert rows() == []


def test_ladder_page_lists_one_game_for_its_owner(box: BallotBox) -> None:
    client = Client()
    client.force_login(organizer())
    assert "No ratings yet" in client.get("/console/ladder/").content.decode()
    play_event(box, "4a <b>", "4b")
    page = client.get("/console/ladder/").content.decode()
    assert "4a &lt;b&gt;" in page
    assert client.get(f"/console/ladder/?game={CLASSIC}").status_code == 404
    assert "/console/ladder/" in client.get("/console/").content.decode()
    assert Event.objects.count() == 1
