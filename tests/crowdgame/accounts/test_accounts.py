"""An account is a name and a password: the same guest on every device, and nobody else."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.accounts.accounts import AccountError, checked_name, claim, name_key, rename
from crowdgame.accounts.guest_cookie import COOKIE
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.chat.models import ChatLine
from crowdgame.duels.duels import DuelSettings, begin_against_crowd, join_duel, new_duel
from crowdgame.duels.lists import page_of
from crowdgame.duels.models import Duel
from crowdgame.duels.rematch import request_rematch
from crowdgame.ratings.rebuild import rebuild
from games.models import Event, Match
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
PASSWORD = "anchors-aweigh"


def account(name: str = "Ada") -> tuple[Client, Guest]:
    client = Client()
    answer = client.post("/play/account", {"name": name, "password": PASSWORD})
    assert answer.status_code == 302, answer.content.decode()
    return client, Guest.objects.get(name_key=name_key(name))


def log_in(client: Client, name: str = "Ada", password: str = PASSWORD) -> Any:
    return client.post("/play/login", {"name": name, "password": password})


def shown(client: Client, path: str = "/play/") -> str:
    return client.get(path).content.decode()


def test_a_guest_becomes_an_account_and_keeps_the_games() -> None:
    client = Client()
    client.post("/play/new")
    guest = Guest.objects.get()
    client.post("/play/account", {"name": "  Ada ", "password": PASSWORD})
    guest.refresh_from_db()
    assert (str(guest), guest.has_account, PASSWORD in guest.password) == ("Ada", True, False)
    elsewhere = Client()
    assert log_in(elsewhere, "ADA")["Location"] == "/play/"
    assert "Your games" in shown(elsewhere)
    assert Guest.objects.count() == 1


@pytest.mark.parametrize(
    "name",
    ["", "A", "x" * 21, "Guest 12", "gu est", "Admin", "evil.com", "a@b", "--", "\u202eabc\u2067<", "ﷺ" * 9],
)
def test_a_name_that_cannot_be_is_told(name: str) -> None:
    answer = Client().post("/play/account", {"name": name, "password": PASSWORD})
    assert (answer.status_code, "errorlist" in answer.content.decode()) == (400, True)
    assert not Guest.objects.exists()


@given(st.text(max_size=30))
def test_whatever_is_typed_a_name_is_harmless(typed: str) -> None:
    try:
        name = checked_name(typed)
    except ValidationError:
        return
    assert checked_name(name) == name
    assert not set(name) & set('<>&"@./:\n\r\0')
    assert len(name_key(name)) >= 2


@pytest.mark.parametrize("password", ["", "short", "password", "adaadaada"])
def test_a_weak_password_is_told(password: str) -> None:
    assert Client().post("/play/account", {"name": "Ada", "password": password}).status_code == 400
    assert not Guest.objects.exists()


def test_no_two_names_look_alike() -> None:
    account("Ada L")
    guest = new_guest()
    for name in ("ada l", "ADA-L", "\uff21dal"):
        with pytest.raises(AccountError, match="Somebody has this name"):
            claim(guest, checked_name(name), PASSWORD)
    guest.refresh_from_db()
    assert not guest.has_account
    again = Client().post("/play/account", {"name": "adal", "password": PASSWORD})
    assert (again.status_code, "Somebody has this name" in again.content.decode()) == (400, True)


def test_games_that_are_not_over_come_along_and_the_page_says_so() -> None:
    _, ada = account()
    device = Client()
    device.post("/play/new")
    here = Guest.objects.exclude(pk=ada.pk).get()
    assert "Your game that is not over comes along" in shown(device, "/play/login")
    log_in(device)
    duel = Duel.objects.get()
    assert ada in (duel.one, duel.two)
    assert page_of("open", 1)[0].names != ("", "")
    assert str(here) in page_of("open", 1)[0].names
    assert "Games that came with you: 1" in shown(device)


def test_nobody_comes_to_play_against_themselves(box: BallotBox) -> None:
    client, ada = account()
    client.post("/play/new")
    device = Client()
    device.post(f"/play/{Event.objects.get().code}/join")
    refused = log_in(device)
    assert (refused.status_code, "finish that game first" in refused.content.decode()) == (400, True)
    assert "Ada" in shown(client)
    assert COOKIE not in refused.cookies
    assert ada in (Duel.objects.get().one, Duel.objects.get().two)


def test_of_two_who_play_again_each_stays_who_they_were(box: BallotBox) -> None:
    """The next match of the two is on: who won the first cannot be another one afterwards."""
    account()
    device = Client()
    code = device.post("/play/new")["Location"][1:].split("#")[0]
    Client().post(f"/play/{code}/join")
    play(Match.objects.get(), box, RED_WINS)
    for team in (1, 2):
        request_rematch(Event.objects.get().pk, team, box)
    before = Duel.objects.get()
    assert "comes along" not in shown(device, "/play/login")
    assert log_in(device).status_code == 302
    assert "Your rematch stays Guest" in shown(device)
    assert Duel.objects.get().one == before.one
    assert Duel.objects.get().two == before.two
    game = Match.objects.values_list("game", flat=True)[0]
    assert not rebuild(game, write=False).differs


def test_a_wrong_password_is_nobody_and_the_tenth_locks() -> None:
    account()
    answers = [log_in(Client(), password="guess").content.decode() for _ in range(10)]
    assert all("do not belong together" in one for one in answers[:9])
    assert "opens again by itself in 15 minutes" in answers[9]
    assert "opens again" in log_in(Client()).content.decode()
    assert log_in(Client(), "Nobody").status_code == 400


def test_an_organizers_lock_is_another_one() -> None:
    account()
    for _ in range(10):
        Client().post("/console/login/", {"username": "Ada", "password": "guess"})
    assert log_in(Client()).status_code == 302


def test_an_account_of_the_hall_opens_no_control_room() -> None:
    client, _ = account()
    assert client.get("/console/").status_code == 302
    assert Client().post("/console/login/", {"username": "Ada", "password": PASSWORD}).status_code == 200


def test_another_name_is_for_games_to_come() -> None:
    client, _ = account()
    client.post("/play/new")
    client.post("/play/account/name", {"name": "Grace"})
    assert "In games to come you are Grace" in shown(client, "/play/account")
    assert "Ada" in shown(Client())
    client.post("/play/new")
    assert "Grace" in shown(Client())
    other = new_guest()
    with pytest.raises(AccountError):
        rename(other, "Grace")


def test_a_new_password_ends_all_other_devices() -> None:
    client, _ = account()
    other = Client()
    log_in(other)
    wrong = {"password": "guess", "new_password": "grey-herons"}
    assert client.post("/play/account/password", wrong).status_code == 400
    client.post("/play/account/password", wrong | {"password": PASSWORD})
    assert "Ada" in shown(client)
    assert "Log in" in shown(other)
    assert log_in(other).status_code == 400
    assert log_in(other, password="grey-herons").status_code == 302


def test_who_logs_out_is_nobody_here_and_a_guest_without_account_is_not_lost() -> None:
    client, _ = account()
    shown(client)
    client.post("/play/logout")
    assert "Ada" not in shown(client)
    guest = Client()
    guest.post("/play/new")
    guest.post("/play/logout")
    assert "Your games" in shown(guest)


@pytest.mark.parametrize("over", [False, True])
def test_a_game_against_a_crowd_stays_without_whoever_made_it(box: BallotBox, over: bool) -> None:
    client, ada = account()
    duel = new_duel(ada, DuelSettings(crowd=True))
    new_duel(ada, DuelSettings(crowd=True))
    begin_against_crowd(duel.event.code, ada, box)
    if over:
        play(Match.objects.get(), box, RED_WINS)
    client.post("/play/account/delete", {"password": PASSWORD})
    assert Event.objects.get() == duel.event
    assert Match.objects.count() == 1


def test_what_was_said_is_an_accounts_no_more() -> None:
    client, _ = account()
    client.post("/play/chat/lobby/say", {"text": "Ahoy"})
    client.post("/play/account/delete", {"password": PASSWORD})
    (said,) = ChatLine.objects.all()
    assert (said.text, said.name) == ("Ahoy", str(said.guest))
    assert said.name != "Ada"


def test_a_deleted_account_leaves_games_and_no_name(box: BallotBox) -> None:
    client, ada = account()
    new_duel(ada, DuelSettings())
    playing = new_duel(ada, DuelSettings())
    join_duel(playing.event.code, new_guest(), box)
    assert client.post("/play/account/delete", {"password": "guess"}).status_code == 400
    client.post("/play/account/delete", {"password": PASSWORD})
    ada.refresh_from_db()
    assert str(ada) == f"Guest {ada.number}"
    assert Match.objects.count() == Event.objects.count() == 1
    assert (
        "Ada"
        not in shown(Client()) + shown(Client(), f"/play/{playing.event.code}") + Event.objects.get().name
    )
    assert str(ada) in shown(Client())
    assert log_in(Client()).status_code == 400
    assert account("Ada")[1] != ada
