import gzip
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.guest_cookie import COOKIE
from crowdgame.accounts.models import Guest
from crowdgame.play.duels.models import Duel
from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.play_helpers import fill_lobby_chat
from tests.voting.match_helpers import only_turn, play_turn
from tests.voting.page_fixtures import SIMULTANEOUS
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]


def new_game(client: Client | None = None, **form: str) -> str:
    return (client or Client()).post("/play/new", form)["Location"].removeprefix("/play/")


def join_game(code: str, client: Client | None = None) -> None:
    assert (client or Client()).post(f"/play/{code}/join")["Location"] == f"/play/{code}"


def page(client: Client, path: str = "/play/") -> str:
    return client.get(path).content.decode()


def test_new_game_creates_guest_and_viewing_none(client: Client) -> None:
    assert client.get("/play/").status_code == 200
    assert Client(enforce_csrf_checks=True).post("/play/new").status_code == 403
    assert COOKIE not in client.cookies
    assert not Guest.objects.exists()
    code = new_game(client)
    duel = Duel.objects.select_related("event").get()
    assert duel.event.code == code
    assert (duel.event.bank_s, duel.event.increment_s, duel.listed) == (300, 5, True)
    assert client.cookies[COOKIE]["httponly"]
    assert str(Guest.objects.get()) in page(client)
    new_game(client)
    assert Guest.objects.count() == 1
    assert "Your games" in page(client)
    client.cookies[COOKIE] = f"{Guest.objects.get().pk}:forged:forged"
    assert "Your games" not in page(client)


def test_second_guest_joins_and_match_starts() -> None:
    one, two = Client(), Client()
    code = new_game(one, time_control="3-days", game="captains-mistress")
    assert "Join" in page(two)
    join_game(code, two)
    match = Match.objects.get()
    assert (match.bank_s, match.game) == (3 * 24 * 3600, "captains-mistress")
    to_move = ["your turn" in page(client) for client in (one, two)]
    assert sorted(to_move) == [False, True]  # in the classic game one waits
    assert Client().post(f"/play/{code}/join").status_code == 409
    assert Guest.objects.count() == 2
    unlisted = new_game(one, unlisted="on")
    assert f"http://testserver/play/{unlisted}" in page(one, f"/play/{unlisted}")
    assert unlisted not in page(two)
    assert "You are invited" in page(two, f"/play/{unlisted}")
    join_game(unlisted, two)
    assert Match.objects.count() == 2


def test_invalid_play_requests_are_refused(client: Client) -> None:
    for wrong in ({"time_control": "never"}, {f"{SIMULTANEOUS}-columns": "99"}, {"bot": "6"}):
        assert client.post("/play/new", wrong).status_code == 400
    for path in ("nothing", "all/none", "go?code=//evil.example"):
        assert client.get(f"/play/{path}").status_code == 404
    assert client.get("/play/all/open?page=99").status_code == 200
    assert client.get("/play/go?code=q7r%20m")["Location"] == "/Q7RM"
    assert client.get("/play/go", {"code": "testserver/Q7RM#WYYN-ZSPW"})["Location"] == "/Q7RM#WYYNZSPW"
    assert not Guest.objects.exists()
    assert not Event.objects.exists()


def test_game_limits_refuse_game_and_create_no_guest(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [new_game(client, time_control="30-days") for _ in range(5)]
    refused = client.post("/play/new", {"time_control": "30-days", "unlisted": "on"}).content.decode()
    assert "You have 5 open games" in refused
    for chosen in ('name="time_control" value="30-days"', 'name="unlisted"'):
        assert re.search(rf"{chosen}[^>]* checked", refused)
    join_game(codes[0])
    new_game(client)
    Event.objects.all().delete()
    monkeypatch.setattr("crowdgame.play.duels.creation_limits.MAX_OPEN_GAMES", 1)
    monkeypatch.setattr("crowdgame.play.duels.creation_limits.MAX_GAMES", 2)
    for games in (1, 2):
        waiting = new_game()
        limited = Client().post("/play/new")
        assert (limited.status_code, Guest.objects.count()) == (409, 2 + 2 * games - 1)
        assert "Too many games were started" in limited.content.decode()
        join_game(waiting)
    assert Client().post("/play/new").status_code == 409
    Event.objects.update(created_at=timezone.now() - timedelta(minutes=61))
    new_game()


def create_game(address: str) -> int:
    return Client(REMOTE_ADDR=address).post("/play/new").status_code


@pytest.mark.parametrize(
    ("addresses", "others"),
    [
        ("93.184.216.{}", ("93.184.217.1", "2606:2800::1", "not an address")),
        ("2606:2800:0:10{:02x}::1", ("2606:2800:0:1100::1", "93.184.216.1")),
    ],
)
def test_script_cannot_fill_list_of_open_games(addresses: str, others: tuple[str, ...]) -> None:
    created = [create_game(addresses.format(number)) for number in range(25)]
    assert (created, Guest.objects.count()) == ([302] * 20 + [409] * 5, 20)
    assert {create_game(address) for address in others} == {302}
    join_game(Duel.objects.earliest("pk").event.code)
    assert [create_game(addresses.format(number)) for number in (30, 31)] == [302, 409]


def test_network_cannot_use_up_games_of_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crowdgame.play.duels.creation_limits.MAX_GAMES_PER_NETWORK", 2)
    for _ in range(2):
        create_game("93.184.216.7")
        join_game(Duel.objects.latest("pk").event.code)
    assert [create_game("::ffff:93.184.216.8"), create_game("93.184.217.8")] == [409, 302]
    private = ("10.0.0.7", "192.168.1.7", "127.0.0.1", "100.64.0.7", "fd00::7", "::1")
    assert {create_game(address) for address in private * 4} == {302}, "they have no limit of their own"
    assert Duel.objects.exclude(network="").count() == 3


def test_search_keeps_query_across_pages(client: Client) -> None:
    for one in (client, *[None] * 20):
        new_game(one)
    found = page(client, "/play/?q=Guest")
    assert ['id="mine"' in shown for shown in (found, page(client))] == [False, True]
    assert "/play/all/open?q=Guest" in found
    assert "New game" not in found
    assert "?q=Guest&amp;page=2" in page(client, "/play/all/open?q=Guest")
    assert "No games match “<bdi>&lt;b&gt;</bdi>”" in page(client, "/play/all/open?q=<b>")


def test_crowd_game_page_invites_and_lets_creator_begin() -> None:
    one, two = Client(), Client()
    code = new_game(one, crowd="on")
    path = f"/play/{code}"
    assert f'value="http://testserver{path}"' in page(one, path)
    assert f'action="{path}/begin"' in page(one, path)
    assert f'href="/{code}">Join the crowd' in page(two, path)
    assert f'href="/{code}">Join<' in page(two)
    assert [client.post(f"{path}/begin").status_code for client in (two, Client())] == [409, 409]
    assert one.post(f"{path}/begin")["Location"] == path
    assert "Game in progress" in page(two, path)


def test_play_page_stays_within_size_budget() -> None:
    for _ in range(8):
        join_game(new_game())
        new_game()
    fill_lobby_chat()
    content = Client().get("/play/").content
    sheets = re.findall(rb'(?:href|src)="/static/([^"]+)"', content)
    assert sheets
    parts = [content, *(Path(finders.find(sheet.decode()) or "").read_bytes() for sheet in sheets)]
    assert sum(len(gzip.compress(part, 6)) for part in parts) <= 25 * 1024


def test_play_pages_are_readable_without_ballot_box(monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    code = new_game(client)
    box = BallotBox(f"redis://{LOOPBACK}:{free_port()}/0")
    monkeypatch.setattr("crowdgame.play.duels.views.ballot_box", lambda: box)
    assert code in page(client)
    assert client.get(f"/play/{code}").status_code == 200
    for action, status in (("join", 503), ("begin", 409), ("rematch", 403)):
        answer = Client().post(f"/play/{code}/{action}")
        assert (answer.status_code, "is not responding" in answer.content.decode()) == (status, status == 503)
    assert not Match.objects.exists()
    box.close()


def test_one_click_starts_a_casual_game_against_the_computer(client: Client) -> None:
    assert "Computer 5, full strength" in page(client)
    code = new_game(client, bot="4")
    path, duel, match = f"/play/{code}", Duel.objects.select_related("event").get(), Match.objects.get()
    side = "red" if match.red.bot_strength else "yellow"
    assert match.bots == {"version": 2, side: 4}
    assert (load_snapshot(duel.event).is_casual, duel.listed) == (True, False)
    visited = page(Client(), path)
    for shown in (page(client), page(client, path), page(client, f"{path}?locale=de"), visited):
        assert "Computer 4" in shown
    assert "/join" not in visited
    assert 'name="turn"' in page(client, path)
    assert "offer" not in page(client, path).lower()
    client.post(f"{path}/do/abort", {"turn": str(match.turns.get().pk)})
    client.post(f"{path}/rematch")  # starts at once
    assert [match.state for match in Match.objects.order_by("number")] == ["aborted", "playing"]


def test_player_plays_the_computer_while_the_own_game_waits(box: BallotBox) -> None:
    one, two = Client(), Client()
    waiting = new_game(one, **{f"{SIMULTANEOUS}-columns": "6"})
    form = page(one, f"/play/{waiting}").partition("/play/new")[2].partition("</form>")[0]
    sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
    assert "while you wait" not in page(two, f"/play/{waiting}")
    played = new_game(one, **sent)
    duel = Duel.objects.select_related("event").get(event__code=played)
    assert (duel.bot, duel.event.game, duel.event.options["columns"]) == (2, SIMULTANEOUS, 6)
    assert "has started" not in page(one, f"/play/{played}")
    join_game(waiting, two)
    computer_game = page(one, f"/play/{played}")
    assert f"Your game against <bdi>{Guest.objects.latest('pk')}</bdi> has started." in computer_game
    assert f'href="/play/{waiting}"' in computer_game
    assert "has started" not in page(two, f"/play/{played}")
    assert "while you wait" not in page(one, f"/play/{waiting}")
    other = page(two, f"/play/{new_game(two, bot='2')}")
    assert f"Your game against <bdi>{Guest.objects.earliest('pk')}</bdi> has started." in other
    play_turn(only_turn(Match.objects.get(event__code=waiting)), box, [1], [2])
    assert "has started" not in page(one, f"/play/{played}")
