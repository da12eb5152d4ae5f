"""People download and delete what is stored about them."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.fields.related import ForeignObjectRel
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.chat.models import ChatLine
from crowdgame.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.duels.models import Duel
from crowdgame.events.models import AuditEntry
from crowdgame.personal_data.tables import GUEST_TABLES, USER_TABLES, Person, load_tables, table_titles
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event, Match
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
PASSWORD = "anchors-aweigh"
# Rows that refer to a person and hold nothing about them: joins of Django's permissions, and what belongs to
# the rows of another table. The tables of guests are exported as well.
NOT_EXPORTED = {"User_groups", "User_user_permissions", "Guest"}


def log_in(name: str = "grace", **rights: Any) -> tuple[Client, User]:
    user = User.objects.create_user(name, password=PASSWORD, **rights)
    client = Client()
    client.post("/console/login/", {"login": name, "password": PASSWORD})
    return client, user


def ask(client: Client, what: str, path: str = "/console/data/") -> Any:
    """Press the button, and enter the password again if that is asked."""
    answer = client.post(path, {"ask": what, "sure": "on"})
    if "/reauthenticate/" in answer.get("Location", ""):
        answer = client.post(answer["Location"], {"password": PASSWORD})
    return answer


def unpack(answer: Any) -> tuple[dict[str, Any], dict[str, list[dict[str, str]]]]:
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        data = json.loads(archive.read("data.json"))
        tables = {
            name.removesuffix(".csv"): list(
                csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig")))
            )
            for name in archive.namelist()
            if name.endswith(".csv")
        }
    return data, tables


def tables_about(person: type[User | Guest]) -> Iterator[str]:
    """The models with a reference to a person. Future ones are found as well."""
    for link in person._meta.get_fields(include_hidden=True):
        if isinstance(link, ForeignObjectRel):
            yield link.related_model.__name__


def test_every_table_about_a_person_is_exported() -> None:
    people: tuple[tuple[Any, Any], ...] = (
        (User.objects.create_user("ada"), USER_TABLES),
        (new_guest(), GUEST_TABLES),
    )
    for person, tables in people:
        loaded = [load(person) for load in tables.values()]
        exported = {rows.model.__name__ for rows in loaded if isinstance(rows, QuerySet)}
        assert {*tables_about(type(person))} - NOT_EXPORTED <= exported


def test_every_table_has_a_title() -> None:
    assert table_titles().keys() == {*USER_TABLES, *GUEST_TABLES}


def test_guest_downloads_everything() -> None:
    client = Client()
    client.post("/play/new")
    Client().post(f"/play/{Event.objects.get().code}/join")
    client.post("/play/chat/lobby/say", {"text": 'Ahoy; "you"\nthere'})
    guest = Guest.objects.order_by("pk")[0]
    answer = ask(client, "download", "/play/data")
    data, tables = unpack(answer)
    assert answer["Content-Disposition"] == 'attachment; filename="crowdgame-data.zip"'
    assert data["player"][0]["number"] == guest.number
    assert data["games"][0]["event__code"] == data["matches"][0]["event__code"] == Event.objects.get().code
    assert data["chat-messages"][0]["text"] == tables["chat-messages"][0]["text"] == 'Ahoy; "you" there'
    assert {name: len(rows) for name, rows in data.items()} == {
        name: len(rows) for name, rows in tables.items()
    }


def test_download_contains_nothing_of_others() -> None:
    other, _ = log_in("ada")
    other.post("/play/chat/lobby/say", {"text": "Ahoy"})
    client, user = log_in()
    create_event(user, "Fair", ("Reds", "Yellows"), consent="We take pictures.")
    create_event(User.objects.get(username="ada"), "Secret", ("Reds", "Yellows"))
    data, _ = unpack(ask(client, "download"))
    assert [event["name"] for event in data["events"]] == ["Fair"]
    assert (data["events"][0]["consent"], data["events"][0]["in_study"]) == ("We take pictures.", False)
    assert data["account"][0]["username"] == "grace"
    assert data["sessions"][0]["ip"] == "127.0.0.1"
    assert "password" not in json.dumps(data)
    assert "Secret" not in json.dumps(data)
    assert "Ahoy" not in json.dumps(data)


def test_download_and_deletion_ask_for_the_password_again() -> None:
    client, user = log_in()
    for what in ("download", "delete"):
        answer = client.post("/console/data/", {"ask": what, "sure": "on"})
        assert (answer.status_code, "/console/reauthenticate/" in answer["Location"]) == (302, True)
        wrong = client.post(answer["Location"], {"password": "guess"})
        assert "errorlist" in wrong.content.decode()
    assert User.objects.filter(pk=user.pk).exists()
    assert Client().get("/console/data/")["Location"].startswith("/console/login/")


def test_organizer_deletes_account_and_events(box: BallotBox) -> None:
    client, user = log_in()
    over = create_event(user, "Fair", ("Reds", "Yellows"))
    play(start_match(over.pk, box), box, RED_WINS)
    others = create_event(User.objects.create_user("ada"), "Other", ("Reds", "Yellows"))
    AuditEntry.objects.create(event=others, by="grace", action="event.edit", what="x", at=1)
    assert "Your events and cups are deleted" in client.get("/console/data/").content.decode()
    assert ask(client, "delete")["Location"] == "/play/"
    assert list(Event.objects.all()) == [others]
    assert not User.objects.filter(username="grace").exists()
    assert AuditEntry.objects.get().by == "former organizer"
    assert client.get("/console/").status_code == 302
    assert "Your data is deleted" in client.get("/play/").content.decode()


def test_account_with_a_live_match_is_not_deleted(box: BallotBox) -> None:
    client, user = log_in()
    event = create_event(user, "Fair", ("Reds", "Yellows"))
    start_match(event.pk, box)
    assert "“Fair” has a live match" in client.get("/console/data/").content.decode()
    ask(client, "delete")
    assert Match.objects.filter(event__owner=user).exists()


def test_last_administrator_is_not_deleted() -> None:
    client, user = log_in(is_superuser=True, is_staff=True)
    assert "only administrator" in client.get("/console/data/").content.decode()
    ask(client, "delete")
    assert User.objects.filter(pk=user.pk).exists()
    User.objects.create_superuser("ada")
    ask(client, "delete")
    assert not User.objects.filter(pk=user.pk).exists()


def test_guest_without_account_deletes_messages_and_open_games(box: BallotBox) -> None:
    client = Client()
    client.post("/play/new")
    client.post("/play/chat/lobby/say", {"text": "Ahoy"})
    guest = Guest.objects.get()
    live = new_duel(guest, DuelSettings())
    join_duel(live.event.code, new_guest(), box)
    ask(client, "delete", "/play/data")
    assert list(Duel.objects.all()) == [live]
    assert not ChatLine.objects.exists()
    assert "Nothing is stored about you" in client.get("/play/data").content.decode()


def test_nothing_is_deleted_without_the_tick() -> None:
    client = Client()
    client.post("/play/new")
    client.post("/play/data", {"ask": "delete"})
    assert Duel.objects.exists()


def test_organizer_stays_logged_in_when_the_guest_of_the_browser_leaves() -> None:
    client, _ = log_in()
    client.post("/play/new")
    ask(client, "delete", "/play/data")
    assert not Event.objects.exists()
    assert client.get("/console/").status_code == 200


def test_guest_account_downloads_account_and_player() -> None:
    client = Client()
    client.post("/play/account", {"username": "Ada", "password1": PASSWORD})
    data, _ = unpack(ask(client, "download", "/play/data"))
    assert (data["account"][0]["username"], data["player"][0]["name"]) == ("ada", "Ada")
    guest = Guest.objects.get()
    assert load_tables(Person(guest.user, guest)).keys() == data.keys()
