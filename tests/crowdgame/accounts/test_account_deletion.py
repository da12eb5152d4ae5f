"""Deleting a guest's account: what stays, and who may."""

from typing import Any, cast

import pytest
from django.contrib.auth.models import User
from django.db.models.signals import pre_delete
from django.test import Client

from crowdgame.accounts.accounts import delete_account as delete
from crowdgame.accounts.backend import guest_of
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel, start_for_one
from tests.crowdgame.accounts.test_accounts import PASSWORD, log_in, page, sign_up
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]


def delete_account(client: Client, password: str = PASSWORD) -> Any:
    """Ask for the deletion, which asks for the password again, which deletes."""
    asked = client.post("/play/data", {"ask": "delete", "sure": "on"})
    return client.post(asked["Location"], {"password": password})


@pytest.mark.parametrize("over", [False, True])
def test_account_deletion_keeps_begun_crowd_game(box: BallotBox, over: bool) -> None:
    client, ada = sign_up()
    duel = new_duel(ada, DuelSettings(crowd=True))
    new_duel(ada, DuelSettings(crowd=True))
    start_for_one(duel.event.code, ada, box)
    if over:
        play(Match.objects.get(), box, RED_WINS)
    delete_account(client)
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
        assert "errorlist" in delete_account(client, "guess").content.decode()
        assert Guest.objects.filter(name="Ada").exists()
        delete_account(client)
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
            delete(user, box)
    finally:
        pre_delete.disconnect(fail, User)
    assert guest_of(User.objects.get(pk=user.pk)) == ada
    delete(user, box)
    assert not User.objects.filter(username="ada").exists()
