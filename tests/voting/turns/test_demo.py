import json
from io import StringIO
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from crowdgame.management.commands.demo import NEXT_MATCH_AFTER_S, STARTS_IN_MS
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event
from voting.turns.turns import start_match

pytestmark = pytest.mark.usefixtures("valkey_url")

BASE = "http://hall.example:8000"


def demo(*more: str) -> dict[str, str]:
    out = StringIO()
    call_command("demo", "--json", "--base-url", f"{BASE}/", *more, stdout=out)
    details: dict[str, str] = json.loads(out.getvalue())
    return details


def test_demo_creates_or_reuses_event_that_starts_automatically(box: BallotBox) -> None:
    before = box.now()
    details = demo()
    event = Event.objects.get()
    assert [team.name for team in event.teams.order_by("number")] == ["North Hall", "South Hall"]
    shown = (event.name, event.window_s, event.pace, event.next_match_after_s, event.lobby)
    assert shown == ("Event night", 12, "normal", 10, "open")
    assert details["code"] == event.code
    assert details["phone_url"] == f"{BASE}/{event.code}"
    assert details["display_url"] == f"{BASE}/display/{event.code}"
    assert details["console_url"] == f"{BASE}/console/{event.code}/"
    assert before + STARTS_IN_MS <= (event.next_match_at or 0) <= box.now() + STARTS_IN_MS
    assert demo()["code"] == event.code
    assert (User.objects.count(), Event.objects.count()) == (1, 1)
    with pytest.raises(CommandError, match="PUBLIC_URL"):
        call_command("demo")
    call_command("demo", "--base-url", BASE, stdout=(out := StringIO()))
    assert f"display  {BASE}/display/{event.code}" in out.getvalue()


def test_demo_stop_creates_no_event_and_own_events_are_left_alone(client: Client) -> None:
    details = demo("--stop")
    assert not Event.objects.exists()
    assert details["phone_url"] == f"{BASE}/"
    answer = client.post(urlsplit(details["login_url"]).path)
    assert answer.headers["Location"] == "/console/"
    own = create_event(User.objects.get(), "Class party", ("4a", "4b"))
    assert demo()["code"] != own.code
    own.refresh_from_db()
    assert own.next_match_at is None


def test_demo_stop_ends_running_and_scheduled_matches(box: BallotBox) -> None:
    demo()
    demo("--stop")
    event = Event.objects.get()
    assert event.next_match_at is None
    demo()
    assert Event.objects.get().next_match_at is not None
    start_match(event.pk, box)
    demo()
    event.refresh_from_db()
    assert (event.next_match_at, event.matches.count()) == (None, 1), "it keeps the running match"
    demo("--stop")
    event.refresh_from_db()
    assert event.matches.get().state == "aborted"
    assert (event.next_match_at, event.next_match_after_s) == (None, None)
    start_match(event.pk, box)
    demo("--stop")
    assert event.matches.get(number=2).state == "playing", "the organizer started it"
    demo()
    assert Event.objects.get().next_match_after_s == NEXT_MATCH_AFTER_S


def test_demo_login_opens_console_and_not_the_admin_until_renewed(client: Client) -> None:
    details = demo()
    old = urlsplit(details["login_url"]).path
    answer = client.post(old)
    assert answer.headers["Location"] == f"/console/{details['code']}/"
    assert client.get("/admin/", follow=True).status_code == 403
    assert not User.objects.get().has_usable_password()
    new = urlsplit(demo("--fresh-login")["login_url"]).path
    assert [client.get(path).status_code for path in (old, new)] == [410, 200]
