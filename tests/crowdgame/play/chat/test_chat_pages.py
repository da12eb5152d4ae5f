import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from crowdgame.accounts.accounts import create_account, delete_account
from crowdgame.accounts.guest_cookie import COOKIE
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.chat.models import ChatLine, ChatMute, ChatReport, ChatRoom
from crowdgame.play.chat.moderation import mute, remove_message
from crowdgame.play.chat.posting import report
from crowdgame.play.chat.retention import purge_chat
from tests.crowdgame.play.duels.test_play_pages import join_game, new_game
from tests.play_helpers import fill_lobby_chat
from tests.voting.match_helpers import RED_WINS, new_event, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match

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


@pytest.fixture
def mo() -> Client:
    user = User.objects.create_user("mo")
    user.user_permissions.add(Permission.objects.get(codename="moderate_chat"))
    client = Client()
    client.force_login(user)
    return client


def test_only_an_accepted_message_creates_guest_and_is_public() -> None:
    one = Client()
    assert "no visible text" in say(one, "\u200b", status=409)
    assert visible_texts(one) == []
    assert not Guest.objects.exists()
    say(one, "Hello \u202eall")
    assert one.cookies[COOKIE]["httponly"]
    assert str(Guest.objects.get()) == latest().name
    assert visible_texts(Client()) == visible_texts(Client(), "/play/chat/lobby") == ["Hello all"]
    ChatRoom.objects.update(slow_s=300)
    assert 'value="Hello again"' in say(one, "Hello again", status=409)
    answer = one.post("/play/chat/lobby/say", {"text": "Hello again"}, headers={"accept": "application/json"})
    assert (answer.status_code, "One message" in answer.json()["problem"]) == (409, True)
    assert ChatLine.objects.count() == ChatRoom.objects.get().seq == 1


def test_players_and_watchers_chat_apart_until_end(box: BallotBox) -> None:
    one, two, watcher = Client(), Client(), Client()
    code = new_game(one)
    join_game(code, two)
    say(one, "I shall win", f"{code}-players")
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
    for client in (watcher, one):
        assert visible_texts(client, f"/play/{code}") == ["I shall win", "Red is lost"]
    say(watcher, "Well played", f"{code}-players")
    Event.objects.all().delete()
    say(one, "Still here", f"{code}-players", status=404)
    assert not ChatLine.objects.exists()


def test_unknown_rooms_and_guests_and_disabled_chat_are_not_found(client: Client, settings: Settings) -> None:
    waiting, event = new_game(), new_event().code
    unknown = ("ZZZZ-players", "ZZZZ-lobby", "-", f"{waiting}-players", f"{event}-watchers")
    for path in (*unknown, f"lobby/{'9' * 23}"):
        assert client.get(f"/play/chat/{path}").status_code == 404
    assert client.post("/play/chat/unblock", {"number": "9" * 30}).status_code == 404
    say(Client(enforce_csrf_checks=True), "Hello", status=403)
    fill_lobby_chat(130)
    everything = list(ChatLine.objects.order_by("seq").values_list("text", flat=True))
    assert visible_texts(client) == everything[30:]
    for query in ("", f"?before={'9' * 30}", "?before=x"):
        assert visible_texts(client, f"/play/chat/lobby{query}") == everything[30:]
    earlier = re.findall(r'href="(\?before=\d+)"', client.get("/play/chat/lobby").content.decode())
    assert visible_texts(client, f"/play/chat/lobby{earlier[0]}") == everything[:30]
    assert client.get(f"/play/chat/lobby{earlier[0]}").content.decode().count('data-moment="short"') == 30
    assert ">Zurück<" in client.get("/play/chat/lobby", headers={"accept-language": "de"}).content.decode()
    settings.CHAT = False
    assert 'class="talk"' not in client.get("/play/").content.decode()
    say(client, "Hello", status=404)


def test_blocked_guest_is_hidden_until_unblocked() -> None:
    one = Client()
    say(one, "Mine")
    for text in ("Hers", "Theirs"):
        say(Client(), text)
        assert act_on_latest(Client(), "block") == 400
        assert act_on_latest(one, "block") == 302
    assert (visible_texts(one), visible_texts(Client())) == (["Mine"], ["Mine", "Hers", "Theirs"])
    number = latest().guest.number
    assert re.search(f'data-blocked="[0-9 ]*{number} ', one.get("/play/").content.decode())
    one.post("/play/chat/unblock", {"number": str(number), "slug": "lobby"})
    assert visible_texts(one) == ["Mine", "Theirs"]


def test_message_is_reported_once_per_guest_and_removed_for_all_but_moderators(mo: Client) -> None:
    def reports() -> str:
        return mo.get("/play/chat/reports").content.decode()

    reader = Client()
    reader.post("/play/new")
    for text in ("Odd", "Awful"):
        say(Client(), text)
        assert act_on_latest(Client(), "report", reason="insult") == 200
    for client in (Client(), reader, reader):
        assert act_on_latest(client, "report", reason="insult") == 200
    assert act_on_latest(reader, "report", reason="whim") == 400
    assert ChatReport.objects.count() == 3
    assert 0 < reports().index("Awful") < reports().index("2 reports") < reports().index("Odd"), (
        "newest first"
    )
    assert act_on_latest(mo, "settle", list="") == 302
    assert LogEntry.objects.get().change_message == f"dismissed reports of message {latest().pk}"
    assert "Awful" not in reports()
    ChatReport.objects.filter(line__text="Odd").delete()
    assert "No open reports" in reports()
    ChatReport.objects.update(settled=False)
    assert act_on_latest(mo, "remove") == 302
    assert (latest().removed, latest().seq) == (True, 3)
    assert (visible_texts(Client()), visible_texts(mo)) == (["Odd"], ["Odd", "Awful"])
    assert (act_on_latest(Client()), act_on_latest(mo)) == (404, 200)
    assert not ChatReport.objects.filter(settled=False).exists()
    assert LogEntry.objects.latest("pk").change_message == f"removed message {latest().pk}"


def test_moderator_mutes_guest_sets_slow_mode_and_closes_room(mo: Client) -> None:
    one = Client()
    say(one, "Awful")
    assert act_on_latest(mo, "mute") == 400
    assert act_on_latest(mo, "mute", **{"for": "hour"}) == 302
    assert "muted you until" in say(one, "More", status=409)
    assert "muted you until" in one.get("/play/").content.decode()
    ChatMute.objects.update(until=timezone.now())
    other = Client()
    say(other, "Others go on")
    act_on_latest(mo, "mute", **{"for": "day"})
    ChatRoom.objects.update(slow_s=0)
    say(one, "More")
    act_on_latest(mo, "mute", **{"for": "ever"})
    assert "muted you." in say(one, "Still more", status=409)
    act_on_latest(mo, "unmute")
    say(one, "Still more")
    assert "muted you until" in say(other, "They went on", status=409)
    for slow_s, status in (("7", 400), ("60", 302)):
        assert mo.post("/play/chat/lobby/rule", {"slow_s": slow_s}).status_code == status
    assert "One message every 60 s" in say(one, "Second", status=409)
    seq = ChatRoom.objects.get().seq
    mo.post("/play/chat/lobby/rule", {"slow_s": "60", "closed": "on"})
    assert "closed" in say(Client(), "Hello", status=409)
    assert ChatRoom.objects.get().seq == seq + 1


def test_moderation_log_loses_the_name_of_a_deleted_account(mo: Client, box: BallotBox) -> None:
    users = {}
    for name in ("Ada", "Grace"):
        client, guest = Client(), new_guest()
        users[name] = create_account(guest, name, "anchors-aweigh")
        client.force_login(users[name])
        say(client, "Awful")
        report(latest(), None, "insult")
        for action in ("settle", "mute", "unmute", "remove"):
            assert act_on_latest(mo, action, **{"for": "ever"}) == 302
    number = Guest.objects.get(name="Ada").number
    delete_account(users["Ada"], box)
    assert not LogEntry.objects.filter(change_message__contains="Ada").exists()
    names = LogEntry.objects.values_list("object_repr", flat=True).order_by("pk")
    assert list(names) == [f"Guest {number}"] * 4 + ["Grace"] * 4


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


def test_old_messages_and_their_records_are_purged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crowdgame.play.chat.retention.ROWS_PER_STEP", 2)
    for _ in range(3):
        say(Client(), "long ago")
    old, mo = latest(), User.objects.create_user("mo")
    report(old, None, "other")
    mute(old, mo, "hour")
    remove_message(old, mo)
    LogEntry.objects.create(user=mo, action_flag=1, content_type=ContentType.objects.get(model="invitation"))
    then = timezone.now() - timedelta(days=31)
    ChatLine.objects.update(at=then)
    LogEntry.objects.update(action_time=then)
    ChatMute.objects.update(until=then)
    say(Client(), "just now")
    mute(latest(), mo, "ever")
    assert list(purge_chat(30))[:2] == [2, 3], "in batches"
    assert list(purge_chat(30)) == []
    assert ChatLine.objects.get().text == "just now"
    counts = [kind.objects.count() for kind in (ChatReport, ChatMute, LogEntry)]
    assert counts == [0, 1, 2], "a mute for ever stays, with its entry, and those about others"
