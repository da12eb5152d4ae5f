"""Chat pages: who may read, post, mute, report and moderate."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.guest_cookie import COOKIE
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.chat.models import ChatLine, ChatMute, ChatReport, ChatRoom
from crowdgame.duels.models import Duel
from games.models import Event, Match
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]


def say(client: Client, text: str, slug: str = "lobby", status: int = 302) -> str:
    answer = client.post(f"/play/chat/{slug}/say", {"text": text})
    assert answer.status_code == status, answer.content
    return answer.content.decode()


def visible_texts(client: Client, path: str = "/play/") -> list[str]:
    answer = client.get(path)
    assert answer.status_code == 200
    return re.findall(r'<span class="text" dir="auto">([^<]+)</span>', answer.content.decode())


def latest() -> ChatLine:
    return ChatLine.objects.latest("pk")


def act_on_latest(client: Client, action: str = "", **fields: str) -> int:
    line = latest()
    slug = f"{line.room.duel.event.code}-{line.room.kind}" if line.room.duel else "lobby"
    path = f"/play/chat/{slug}/{line.pk}"
    return (client.post(f"{path}/{action}", fields) if action else client.get(path)).status_code


def moderator() -> Client:
    user = User.objects.create_user("mo")
    user.user_permissions.add(Permission.objects.get(codename="moderate_chat"))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def duel() -> tuple[str, Client, Client]:
    one, two = Client(), Client()
    one.post("/play/new")
    code = Duel.objects.select_related("event").get().event.code
    two.post(f"/play/{code}/join")
    return code, one, two


def test_first_message_creates_guest_and_is_public() -> None:
    one = Client()
    assert visible_texts(one) == []
    assert not Guest.objects.exists()
    say(one, "Hello \u202eall")
    assert one.cookies[COOKIE]["httponly"]
    assert str(Guest.objects.get()) == latest().name
    assert visible_texts(Client()) == visible_texts(Client(), "/play/chat/lobby") == ["Hello all"]


def test_refused_message_stays_in_form_and_creates_no_guest() -> None:
    one = Client()
    assert "no visible text" in say(one, "\u200b", status=409)
    assert not Guest.objects.exists()
    say(one, "Hello")
    ChatRoom.objects.update(slow_s=300)
    text = say(one, "Hello again", status=409)
    assert "One message every 300 s" in text
    assert 'value="Hello again"' in text
    answer = one.post("/play/chat/lobby/say", {"text": "Hello again"}, headers={"accept": "application/json"})
    assert (answer.status_code, "One message" in answer.json()["problem"]) == (409, True)
    assert ChatLine.objects.count() == ChatRoom.objects.get().seq == 1


def test_players_and_watchers_chats_are_separate_until_match_ends(
    duel: tuple[str, Client, Client], box: BallotBox
) -> None:
    code, one, two = duel
    say(one, "I shall win", f"{code}-players")
    watcher = Client()
    say(watcher, "Red is lost", f"{code}-watchers")
    for client, own, other in ((two, "players", "watchers"), (watcher, "watchers", "players")):
        texts = {"players": "I shall win", "watchers": "Red is lost"}
        assert visible_texts(client, f"/play/{code}") == [texts[own]]
        assert client.get(f"/play/chat/{code}-{other}").status_code == 404
        say(client, "Let me in", f"{code}-{other}", status=404)
    line = ChatLine.objects.get(text="I shall win")
    for path in (f"{code}-players/{line.pk}", f"{code}-watchers/{line.pk}", f"lobby/{line.pk}"):
        assert watcher.get(f"/play/chat/{path}").status_code == 404
    play(Match.objects.get(), box, RED_WINS)
    assert (
        visible_texts(watcher, f"/play/{code}")
        == visible_texts(one, f"/play/{code}")
        == ["I shall win", "Red is lost"]
    )
    say(watcher, "Well played", f"{code}-players")


def test_waiting_duel_and_plain_event_have_no_chat_room() -> None:
    client = Client()
    client.post("/play/new")
    code = Event.objects.get().code
    assert client.get(f"/play/chat/{code}-players").status_code == 404
    Event.objects.update(code="QQQQ")
    Duel.objects.all().delete()
    assert client.get("/play/chat/QQQQ-watchers").status_code == 404


def test_chat_is_absent_when_disabled(settings: object) -> None:
    settings.CHAT = False  # type: ignore[attr-defined]
    assert 'class="talk"' not in Client().get("/play/").content.decode()
    say(Client(), "Hello", status=404)


def test_blocked_guest_is_hidden_until_unblocked() -> None:
    one, two = Client(), Client()
    say(one, "Mine")
    say(two, "Theirs")
    assert act_on_latest(Client(), "block") == 400
    assert act_on_latest(one, "block") == 302
    assert visible_texts(one) == ["Mine"]
    assert visible_texts(two) == ["Mine", "Theirs"]
    number = latest().guest.number
    assert f'data-blocked="{number} "' in one.get("/play/").content.decode()
    one.post("/play/chat/unblock", {"number": str(number), "slug": "lobby"})
    assert visible_texts(one) == ["Mine", "Theirs"]


def test_message_is_reported_once_per_guest() -> None:
    say(Client(), "Awful")
    reader = Client()
    reader.post("/play/new")
    for client in (Client(), Client(), reader, reader):
        assert act_on_latest(client, "report", reason="insult") == 200
    assert act_on_latest(reader, "report", reason="whim") == 400
    assert ChatReport.objects.count() == 2
    mo = moderator()
    text = mo.get("/play/chat/reports").content.decode()
    assert "Awful" in text
    assert "2 reports" in text
    assert act_on_latest(mo, "settle", list="") == 302
    assert "No open reports" in mo.get("/play/chat/reports").content.decode()


def test_removed_message_is_visible_only_to_moderators() -> None:
    say(Client(), "Awful")
    act_on_latest(Client(), "report", reason="insult")
    mo = moderator()
    assert act_on_latest(mo, "remove") == 302
    assert (latest().removed, latest().seq) == (True, 2)
    assert visible_texts(Client()) == []
    assert visible_texts(mo) == ["Awful"]
    assert act_on_latest(Client()) == 404
    assert act_on_latest(mo) == 200
    assert not ChatReport.objects.filter(settled=False).exists()
    assert LogEntry.objects.get().change_message == f"removed a message by {latest().name}"


def test_muted_guest_cannot_post_until_mute_ends() -> None:
    one, mo = Client(), moderator()
    say(one, "Awful")
    assert act_on_latest(mo, "mute") == 400
    assert act_on_latest(mo, "mute", **{"for": "hour"}) == 302
    assert "muted you until" in say(one, "More", status=409)
    assert "muted you until" in one.get("/play/").content.decode()
    ChatMute.objects.update(until=timezone.now())
    say(Client(), "Others go on")
    ChatLine.objects.update(at="2026-01-01T00:00Z")
    say(one, "More")
    act_on_latest(mo, "mute", **{"for": "ever"})
    assert "muted you." in say(one, "Still more", status=409)
    act_on_latest(mo, "unmute")
    ChatLine.objects.update(at="2026-01-01T00:00Z")
    say(one, "Still more")


def test_moderator_sets_slow_mode_and_closes_room() -> None:
    one, mo = Client(), moderator()
    say(one, "First")
    assert mo.post("/play/chat/lobby/rule", {"slow_s": "7"}).status_code == 400
    assert mo.post("/play/chat/lobby/rule", {"slow_s": "60"}).status_code == 302
    assert "One message every 60 s" in say(one, "Second", status=409)
    mo.post("/play/chat/lobby/rule", {"slow_s": "60", "closed": "on"})
    assert "closed" in say(Client(), "Hello", status=409)
    assert ChatRoom.objects.get().seq == 3


@pytest.mark.parametrize("action", ["remove", "mute", "settle", "unmute", "fly"])
def test_moderation_requires_permission(action: str) -> None:
    one = Client()
    say(one, "Hello")
    one.force_login(User.objects.create_user("somebody", is_staff=True))
    assert act_on_latest(one, action, **{"for": "ever"}) == 404
    assert one.post("/play/chat/lobby/rule", {"slow_s": "60"}).status_code == 404
    assert one.get("/play/chat/reports").status_code == 404
    assert "/console/login/" in Client().get("/play/chat/reports")["Location"]
    assert not LogEntry.objects.exists()


def test_chat_page_is_paginated() -> None:
    room = ChatRoom.objects.create(kind="lobby", seq=130)
    guest, now = new_guest(), timezone.now()
    ChatLine.objects.bulk_create(
        ChatLine(room=room, guest=guest, name=str(guest), text=f"number {number}", at=now, seq=number)
        for number in range(1, 131)
    )
    text = Client().get("/play/chat/lobby").content.decode()
    earlier = re.search(r'href="(\?before=\d+)"', text)
    assert earlier
    assert visible_texts(Client(), "/play/")[0] == "number 31"
    assert visible_texts(Client(), f"/play/chat/lobby{earlier[1]}") == [
        f"number {number}" for number in range(1, 31)
    ]
    assert visible_texts(Client(), "/play/chat/lobby?before=x")[-1] == "number 130"


def test_chat_post_requires_csrf_token() -> None:
    strict = Client(enforce_csrf_checks=True)
    say(strict, "Hello", status=403)


@pytest.mark.parametrize(
    "path",
    [
        "/play/chat/lobby/99999999999999999999999",
        "/play/chat/ZZZZ-players",
        "/play/chat/ZZZZ-lobby",
        "/play/chat/-",
        "/play/chat/players",
    ],
)
def test_malformed_chat_path_returns_404(path: str) -> None:
    assert Client().get(path).status_code == 404
    assert Client().get(f"/play/chat/lobby?before={'9' * 30}").status_code == 200
    assert Client().post("/play/chat/unblock", {"number": "9" * 30}).status_code == 404
