"""Where guests talk, by its pages: who may enter, say, mute, report and moderate."""

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


def say(client: Client, text: str, place: str = "lobby", status: int = 302) -> str:
    answer = client.post(f"/play/chat/{place}/say", {"text": text})
    assert answer.status_code == status, answer.content
    return answer.content.decode()


def shown(client: Client, path: str = "/play/") -> list[str]:
    answer = client.get(path)
    assert answer.status_code == 200
    return re.findall(r'<span class="text" dir="auto">([^<]+)</span>', answer.content.decode())


def latest() -> ChatLine:
    return ChatLine.objects.latest("pk")


def of_latest(client: Client, action: str = "", **fields: str) -> int:
    line = latest()
    place = f"{line.room.duel.event.code}-{line.room.kind}" if line.room.duel else "lobby"
    path = f"/play/chat/{place}/{line.pk}"
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


def test_the_first_message_gives_a_name_and_all_read_it() -> None:
    one = Client()
    assert shown(one) == []
    assert not Guest.objects.exists()
    say(one, "Hello \u202eall")
    assert one.cookies[COOKIE]["httponly"]
    assert str(Guest.objects.get()) == latest().name
    assert shown(Client()) == shown(Client(), "/play/chat/lobby") == ["Hello all"]


def test_what_is_refused_is_said_and_stays_in_the_field_and_gives_nobody_a_name() -> None:
    one = Client()
    assert "nothing to be read" in say(one, "\u200b", status=409)
    assert not Guest.objects.exists()
    say(one, "Hello")
    ChatRoom.objects.update(slow_s=300)
    text = say(one, "Hello again", status=409)
    assert "One message in 300 s" in text
    assert 'value="Hello again"' in text
    answer = one.post("/play/chat/lobby/say", {"text": "Hello again"}, headers={"accept": "application/json"})
    assert (answer.status_code, "One message" in answer.json()["problem"]) == (409, True)
    assert ChatLine.objects.count() == ChatRoom.objects.get().seq == 1


def test_players_and_watchers_hear_nothing_of_each_other_until_the_game_is_over(
    duel: tuple[str, Client, Client], box: BallotBox
) -> None:
    code, one, two = duel
    say(one, "I shall win", f"{code}-players")
    watcher = Client()
    say(watcher, "Red is lost", f"{code}-watchers")
    for client, own, other in ((two, "players", "watchers"), (watcher, "watchers", "players")):
        said = {"players": "I shall win", "watchers": "Red is lost"}
        assert shown(client, f"/play/{code}") == [said[own]]
        assert client.get(f"/play/chat/{code}-{other}").status_code == 404
        say(client, "Let me in", f"{code}-{other}", status=404)
    line = ChatLine.objects.get(text="I shall win")
    for path in (f"{code}-players/{line.pk}", f"{code}-watchers/{line.pk}", f"lobby/{line.pk}"):
        assert watcher.get(f"/play/chat/{path}").status_code == 404
    play(Match.objects.get(), box, RED_WINS)
    assert shown(watcher, f"/play/{code}") == shown(one, f"/play/{code}") == ["I shall win", "Red is lost"]
    say(watcher, "Well played", f"{code}-players")


def test_there_is_no_room_beside_a_game_that_waits_nor_in_an_event() -> None:
    client = Client()
    client.post("/play/new")
    code = Event.objects.get().code
    assert client.get(f"/play/chat/{code}-players").status_code == 404
    Event.objects.update(code="QQQQ")
    Duel.objects.all().delete()
    assert client.get("/play/chat/QQQQ-watchers").status_code == 404


def test_a_house_may_have_no_talk(settings: object) -> None:
    settings.CHAT = False  # type: ignore[attr-defined]
    assert 'class="talk"' not in Client().get("/play/").content.decode()
    say(Client(), "Hello", status=404)


def test_whom_i_mute_i_do_not_read_until_i_read_them_again() -> None:
    one, two = Client(), Client()
    say(one, "Mine")
    say(two, "Theirs")
    assert of_latest(Client(), "block") == 400
    assert of_latest(one, "block") == 302
    assert shown(one) == ["Mine"]
    assert shown(two) == ["Mine", "Theirs"]
    number = latest().guest.number
    assert f'data-blocked="{number} "' in one.get("/play/").content.decode()
    one.post("/play/chat/unblock", {"number": str(number), "place": "lobby"})
    assert shown(one) == ["Mine", "Theirs"]


def test_a_message_is_reported_once_by_each_and_moderators_see_it() -> None:
    say(Client(), "Awful")
    reader = Client()
    reader.post("/play/new")
    for client in (Client(), Client(), reader, reader):
        assert of_latest(client, "report", reason="insult") == 200
    assert of_latest(reader, "report", reason="whim") == 400
    assert ChatReport.objects.count() == 2
    mo = moderator()
    text = mo.get("/play/chat/reports").content.decode()
    assert "Awful" in text
    assert "2 reports" in text
    assert of_latest(mo, "settle", list="") == 302
    assert "All is well" in mo.get("/play/chat/reports").content.decode()


def test_a_removed_message_is_gone_for_all_but_moderators() -> None:
    say(Client(), "Awful")
    of_latest(Client(), "report", reason="insult")
    mo = moderator()
    assert of_latest(mo, "remove") == 302
    assert (latest().removed, latest().seq) == (True, 2)
    assert shown(Client()) == []
    assert shown(mo) == ["Awful"]
    assert of_latest(Client()) == 404
    assert of_latest(mo) == 200
    assert not ChatReport.objects.filter(settled=False).exists()
    assert LogEntry.objects.get().change_message == f"removed a message of {latest().name}"


def test_a_silenced_guest_speaks_nowhere_until_the_time_is_over() -> None:
    one, mo = Client(), moderator()
    say(one, "Awful")
    assert of_latest(mo, "mute") == 400
    assert of_latest(mo, "mute", **{"for": "hour"}) == 302
    assert "silenced you until" in say(one, "More", status=409)
    assert "silenced you until" in one.get("/play/").content.decode()
    ChatMute.objects.update(until=timezone.now())
    say(Client(), "Others go on")
    ChatLine.objects.update(at="2026-01-01T00:00Z")
    say(one, "More")
    of_latest(mo, "mute", **{"for": "ever"})
    assert "silenced you." in say(one, "Still more", status=409)
    of_latest(mo, "unmute")
    ChatLine.objects.update(at="2026-01-01T00:00Z")
    say(one, "Still more")


def test_a_room_is_slowed_down_and_closed() -> None:
    one, mo = Client(), moderator()
    say(one, "First")
    assert mo.post("/play/chat/lobby/rule", {"slow_s": "7"}).status_code == 400
    assert mo.post("/play/chat/lobby/rule", {"slow_s": "60"}).status_code == 302
    assert "One message in 60 s" in say(one, "Second", status=409)
    mo.post("/play/chat/lobby/rule", {"slow_s": "60", "closed": "on"})
    assert "closed" in say(Client(), "Hello", status=409)
    assert ChatRoom.objects.get().seq == 3


@pytest.mark.parametrize("action", ["remove", "mute", "settle", "unmute", "fly"])
def test_nobody_else_moderates(action: str) -> None:
    one = Client()
    say(one, "Hello")
    one.force_login(User.objects.create_user("somebody", is_staff=True))
    assert of_latest(one, action, **{"for": "ever"}) == 404
    assert one.post("/play/chat/lobby/rule", {"slow_s": "60"}).status_code == 404
    assert one.get("/play/chat/reports").status_code == 404
    assert "/console/login/" in Client().get("/play/chat/reports")["Location"]
    assert not LogEntry.objects.exists()


def test_earlier_messages_are_a_page_away() -> None:
    room = ChatRoom.objects.create(kind="lobby", seq=130)
    guest, now = new_guest(), timezone.now()
    ChatLine.objects.bulk_create(
        ChatLine(room=room, guest=guest, name=str(guest), text=f"number {number}", at=now, seq=number)
        for number in range(1, 131)
    )
    text = Client().get("/play/chat/lobby").content.decode()
    earlier = re.search(r'href="(\?before=\d+)"', text)
    assert earlier
    assert shown(Client(), "/play/")[0] == "number 31"
    assert shown(Client(), f"/play/chat/lobby{earlier[1]}") == [f"number {number}" for number in range(1, 31)]
    assert shown(Client(), "/play/chat/lobby?before=x")[-1] == "number 130"


def test_a_stranger_page_cannot_speak_for_somebody() -> None:
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
def test_nonsense_finds_nothing(path: str) -> None:
    assert Client().get(path).status_code == 404
    assert Client().get(f"/play/chat/lobby?before={'9' * 30}").status_code == 200
    assert Client().post("/play/chat/unblock", {"number": "9" * 30}).status_code == 404
