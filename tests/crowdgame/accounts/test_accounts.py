from typing import Any, cast

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models.signals import pre_delete
from django.test import Client

from crowdgame.accounts import accounts
from crowdgame.accounts.backend import guest_of
from crowdgame.accounts.guest_cookie import COOKIE as GUEST_COOKIE
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.known_devices import COOKIE as KNOWN_DEVICE
from crowdgame.accounts.models import Guest
from crowdgame.events.members import add_member
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel, start_for_one
from crowdgame.play.duels.lists import load_page
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.ratings.rebuild import rebuild
from tests.voting.match_helpers import RED_WINS, new_event, organizer, play
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event, Match
from voting.protocol import Role
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
PASSWORD = "anchors-aweigh"


def sign_up(name: str = "Ada") -> tuple[Client, Guest]:
    client = Client()
    answer = client.post("/play/account", {"username": name, "password1": PASSWORD})
    assert answer.status_code == 302, answer.content.decode()
    return client, Guest.objects.get(user__username=accounts.name_key(name))


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
    for device in (client, elsewhere):
        assert device.cookies["sessionid"]["max-age"] == settings.GUEST_COOKIE_AGE
        assert KNOWN_DEVICE not in device.cookies, "known devices log in first, and anybody can create guests"
    elsewhere.post("/play/new")
    assert GUEST_COOKIE not in elsewhere.cookies
    for device in (client, elsewhere):
        log_out(device)
        assert "Your games" not in page(device)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        *((name, PASSWORD) for name in ("", "A", "x" * 21, "Guest 12", "gu est", "Admin", "evil.com", "a@b")),
        *((name, PASSWORD) for name in ("--", "\u202eabc\u2067<", "ﷺ" * 9)),
        *(("Ada", password) for password in ("", "short", "password")),
    ],
)
def test_invalid_name_or_weak_password_is_rejected(name: str, password: str) -> None:
    answer = Client().post("/play/account", {"username": name, "password1": password})
    assert (answer.status_code, "errorlist" in answer.content.decode()) == (400, True)
    assert not Guest.objects.exists()


def test_taken_or_similar_looking_name_is_rejected() -> None:
    _, ada = sign_up("Ada L")
    with pytest.raises(accounts.AccountError, match="You already have an account"):
        accounts.create_account(ada, "Eve", PASSWORD)
    User.objects.create_user("Grace", password=PASSWORD)
    for name in ("adal", "grace"):
        again = Client().post("/play/account", {"username": name, "password1": PASSWORD})
        assert (again.status_code, "is taken" in again.content.decode()) == (400, True)


def test_login_transfers_unfinished_guest_games(box: BallotBox) -> None:
    play(start_match(new_event().pk, box), box, RED_WINS)
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
    after = Duel.objects.get()
    assert (after.one, after.two) == (before.one, before.two)
    assert not rebuild(Match.objects.values_list("game", flat=True)[0], write=False).differs


def test_variants_of_a_name_give_no_more_guesses() -> None:
    sign_up("Ada Lovelace")
    for name in ("Ada Lovelace", "ada lovelace", "AdaLovelace", "ada-lovelace", "Ada_Lovelace") * 2:
        log_in(Client(), name, "guess")
    assert "Too many failed attempts" in log_in(Client(), "adalovelace").content.decode()


def test_guest_may_not_create_events_but_become_a_member_of_one() -> None:
    client, ada = sign_up("Ada Lovelace")
    assert "Your account is for playing" in page(client, "/console/")
    for path in ("/console/new/", "/console/new/two-crowds/", "/console/cups/new/"):
        for answer in (client.get(path), client.post(path, {"preset": "two-crowds"})):
            assert (answer.status_code, answer["Location"]) == (302, "/console/")
    for path in ("/console/invitations/", "/admin/"):
        assert client.get(path).status_code in {302, 403, 404}
    assert not Event.objects.exists()
    event = create_event(organizer(), "Fair", ("Reds", "Yellows"))
    assert add_member(event, "ada lovelace", Role.VIEWER).user == ada.user
    assert event.code in page(client, "/console/")
    settings_page = page(client, "/console/password/change/")
    assert 'href="/play/account"><bdi>Ada Lovelace<' in settings_page
    assert '<a class="mark" href="/play/">' in settings_page


def test_login_leads_guests_to_play_and_organizers_to_events() -> None:
    sign_up()
    User.objects.create_user("grace", password=PASSWORD)
    for path in ("/play/login", "/console/login/"):
        for name, start in (("ada", "/play/"), ("grace", "/console/")):
            answer = Client().post(path, {"login": name, "password": PASSWORD})
            assert (answer.status_code, answer["Location"]) == (302, start)


def test_rename_applies_to_unfinished_games() -> None:
    client, _ = sign_up()
    client.post("/play/new")
    for name in ("Grace", "gr-ace"):
        client.post("/play/account/name", {"name": name})
        assert f"Your games now show you as {name}" in page(client, "/play/account")
    assert "gr-ace" in page(Client())
    assert "Ada" not in page(Client())
    other_client, other = sign_up("Bob")
    refused = other_client.post("/play/account/name", {"name": "Grace"}).content.decode()
    assert ("?locale=" in refused, "?locale=de" in page(client, "/play/account")) == (False, True)
    for taken in ("Grace", "Gr\u0430ce"):
        with pytest.raises(accounts.AccountError):
            accounts.rename(other, taken)
    assert (other.name, User.objects.get(guest=other).username) == ("Bob", "bob")


def test_password_is_changed_by_link_of_the_administrator(capsys: pytest.CaptureFixture[str]) -> None:
    client, _ = sign_up("Ada Lovelace")
    call_command("reset_link", "ada lovelace", base_url="http://testserver")
    path, other = capsys.readouterr().out.strip().removeprefix("http://testserver"), Client()
    other.post(other.get(path)["Location"], {"password1": "grey-herons", "password2": "grey-herons"})
    assert "Log in" in page(client)
    assert log_in(Client(), "Ada Lovelace").status_code == 400
    assert log_in(Client(), "Ada Lovelace", "grey-herons").status_code == 302
    User.objects.update(is_active=False)
    for name in ("nobody", "ada lovelace"):
        with pytest.raises(CommandError, match="no active account"):
            call_command("reset_link", name, base_url="http://testserver")


def delete_by_page(client: Client, password: str = PASSWORD) -> str:
    """Ask for the deletion, which asks for the password again, which deletes."""
    asked = client.post("/play/data", {"ask": "delete", "sure": "on"})
    return client.post(asked["Location"], {"password": password}).content.decode()


@pytest.mark.parametrize("over", [False, True])
def test_account_deletion_keeps_begun_crowd_game(box: BallotBox, over: bool) -> None:
    client, ada = sign_up()
    duel = new_duel(ada, DuelSettings(crowd=True))
    new_duel(ada, DuelSettings(crowd=True))
    start_for_one(duel.event.code, ada, box)
    if over:
        play(Match.objects.get(), box, RED_WINS)
    delete_by_page(client)
    assert Event.objects.get() == duel.event
    assert Match.objects.count() == 1


@pytest.mark.parametrize("by", ["guest", "administrator"])
def test_account_deletion_keeps_matches_and_removes_name(by: str, box: BallotBox) -> None:
    _, bob = sign_up("Bob")
    client, ada = sign_up()
    new_duel(ada, DuelSettings())
    playing = new_duel(ada, DuelSettings())
    join_duel(playing.event.code, new_guest(), box)
    if by == "guest":
        assert "errorlist" in delete_by_page(client, "guess")
        assert Guest.objects.filter(name="Ada").exists()
        delete_by_page(client)
    else:
        cast(User, ada.user).delete()
        Event.objects.exclude(pk=playing.event.pk).delete()
    ada.refresh_from_db()
    assert (str(ada), ada.user) == (f"Guest {ada.number}", None)
    assert Match.objects.count() == Event.objects.count() == 1
    shown = page(Client()) + page(Client(), f"/play/{playing.event.code}") + Event.objects.get().name
    assert ("Ada" in shown, str(ada) in shown) == (False, True)
    assert "Log in" in page(client)
    assert log_in(Client()).status_code == 400
    assert sign_up("Ada")[1] != ada
    bob.refresh_from_db()
    assert bob.name == "Bob"


@pytest.mark.django_db(transaction=True)
def test_deletion_that_fails_makes_no_organizer_of_the_guest(box: BallotBox) -> None:
    """A user without a guest may create events."""
    _, ada = sign_up()
    user = cast(User, ada.user)

    def fail(**_: Any) -> None:
        raise ZeroDivisionError

    pre_delete.connect(fail, User)
    try:
        with pytest.raises(ZeroDivisionError):
            accounts.delete_account(user, box)
    finally:
        pre_delete.disconnect(fail, User)
    assert guest_of(User.objects.get(pk=user.pk)) == ada
    accounts.delete_account(user, box)
    assert not User.objects.filter(username="ada").exists()
