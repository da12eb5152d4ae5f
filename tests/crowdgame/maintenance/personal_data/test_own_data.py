import csv
import io
import json
import zipfile
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress as AccountAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.fields.related import ForeignObjectRel
from django.db.models.signals import post_delete
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from crowdgame.accounts.accounts import create_account
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.invitations import create_invitation
from crowdgame.accounts.models import AccountLanguage, Guest, Invitation
from crowdgame.events.models import AuditEntry, EventLogo, Member
from crowdgame.events.organizations import create_organization, share_event
from crowdgame.maintenance.personal_data.tables import GUEST_TABLES, USER_TABLES, Person, load_tables
from crowdgame.organizer.api.models import Webhook
from crowdgame.organizer.api.tokens import create_token
from crowdgame.organizer.cups.cups import create_cup
from crowdgame.play.chat.models import ChatBlock, ChatLine, ChatMute, ChatReport, ChatRoom
from crowdgame.play.duels.conditional_picks import plan_pick
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel, seat_number
from crowdgame.play.duels.models import Duel
from crowdgame.play.notifications.models import EmailAddress, PushSubscription
from crowdgame.play.ratings.models import Rating
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.crowdgame.play.duels.test_conditional_picks import THREE_DAYS
from tests.voting.match_helpers import RED_WINS, only_turn, play
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event, Match, Nickname
from voting.protocol import Role
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
        files = {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}
    data = json.loads(files.pop("data.json"))
    tables = {name: list(csv.DictReader(io.StringIO(text))) for name, text in files.items()}
    return data, {name.removesuffix(".csv"): rows for name, rows in tables.items()}


def test_every_table_about_a_person_is_exported() -> None:
    people: list[Any] = [(User.objects.create_user("ada"), USER_TABLES), (new_guest(), GUEST_TABLES)]
    for person, tables in people:
        loaded = [load(person) for _, load in tables.values()]
        exported = {rows.model.__name__ for rows in loaded if isinstance(rows, QuerySet)}
        links = person._meta.get_fields(include_hidden=True)
        about = {link.related_model.__name__ for link in links if isinstance(link, ForeignObjectRel)}
        assert about - NOT_EXPORTED <= exported


def test_guest_downloads_everything(client: Client) -> None:
    client.post("/play/new")
    Client().post(f"/play/{Event.objects.get().code}/join")
    client.post("/play/chat/lobby/say", {"text": '=Ahoy; "you"\nthere'})
    answer = ask(client, "download", "/play/data")
    data, tables = unpack(answer)
    assert answer["Content-Disposition"] == 'attachment; filename="crowdgame-data.zip"'
    assert data["player"][0]["number"] == Guest.objects.earliest("pk").number
    assert data["games"][0]["event__code"] == data["matches"][0]["event__code"] == Event.objects.get().code
    assert data["chat-messages"][0]["text"] == '=Ahoy; "you" there'
    assert tables["chat-messages"][0]["text"] == '\'=Ahoy; "you" there', "a spreadsheet runs no formula"
    assert [*map(len, data.values())] == [len(tables[name]) for name in data]
    client.post("/play/account", {"username": "Ada", "password1": PASSWORD})
    data, _ = unpack(ask(client, "download", "/play/data"))
    assert (data["account"][0]["username"], data["player"][0]["name"]) == ("ada", "Ada")


def test_everybody_downloads_only_their_own_rows(box: BallotBox) -> None:
    guest, other, *others = (new_guest() for _ in range(4))
    user, other_user = create_account(guest, "Ada", PASSWORD), create_account(other, "Grace", PASSWORD)
    now = timezone.now()
    AccountLanguage.objects.create(user=user, language="de")
    AccountAddress.objects.create(user=user, email="a@example.org")
    UserSession.objects.create(user=user, ip="192.0.2.1", last_seen_at=now, session_key="x")
    Authenticator.objects.create(user=user, type="totp", data={})
    SocialAccount.objects.create(user=user, provider="oidc", uid="1")
    event = create_event(user, "Secret", ("Reds", "Yellows"))
    EventLogo.objects.create(event=event, key="x", content=b"x")
    create_cup(user, "Cup", ("4a", "4b"))
    create_token(user, "scoreboard", ("read",))
    Webhook.objects.create(user=user, event=event, url="https://example.org/", secret="x", seq=0)
    Member.objects.create(event=event, user=user, role=Role.VIEWER)
    create_organization("Secret school", user)
    for column in ("made_by", "used_by"):
        create_invitation(column)
        Invitation.objects.filter(name=column).update(**{column: user})
    AuditEntry.objects.create(event=event, user=user, by=user.username, action="event.edit", what="x", at=1)
    LogEntry.objects.create(user=user, action_flag=1)
    ChatMute.objects.create(guest=others[0], by=user)
    EmailAddress.objects.create(guest=guest, email="a@example.org")
    PushSubscription.objects.create(guest=guest, endpoint="https://push.example/a")
    duel = join_duel(new_duel(others[0], DuelSettings(time_control=THREE_DAYS)).event.code, guest, box)
    plan_pick(duel.event_id, seat_number(duel, guest), only_turn(duel.event.matches.get()).pk, 1, 1)
    let_win(new_duel(guest, DuelSettings(bot=3, casual=True)).event, 1)
    Rating.objects.create(guest=guest, game="g", mu=1, sigma=1, games=1, last_at=1)
    room = ChatRoom.objects.create(kind="lobby")
    line, _ = (
        ChatLine.objects.create(room=room, guest=speaker, name="x", text="Ahoy", at=now, seq=seq)
        for seq, speaker in enumerate((others[1], guest))
    )
    ChatBlock.objects.create(guest=guest, blocked=others[1])
    ChatReport.objects.create(line=line, by=guest, reason="advert")
    ChatMute.objects.create(guest=guest, until=now)
    own = load_tables(Person(user, guest))
    assert own.keys() == {*USER_TABLES, *GUEST_TABLES}
    assert len(own["invitations"]) == 2
    assert load_tables(Person(other_user, other)).keys() == {"account", "player"}


def test_downloaded_account_contains_no_password_and_needs_it() -> None:
    client, user = log_in()
    create_event(user, "Fair", ("Reds", "Yellows"), consent="We take pictures.")
    for what in ("download", "delete"):
        answer = client.post("/console/data/", {"ask": what, "sure": "on"})
        assert (answer.status_code, "/console/reauthenticate/" in answer["Location"]) == (302, True)
        assert "errorlist" in client.post(answer["Location"], {"password": "guess"}).content.decode()
    assert Client().get("/console/data/")["Location"].startswith("/console/login/")
    data, _ = unpack(ask(client, "download"))
    shown = {key: data["events"][0][key] for key in ("name", "consent", "in_study")}
    assert shown == {"name": "Fair", "consent": "We take pictures.", "in_study": False}
    assert data["account"][0]["username"] == "grace"
    assert data["sessions"][0]["ip"] == "127.0.0.1"
    assert "password" not in json.dumps(data)


def test_organizer_deletes_account_and_events(box: BallotBox) -> None:
    client, user = log_in()
    over = create_event(user, "Fair", ("Reds", "Yellows"))
    play(start_match(over.pk, box), box, RED_WINS)
    Nickname.objects.create(event=over, voter_code="BCDFGH", name="Heron", allowed=True, chosen_at=1)
    others = create_event(User.objects.create_user("ada"), "Other", ("Reds", "Yellows"))
    for by in (user, others.owner):
        AuditEntry.objects.create(event=others, user=by, by=by.username, action="event.edit", what="x", at=1)
    create_invitation("Grace", email="grace@example.org")
    Invitation.objects.update(used_by=user)
    assert "Your events and cups are deleted" in client.get("/console/data/").content.decode()
    assert ask(client, "delete")["Location"] == "/play/"
    assert list(Event.objects.all()) == [others]
    assert not Nickname.objects.exists()
    assert not Invitation.objects.exists()
    assert not User.objects.filter(username="grace").exists()
    assert {entry.by for entry in AuditEntry.objects.all()} == {"former organizer", "ada"}
    assert client.get("/console/").status_code == 302
    assert "Your data is deleted" in client.get("/play/").content.decode()


@pytest.mark.parametrize("deletes", ["account", "admin", "admin list"])
def test_audit_logs_of_others_lose_the_name_of_a_deleted_account(deletes: str) -> None:
    client, user = log_in("ada", is_superuser=True, is_staff=True)
    event = create_event(user, "Fair", ("Reds", "Yellows"))
    own, grace = log_in("grace")
    create_account(new_guest(), "Bob the Builder", PASSWORD)
    members = f"/console/{event.code}/members/"
    for name in (grace.username, "bob THE builder"):
        client.post(members, {"ask": "add", "name": name, "role": Role.COHOST})
        client.post(members, {"ask": "remove", "member": Member.objects.get().pk})
    AuditEntry.objects.create(
        event=event, user=grace, by="grace", action="event.edit", what="changed x", at=1
    )
    AccountAddress.objects.create(user=grace, email="grüß@example.org")
    texts = [("grace in Fair (K4KT)", ""), ("grüß@example.org", ""), ("graceful (K4KT)", "grace")]
    for text, inline in texts:
        change = json.dumps([{"changed": {"name": "member", "object": inline, "fields": ["grace"]}}])
        LogEntry.objects.create(user=user, action_flag=1, object_repr=text, change_message=change)
    page = "/admin/auth/user/"
    if deletes == "account":
        ask(own, "delete")
    elif deletes == "admin":
        client.post(f"{page}{grace.pk}/delete/", {"post": "yes"})
    else:
        client.post(page, {"action": "delete_selected", "_selected_action": grace.pk, "post": "yes"})
    assert not User.objects.filter(pk=grace.pk).exists()
    assert [str(entry) for entry in event.audit_entries.order_by("pk")] == [
        "ada added former organizer as a co-host",
        "ada removed former organizer from the members",
        "ada added bobthebuilder as a co-host",
        "ada removed bobthebuilder from the members",
        "former organizer changed x",
    ]
    former = f"account {grace.pk}"
    entries = LogEntry.objects.order_by("pk")
    assert [entry.object_repr for entry in entries[:3]] == [
        f"{former} in Fair (K4KT)",
        former,
        "graceful (K4KT)",
    ]
    assert json.loads(entries[2].change_message)[0]["changed"]["object"] == former
    assert {entry.object_repr for entry in entries[3:]} <= {former}


def test_shared_events_of_a_deleted_organizer_go_to_another_owner(
    box: BallotBox, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    client, user = log_in()
    school, lonely = create_organization("School", user), create_organization("Alone", user)
    for name, role in (("ada", Role.COHOST), ("away", Role.OWNER), ("bob", Role.OWNER), ("eve", Role.OWNER)):
        member = User.objects.create_user(name, is_active=name != "away")
        school.members.create(user=member, role=role)
    for name, organization in (("Shared", school), ("Own", None), ("Unseen", lonely)):
        event = create_event(user, name, ("Reds", "Yellows"))
        share_event(event, organization, user, is_template=False)
    shared, unseen = Event.objects.get(name="Shared"), Event.objects.get(name="Unseen")
    bob = User.objects.get(username="bob")
    for name in ("ada", "bob"):
        shared.members.create(user=User.objects.get(username=name), role=Role.VIEWER)

    def start_another(**_: Any) -> None:
        """A match begins while the account is deleted, which had no live match before."""
        start_match(unseen.pk, box)

    post_delete.connect(start_another, Event)
    with django_capture_on_commit_callbacks() as callbacks:
        ask(client, "delete")
    post_delete.disconnect(start_another, Event)
    assert (Event.objects.get(pk=shared.pk).owner, callbacks) == (user, []), "refused: nothing is handed over"
    unseen.matches.all().delete()
    with django_capture_on_commit_callbacks() as callbacks:
        ask(client, "delete")
    assert [(event.name, event.owner.username) for event in Event.objects.all()] == [("Shared", "bob")]
    assert [member.user.get_username() for member in shared.members.all()] == ["ada"]
    assert (bob.pk, shared.pk) in [callback.args for callback in callbacks if isinstance(callback, partial)]
    entry = AuditEntry.objects.get(action="event.hand_over")
    assert str(entry) == "former organizer deleted their account. bob owns this event now."


def test_name_of_a_deleted_organizer_gives_none_of_their_actions() -> None:
    event = create_event(User.objects.create_user("ada"), "Other", ("Reds", "Yellows"))
    AuditEntry.objects.create(event=event, user=None, by="grace", action="event.edit", what="x", at=1)
    client, _ = log_in("grace")
    data, _ = unpack(ask(client, "download"))
    assert "console-actions" not in data
    ask(client, "delete")
    assert AuditEntry.objects.get().by == "grace", "their entry is not changed either"


def test_account_with_a_live_match_or_of_the_last_administrator_is_not_deleted(box: BallotBox) -> None:
    client, user = log_in(is_superuser=True, is_staff=True)
    assert "only administrator" in client.get("/console/data/").content.decode()
    other = User.objects.create_superuser("ada", is_active=False)
    ask(client, "delete")
    assert User.objects.filter(pk=user.pk).exists()
    User.objects.filter(pk=other.pk).update(is_active=True)
    start_match(create_event(user, "Fair", ("Reds", "Yellows")).pk, box)
    assert "“Fair” has a live match" in client.get("/console/data/").content.decode()
    ask(client, "delete")
    assert Match.objects.filter(event__owner=user).exists()
    Match.objects.all().delete()
    ask(client, "delete")
    assert not User.objects.filter(pk=user.pk).exists()


@pytest.mark.parametrize("organizes", [False, True])
def test_guest_without_account_deletes_messages_and_open_games(box: BallotBox, organizes: bool) -> None:
    """An organizer who is logged in with the same browser stays logged in."""
    client = log_in()[0] if organizes else Client()
    client.post("/play/new")
    client.post("/play/chat/lobby/say", {"text": "Ahoy"})
    own, other = Guest.objects.get(), new_guest()
    live = new_duel(own, DuelSettings())
    join_duel(live.event.code, other, box)
    for guest, blocked in ((own, other), (other, own)):
        ChatBlock.objects.create(guest=guest, blocked=blocked)
    client.post("/play/data", {"ask": "delete"})  # without the tick
    assert (Duel.objects.count(), ChatLine.objects.count()) == (2, 1)
    ask(client, "delete", "/play/data")
    assert list(Duel.objects.all()) == [live]
    assert (ChatLine.objects.exists(), ChatBlock.objects.get().guest) == (False, other)
    assert "Nothing is stored about you" in client.get("/play/data").content.decode()
    assert client.get("/console/").status_code == (200 if organizes else 302)
