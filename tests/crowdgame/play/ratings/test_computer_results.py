"""Games against the computer are counted by its strength, and never rated."""

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.maintenance.personal_data.tables import Person, load_tables
from crowdgame.play.duels.duels import DuelSettings, new_duel
from crowdgame.play.duels.models import Duel
from crowdgame.play.ratings.models import Rating
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.crowdgame.play.duels.test_play_pages import join_game, new_game
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match

pytestmark = pytest.mark.django_db


def results(guest: Guest) -> list[list[object]]:
    tables = load_tables(Person(None, guest))
    return [list(row.values()) for row in tables.get("computer-games", ())]


def test_results_are_counted_for_each_strength_and_game() -> None:
    guest = new_guest()
    for bot, game, seat, winner in (
        (2, "trails", "one", 1),
        (2, "trails", "two", 2),
        (2, "trails", "one", 2),
        (5, "trails", "two", 0),
        (2, "goofspiel", "two", 1),
    ):
        duel = new_duel(guest, DuelSettings(game=game, bot=bot, casual=True))
        Duel.objects.filter(pk=duel.pk).update(**{"one": None, "two": None, seat: guest})
        match = let_win(duel.event, winner)
        Match.objects.filter(pk=match.pk).update(game=game)
    assert results(guest) == [["goofspiel", 2, 0, 0, 1], ["trails", 2, 2, 0, 1], ["trails", 5, 0, 1, 0]]
    assert results(new_guest()) == []


def test_game_against_the_computer_changes_no_rating(box: BallotBox) -> None:
    player, opponent = Client(), Client()
    new_game(player, bot="3")
    play(Match.objects.get(), box, RED_WINS)
    assert not Rating.objects.exists()
    page = player.get("/play/ratings").content.decode()
    assert page.index("Your games against the computer") < page.index("Computer 3")
    assert "against the computer" not in opponent.get("/play/ratings").content.decode()
    join_game(new_game(player), opponent)
    play(Match.objects.latest("pk"), box, RED_WINS)
    assert Rating.objects.count() == 2
    assert [row[:2] for row in results(Guest.objects.earliest("pk"))] == [
        ["simultaneous-captains-mistress", 3]
    ]
    assert results(Guest.objects.latest("pk")) == []
