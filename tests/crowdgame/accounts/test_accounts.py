"""Accounts: a name and a password make the same guest available on every device."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.accounts.accounts import AccountError, clean_account_name, create_account, name_key, rename
from crowdgame.accounts.guest_cookie import COOKIE as GUEST_COOKIE
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.known_devices import COOKIE as KNOWN_DEVICE
from crowdgame.accounts.models import Guest
from crowdgame.events.members import add_member
from crowdgame.play.duels.lists import load_page
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.ratings.rebuild import rebuild
from tests.voting.match_helpers import RED_WINS, organizer, play
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event, Match
from voting.protocol import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
PASSWORD = "anchors-aweigh"


def sign_up(name: str = "Ada") -> tuple[Client, Guest]:
    client = Client()
    answer = client.post("/play/account", {"username": name, "password1": PASSWORD})
    assert answer.status_code == 302, answer.content.decode()
    return client, Guest.objects.get(user__username=name_key(name))


def log_in(client: Client, name: str = "Ada", password: str = PASSWORD) -> Any:
    return client.post("/play/login", {"login": name, "password": password})


def log_out(client: Client) -> None:
    assert client.post("/console/logout/", {"next": "/play/"})["Location"] == "/play/"


def page(client: Client, path: str = "/play/") -> str:
    return client.get(path).content.decode()


def test_signup_keeps_guest_and_games() -> None:
    client = Client()
    client.post("/play/new")
    guest = Guest.objects.get()
    client.post("/play/account", {"username": "  Ada ", "password1": PASSWORD})
    guest.refresh_from_db()
    assert (str(guest), guest.has_account) == ("Ada", True)
    elsewhere = Client()
    assert log_in(elsewhere, "ADA")["Location"] == "/play/"
    assert "Your games" in page(elsewhere)
    assert Guest.objects.count() == 1
    log_out(client)
    assert "Your games" not in page(client)


@pytest.mark.parametrize(
    "name",
    ["", "A", "x" * 21, "Guest 12", "gu est", "Admin", "evil.com", "a@b", "--", "\u202eabc\u2067<", "ﷺ" * 9],
)
def test_invalid_account_name_is_rejected(name: str) -> None:
    answer = Client().post("/play/account", {"username": name, "password1": PASSWORD})
    assert (answer.status_code, "errorlist" in answer.content.decode()) == (400, True)
    assert not Guest.objects.exists()


@given(st.text(max_size=30))
def test_checked_name_is_harmless_and_stable(typed: str) -> None:
    try:
        name = clean_account_name(typed)
    except ValidationError:
        return
    assert clean_account_name(name) == name
    assert not set(name) & set('<>&"@./:\n\r\0')
    assert len(name_key(name)) >= 2


@pytest.mark.parametrize("password", ["", "short", "password"])
def test_weak_password_is_rejected(password: str) -> None:
    assert Client().post("/play/account", {"username": "Ada", "password1": password}).status_code == 400
    assert not Guest.objects.exists()


def test_similar_looking_account_name_is_rejected() -> None:
    _, ada = sign_up("Ada L")
    with pytest.raises(AccountError, match="You already have an account"):
        create_account(ada, "Eve", PASSWORD)
    guest = new_guest()
    for name in ("ada l", "ADA-L", "\uff21dal"):
        with pytest.raises(AccountError, match="This name, or one like it, is taken"):
            create_account(guest, clean_account_name(name), PASSWORD)
    guest.refresh_from_db()
    assert not guest.has_account
    again = Client().post("/play/account", {"username": "adal", "password1": PASSWORD})
    assert (again.status_code, "This name, or one like it, is taken" in again.content.decode()) == (400, True)


def test_login_transfers_unfinished_guest_games() -> None:
    _, ada = sign_up()
    device = Client()
    device.post("/play/new")
    here = Guest.objects.exclude(pk=ada.pk).get()
    assert "Your unfinished game will move to your account" in page(device, "/play/login")
    device.post("/play/new")
    log_in(device)
    assert [(duel.one, duel.two) for duel in Duel.objects.order_by("pk")] == [(ada, None), (None, ada)]
    assert [line.names for line in load_page("open", 1)] == [("", str(here)), (str(here), "")]
    assert "Games moved to your account: 2" in page(device)


def test_game_against_the_account_stays_with_the_guest(box: BallotBox) -> None:
    client, ada = sign_up()
    client.post("/play/new")
    device = Client()
    device.post(f"/play/{Event.objects.get().code}/join")
    here = Guest.objects.exclude(pk=ada.pk).get()
    assert log_in(device).status_code == 302
    assert f"Games that stay with {here}: 1" in page(device)
    assert {Duel.objects.get().one, Duel.objects.get().two} == {ada, here}
    log_out(device)
    assert "Your games" in page(device)


def test_login_does_not_transfer_seat_in_a_rematch(box: BallotBox) -> None:
    """A rematch is running: the winner of the first match must remain the same guest."""
    sign_up()
    device = Client()
    code = device.post("/play/new")["Location"].rpartition("/")[2]
    Client().post(f"/play/{code}/join")
    play(Match.objects.get(), box, RED_WINS)
    for team in (1, 2):
        request_rematch(Event.objects.get().pk, team, box)
    before = Duel.objects.get()
    assert "move to your account" not in page(device, "/play/login")
    assert log_in(device).status_code == 302
    assert "Games that stay with Guest" in page(device)
    assert Duel.objects.get().one == before.one
    assert Duel.objects.get().two == before.two
    game = Match.objects.values_list("game", flat=True)[0]
    assert not rebuild(game, write=False).differs


def test_variants_of_a_name_give_no_more_guesses() -> None:
    sign_up("Ada Lovelace")
    for name in ("Ada Lovelace", "ada lovelace", "AdaLovelace", "ada-lovelace", "Ada_Lovelace") * 2:
        log_in(Client(), name, "guess")
    assert "Too many failed attempts" in log_in(Client(), "adalovelace").content.decode()


def test_guest_may_not_create_events() -> None:
    client, _ = sign_up()
    events = client.get("/console/")
    assert (events.status_code, "Your account is for playing" in events.content.decode()) == (200, True)
    for path in ("/console/new/", "/console/new/two-crowds/", "/console/cups/new/"):
        for answer in (client.get(path), client.post(path, {"preset": "two-crowds"})):
            assert (answer.status_code, answer["Location"]) == (302, "/console/")
    assert client.get("/console/invitations/").status_code in {302, 403, 404}
    assert client.get("/admin/").status_code in {302, 403}
    assert not Event.objects.exists()


def test_guest_can_become_member_of_an_event() -> None:
    client, ada = sign_up("Ada Lovelace")
    event = create_event(organizer(), "Fair", ("Reds", "Yellows"))
    assert add_member(event, "ada lovelace", Role.VIEWER).user == ada.user
    assert event.code in client.get("/console/").content.decode()


def test_login_leads_guests_to_play_and_organizers_to_events() -> None:
    sign_up()
    User.objects.create_user("grace", password=PASSWORD)
    for path in ("/play/login", "/console/login/"):
        for name, start in (("ada", "/play/"), ("grace", "/console/")):
            answer = Client().post(path, {"login": name, "password": PASSWORD})
            assert (answer.status_code, answer["Location"]) == (302, start)


def test_guest_cannot_take_the_name_of_an_organizer() -> None:
    User.objects.create_user("Ada", password=PASSWORD)
    answer = Client().post("/play/account", {"username": "ada", "password1": PASSWORD})
    assert (answer.status_code, "is taken" in answer.content.decode()) == (400, True)


def test_guest_is_no_known_device() -> None:
    """Known devices pass the queue of logins first. Anybody can create guests."""
    client, _ = sign_up()
    assert KNOWN_DEVICE not in client.cookies
    log_in(client)
    assert KNOWN_DEVICE not in client.cookies


def test_guest_stays_logged_in_as_long_as_browsers_keep_a_cookie() -> None:
    created, _ = sign_up()
    elsewhere = Client()
    log_in(elsewhere)
    assert all(
        client.cookies["sessionid"]["max-age"] == settings.GUEST_COOKIE_AGE for client in (created, elsewhere)
    )


def test_rename_applies_to_unfinished_games() -> None:
    client, _ = sign_up()
    client.post("/play/new")
    client.post("/play/account/name", {"name": "Grace"})
    assert "Your games now show you as Grace" in page(client, "/play/account")
    assert "Grace" in page(Client())
    assert "Ada" not in page(Client())
    client.post("/play/account/name", {"name": "gr-ace"})
    assert "Your games now show you as gr-ace" in page(client, "/play/account")
    _, other = sign_up("Bob")
    with pytest.raises(AccountError):
        rename(other, "Grace")


def test_password_change_logs_out_other_devices() -> None:
    client, _ = sign_up()
    other = Client()
    log_in(other)
    wrong = {"oldpassword": "guess", "password1": "grey-herons", "password2": "grey-herons"}
    assert "errorlist" in client.post("/console/password/change/", wrong).content.decode()
    client.post("/console/password/change/", wrong | {"oldpassword": PASSWORD})
    assert "Ada" in page(client)
    assert "Log in" in page(other)
    assert log_in(other).status_code == 400
    assert log_in(other, password="grey-herons").status_code == 302


def test_administrator_prints_a_reset_link_for_a_guest(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the server sends no e-mail, a lost password is reset this way."""
    sign_up("Ada Lovelace")
    call_command("reset_link", "ada lovelace", base_url="http://testserver")
    path = capsys.readouterr().out.strip().removeprefix("http://testserver")
    client = Client()
    form = client.get(path)["Location"]
    client.post(form, {"password1": "grey-herons", "password2": "grey-herons"})
    assert log_in(Client(), "Ada Lovelace", "grey-herons").status_code == 302


def test_logout_ends_account() -> None:
    client, _ = sign_up()
    assert "Ada" in page(client)
    client.post("/play/new")
    assert GUEST_COOKIE not in client.cookies
    log_out(client)
    assert "Your games" not in page(client)


def test_account_pages_lead_guests_back_to_play() -> None:
    client, _ = sign_up()
    shown = page(client, "/console/password/change/")
    assert 'href="/play/account"><bdi>Ada<' in shown
    assert '<a class="mark" href="/play/">' in shown
