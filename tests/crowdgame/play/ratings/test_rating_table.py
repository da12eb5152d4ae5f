"""The ratings table, and results against the computer, which are counted by its strength and never rated."""

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.maintenance.personal_data.tables import Person, load_tables
from crowdgame.play.duels.duels import DEFAULT_GAME, DuelSettings, new_duel
from crowdgame.play.duels.models import Duel
from crowdgame.play.ratings.models import Rating
from crowdgame.play.ratings.rating_table import PAGE_SIZE, load_guest_row, load_table_page
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.crowdgame.play.duels.test_play_pages import join_game, new_game
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match

pytestmark = pytest.mark.django_db
MINUTE_MS = 60_000


def rated(number: int, mu: float, sigma: float = 60.0, game: str = DEFAULT_GAME) -> Guest:
    guest = Guest.objects.get_or_create(number=number)[0]
    Rating.objects.create(guest=guest, game=game, mu=mu, sigma=sigma, games=3, last_at=1_790_000_000_000)
    return guest


def test_table_orders_by_rating_with_shared_places() -> None:
    weak = rated(1001, 1100.2)
    for number in (1002, 1003):
        rated(number, 1300.4)
    rated(1004, 1500, sigma=240, game="trails")
    rows = list(load_table_page(DEFAULT_GAME, None, "", weak))
    listed = [(row.place, row.name, row.rating) for row in rows]
    assert listed == [(1, "Guest 1002", 1300), (1, "Guest 1003", 1300), (3, "Guest 1001", 1100)]
    assert [(row.mine, row.sure) for row in rows] == [(False, True), (False, True), (True, True)]
    assert not load_table_page("trails", None, "", None)[0].sure
    mine = load_guest_row(weak, DEFAULT_GAME)
    assert mine
    assert mine.place == 3
    assert load_guest_row(weak, "trails") is None
    found = load_table_page(DEFAULT_GAME, None, "guest 1001", None)
    assert [(row.name, row.place) for row in found] == [("Guest 1001", 3)]
    assert len(load_table_page(DEFAULT_GAME, None, "nobody", None)) == 0


def test_ratings_table_is_paginated() -> None:
    for number in range(PAGE_SIZE + 2):
        rated(1000 + number, 2000 - number)
    page = load_table_page(DEFAULT_GAME, "2", "", None)
    assert [row.place for row in page] == [PAGE_SIZE + 1, PAGE_SIZE + 2]
    assert load_table_page(DEFAULT_GAME, "99", "", None).number == 2


def test_ratings_page_shows_one_game_and_empty_state(client: Client) -> None:
    def page(query: str = "") -> str:
        return client.get(f"/play/ratings{query}").content.decode()

    assert "No ratings yet" in page()
    rated(1001, 1100, sigma=200)
    rated(1001, 1300, game="trails")
    assert [shown in page() for shown in ("1100", "provisional", "1300")] == [True, True, False]
    assert "1300" in page("?game=trails")
    assert "No rated guest has this number" in page("?q=77")
    assert client.get("/play/ratings?game=nonsense").status_code == 404
    assert client.get("/play/ratings?page=x&q=%00").status_code == 200
    assert "/play/ratings" in client.get("/play/").content.decode()


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
        Match.objects.filter(pk=let_win(duel.event, winner).pk).update(game=game)
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
