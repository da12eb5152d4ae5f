"""The ratings table: places, search by number, and pages."""

import pytest
from django.test import Client

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import DEFAULT_GAME
from crowdgame.play.ratings.models import Rating
from crowdgame.play.ratings.rating_table import PAGE_SIZE, load_guest_row, load_table_page

pytestmark = pytest.mark.django_db
MINUTE_MS = 60_000


def rated(number: int, mu: float, sigma: float = 60.0, game: str = DEFAULT_GAME) -> Guest:
    guest = Guest.objects.get_or_create(number=number)[0]
    Rating.objects.create(guest=guest, game=game, mu=mu, sigma=sigma, games=3, last_at=1_790_000_000_000)
    return guest


def test_table_orders_by_rating_with_shared_places() -> None:
    weak = rated(1001, 1100.2)
    rated(1002, 1300.4)
    rated(1003, 1300.4)
    rated(1004, 1500, sigma=240, game="trails")
    rows = list(load_table_page(DEFAULT_GAME, None, "", weak))
    listed = [(row.place, row.name, row.rating) for row in rows]
    assert listed == [(1, "Guest 1002", 1300), (1, "Guest 1003", 1300), (3, "Guest 1001", 1100)]
    assert [row.mine for row in rows] == [False, False, True]
    assert [row.sure for row in rows] == [True] * 3
    assert not load_table_page("trails", None, "", None)[0].sure
    mine = load_guest_row(weak, DEFAULT_GAME)
    assert mine
    assert mine.place == 3
    assert load_guest_row(weak, "trails") is None


def test_search_by_number_keeps_overall_place() -> None:
    rated(12_657, 1100)
    rated(12_999, 1300)
    found = load_table_page(DEFAULT_GAME, None, "guest 126", None)
    assert [(row.name, row.place) for row in found] == [("Guest 12657", 2)]
    assert len(load_table_page(DEFAULT_GAME, None, "nobody", None)) == 0


def test_ratings_table_is_paginated() -> None:
    for number in range(PAGE_SIZE + 2):
        rated(1000 + number, 2000 - number)
    page = load_table_page(DEFAULT_GAME, "2", "", None)
    assert [row.place for row in page] == [PAGE_SIZE + 1, PAGE_SIZE + 2]
    assert load_table_page(DEFAULT_GAME, "99", "", None).number == 2


def test_ratings_page_shows_one_game_and_empty_state() -> None:
    client = Client()
    assert "No ratings yet" in client.get("/play/ratings").content.decode()
    rated(1001, 1100, sigma=200)
    rated(1001, 1300, game="trails")
    page = client.get("/play/ratings").content.decode()
    assert "1100" in page
    assert "provisional" in page
    assert "1300" not in page
    assert "1300" in client.get("/play/ratings?game=trails").content.decode()
    assert "No rated guest has this number" in client.get("/play/ratings?q=77").content.decode()
    assert client.get("/play/ratings?game=nonsense").status_code == 404
    assert client.get("/play/ratings?page=x&q=%00").status_code == 200
    assert "/play/ratings" in client.get("/play/").content.decode()
