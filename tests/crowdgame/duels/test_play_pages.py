"""`/play/`: nobody is made a guest by looking; two presses lead from the page to the board."""

import gzip
import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from crowdgame.accounts.guest_cookie import COOKIE
from crowdgame.accounts.models import Guest
from crowdgame.duels import duels
from crowdgame.duels import views as play_views
from crowdgame.duels.models import Duel
from deploy.laptop.network import LOOPBACK, free_port
from games.models import Match
from tests.chat_helpers import filled_up
from voting.ballot_box.ballot_box import BallotBox

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
MOST_BYTES = 25 * 1024
BOARD = re.compile(r"/([A-Z0-9]{4,8})#([A-Z0-9]{6})")


def board(location: str) -> str:
    found = BOARD.fullmatch(location)
    assert found, location
    return found[1]


def test_looking_makes_nobody_a_guest() -> None:
    client = Client()
    answer = client.get("/play/")
    assert answer.status_code == 200
    assert COOKIE not in client.cookies
    assert not Guest.objects.exists()


def test_one_press_makes_a_game_and_leads_to_its_board() -> None:
    client = Client()
    code = board(client.post("/play/new")["Location"])
    duel = Duel.objects.select_related("event").get()
    assert duel.event.code == code
    assert (duel.event.bank_s, duel.event.increment_s, duel.listed) == (300, 5, True)
    assert client.cookies[COOKIE]["httponly"]
    assert str(Guest.objects.get()) in client.get("/play/").content.decode()
    board(client.post("/play/new")["Location"])
    assert Guest.objects.count() == 1


def test_a_second_guest_joins_and_the_match_is_on() -> None:
    one, two = Client(), Client()
    code = board(one.post("/play/new", {"time_control": "3-days", "game": "captains-mistress"})["Location"])
    assert "Join" in two.get("/play/").content.decode()
    assert board(two.post(f"/play/{code}/join")["Location"]) == code
    match = Match.objects.get()
    assert (match.bank_s, match.game) == (3 * 24 * 3600, "captains-mistress")
    to_move = ["your turn" in client.get("/play/").content.decode() for client in (one, two)]
    assert sorted(to_move) == [False, True]  # in the classic game one waits
    assert Client().post(f"/play/{code}/join").status_code == 409
    assert Guest.objects.count() == 2


def test_a_game_by_link_is_in_no_list_and_its_page_tells_the_link() -> None:
    one, two = Client(), Client()
    place = one.post("/play/new", {"by_link": "on"})["Location"]
    assert f"http://testserver{place}" in one.get(place).content.decode()
    assert place.rpartition("/")[2] not in two.get("/play/").content.decode()
    assert "You are invited" in two.get(place).content.decode()
    board(two.post(f"{place}/join")["Location"])
    assert Match.objects.exists()


def test_nonsense_is_refused_kindly() -> None:
    client = Client()
    assert client.post("/play/new", {"time_control": "never"}).status_code == 400
    assert client.post("/play/new", {"simultaneous-captains-mistress-columns": "99"}).status_code == 400
    assert client.get("/play/ZZZZ").status_code == 404
    assert client.get("/play/all/none").status_code == 404
    assert client.get("/play/all/open?page=99").status_code == 200
    assert client.get("/play/go?code=q7r%20m")["Location"] == "/Q7RM"
    assert client.get("/play/go?code=//evil.example")["Location"] == "/EVILEXAM"
    assert not Guest.objects.exists()


def test_a_full_hall_takes_no_more_games_and_makes_nobody_a_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "MOST_WAITING", 1)
    Client().post("/play/new")
    refused = Client().post("/play/new")
    assert refused.status_code == 409
    assert "The hall is full" in refused.content.decode()
    assert Guest.objects.count() == 1
    board(Client().post(f"/play/{Duel.objects.get().event.code}/join")["Location"])
    board(Client().post("/play/new")["Location"])


def test_a_search_keeps_its_word_from_page_to_page() -> None:
    for _ in range(21):
        Client().post("/play/new")
    found = Client().get("/play/", {"q": "Guest"}).content.decode()
    assert "/play/all/open?q=Guest" in found
    assert "New game" not in found
    page = Client().get("/play/all/open", {"q": "Guest"}).content.decode()
    assert "?q=Guest&amp;page=2" in page
    assert "None with “<bdi>&lt;b&gt;</bdi>”" in Client().get("/play/all/open", {"q": "<b>"}).content.decode()


def test_against_a_crowd_the_page_invites_and_its_maker_begins() -> None:
    one, two = Client(), Client()
    place = one.post("/play/new", {"crowd": "on"})["Location"]
    code = place.rpartition("/")[2]
    mine, theirs = one.get(place).content.decode(), two.get(place).content.decode()
    assert f'value="http://testserver{place}"' in mine
    assert f'action="{place}/begin"' in mine
    assert f'href="/{code}">Join the crowd' in theirs
    assert f'href="/{code}">Join<' in two.get("/play/").content.decode()
    for other_client in (two, Client()):
        assert other_client.post(f"{place}/begin").status_code == 409
    assert not Match.objects.exists()
    assert board(one.post(f"{place}/begin")["Location"]) == code
    assert Match.objects.get().bank_s is None
    assert "A game is on" in two.get(place).content.decode()


def test_a_forged_cookie_is_nobody() -> None:
    client = Client()
    client.post("/play/new")
    other_client = Client()
    other_client.cookies[COOKIE] = f"{Guest.objects.get().pk}:forged:forged"
    assert "Your games" not in other_client.get("/play/").content.decode()


def test_a_stranger_page_cannot_press_for_somebody() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/play/new").status_code == 403


def test_it_is_light(box: BallotBox) -> None:
    for _ in range(8):
        code = board(Client().post("/play/new")["Location"])
        board(Client().post(f"/play/{code}/join")["Location"])
        Client().post("/play/new")
    filled_up()
    page = Client().get("/play/").content
    sheets = re.findall(rb'(?:href|src)="/static/([^"]+)"', page)
    assert sheets
    parts = [page]
    for sheet in sheets:
        path = finders.find(sheet.decode())
        assert path
        with open(path, "rb") as file:
            parts.append(file.read())
    assert sum(len(gzip.compress(part, 6)) for part in parts) <= MOST_BYTES


def test_the_hall_is_full_also_of_games_that_have_two_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "MOST_AN_HOUR", 2)
    for _ in range(2):
        code = board(Client().post("/play/new")["Location"])
        board(Client().post(f"/play/{code}/join")["Location"])
    refused = Client().post("/play/new")
    assert (refused.status_code, "The hall is full" in refused.content.decode()) == (409, True)


def test_without_the_ballot_box_the_hall_is_read_and_a_press_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Client()
    code = board(one.post("/play/new")["Location"])
    box = BallotBox(f"redis://{LOOPBACK}:{free_port()}/0")
    monkeypatch.setattr(play_views, "ballot_box", lambda: box)
    assert code in one.get("/play/").content.decode()
    assert one.get(f"/play/{code}").status_code == 200
    for press in ("join", "begin", "rematch"):
        answer = Client().post(f"/play/{code}/{press}")
        assert answer.status_code < 500 or "does not answer" in answer.content.decode(), press
    answer = Client().post(f"/play/{code}/join")
    assert (answer.status_code, "does not answer" in answer.content.decode()) == (503, True)
    assert not Match.objects.exists()
    box.close()
