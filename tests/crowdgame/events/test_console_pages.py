import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import add_page_audit_entry
from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.console import audit_log
from crowdgame.organizer.console.actions.registry import CurrentState
from crowdgame.organizer.console.audit_log import PerformedAction, add_audit_entry, list_audit_entries
from tests.voting.action_helpers import done_by
from tests.voting.content_policy import sources
from tests.voting.match_helpers import new_event
from voting.admission.admission import projector_key
from voting.admission.tickets import make_tickets
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.matches import event_lock
from voting.models import Event
from voting.protocol import AuditEntry as ListedEntry
from voting.protocol import Pressed
from voting.terms import MatchState
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_link_alone_logs_no_organizer_out(browser: Client) -> None:
    assert browser.get("/console/logout/").status_code == 200
    assert browser.get("/console/").status_code == 200
    assert browser.post("/console/logout/").headers["Location"] == "/console/login/"
    assert browser.get("/console/").status_code == 302


def test_console_pages_have_no_inline_code(browser: Client, event: Event) -> None:
    make_tickets(event, 3)
    own = [f"{event.code}/{name}/" for name in ("edit", "delete", "tickets")]
    for page in ("", "new/", "new/empty/", *own):
        html = browser.get(f"/console/{page}").content.decode()
        assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", html), page


def test_event_list_links_to_console_display_and_join_page(browser: Client, event: Event) -> None:
    def assert_links(*addresses: str) -> None:
        page = browser.get("/console/").content.decode()
        assert [address for address in addresses if f'href="{address}"' not in page] == []

    stage = f"/stage/{event.code}#"
    assert_links(f"/console/{event.code}/", stage + projector_key(event.code, 0), f"/{event.code}")
    Event.objects.filter(pk=event.pk).update(team_choice="link", display_key_version=1)
    assert_links(f"/{event.code}/1", f"/{event.code}/2", stage + projector_key(event.code, 1))


def test_console_page_is_served_in_the_language_of_its_reader(
    browser: Client, event: Event, settings: Settings, tmp_path: Path
) -> None:
    path, settings.PAGES_DIR = f"/console/{event.code}/", tmp_path
    assert browser.get(path).status_code == 503
    for name in ("console.html", "console.ar.html"):
        (tmp_path / name).write_text(f"<!doctype html><script type=module src=/{name}.js></script>")
        response = browser.get(path.lower(), headers={"accept-language": "ar"})
        assert name in response.content.decode()
        assert sources(response.headers["Content-Security-Policy"])["script-src"] == {"'self'"}


def test_event_is_deleted_unless_a_match_is_live(browser: Client, event: Event, box: BallotBox) -> None:
    path = f"/console/{event.code}/delete/"
    match = start_match(event.pk, box)
    assert browser.post(path).status_code == 409
    match.turns.update(state="void")
    event.matches.update(state="aborted", ended_at=1)
    assert "cannot be undone" in browser.get(path).content.decode()
    assert Event.objects.filter(pk=event.pk).exists()
    assert [browser.post(path).status_code for _ in range(2)] == [302, 404]
    assert not Event.objects.filter(pk=event.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_event_is_not_deleted_while_match_starts(browser: Client, event: Event, box: BallotBox) -> None:
    """The deletion is requested after the match is written and before it is committed."""

    def delete() -> int:
        with closing(connection):
            return browser.post(f"/console/{event.code}/delete/").status_code

    with ThreadPoolExecutor() as threads:
        with event_lock(event.pk):
            start_match(event.pk, box)
            answer = threads.submit(delete)
            with pytest.raises(TimeoutError):
                answer.result(timeout=1)
        assert answer.result(timeout=20) == 409
    assert event.matches.filter(state=MatchState.PLAYING).exists()


def ask_members(browser: Client, event: Event, **form: Any) -> str:
    return browser.post(f"/console/{event.code}/members/", form, follow=True).content.decode()


def test_owner_adds_changes_and_removes_member(browser: Client, event: Event, other: User) -> None:
    assert "bob was added" in ask_members(browser, event, ask="add", name=" bob ", role="viewer")
    member = Member.objects.get()
    assert (member.event, member.user, member.role) == (event, other, "viewer")
    page = ask_members(browser, event, ask="cohost", member=member.pk)
    assert (Member.objects.get().role, "Saved." in page) == ("cohost", True)
    assert "Co-host: runs the event</p>" in page
    for _ in range(2):
        ask_members(browser, event, ask="remove", member=member.pk)
        assert not Member.objects.exists()
    assert [(entry.action, str(entry)) for entry in event.audit_entries.order_by("pk")] == [
        ("member.add", "ada added bob as a viewer"),
        ("member.change", "ada made bob a co-host"),
        ("member.remove", "ada removed bob from the members"),
    ]


@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("", "viewer", "Enter a username."),
        *((name, "viewer", "No account has this username") for name in ("nobody", "BOB", "gone")),
        ("ada", "viewer", "the event&#x27;s owner"),
        ("carl", "cohost", "already a member"),
        *(("bob", role, "Choose a role.") for role in ("", "owner")),
        ("b" * 151, "viewer", "This username is too long."),
    ],
)
@pytest.mark.usefixtures("other")
def test_invalid_member_is_rejected(name: str, role: str, words: str, browser: Client, event: Event) -> None:
    User.objects.create_user("gone", is_active=False)
    Member.objects.create(event=event, user=User.objects.create_user("carl"), role="viewer")
    assert words in ask_members(browser, event, ask="add", name=name, role=role)
    assert list(Member.objects.values_list("user__username", "role")) == [("carl", "viewer")]


@pytest.mark.parametrize("ask", ["cohost", "remove"])
def test_change_of_unknown_member_or_role_fails(ask: str, browser: Client, event: Event, other: User) -> None:
    ours = Member.objects.create(event=event, user=other, role="viewer")
    another = create_event(event.owner, "Another", ("East", "West"))
    theirs = Member.objects.create(event=another, user=other, role="viewer")
    for number in ("", "x", "0", "9" * 30, "-1", theirs.pk):
        assert "not on the list any more" in ask_members(browser, event, ask=ask, member=number)
    assert "not on the list any more" in ask_members(browser, event, ask="owner", member=ours.pk)
    assert list(Member.objects.values_list("role", flat=True)) == ["viewer", "viewer"]


def latest(event: Event, language: str = "en") -> tuple[ListedEntry, ...]:
    return list_audit_entries(event.pk, CurrentState(load_snapshot(event), 0, rehearsing=False), language)


def performed(message: str, **values: Any) -> PerformedAction:
    return PerformedAction(LogText(message, values), Pressed(action="turn.extend"))


def test_audit_entry_is_translated_for_its_reader(event: Event, box: BallotBox) -> None:
    duration = LogText("%(label)s: %(duration)s", {"label": LogText("Extra time"), "duration": 3600})
    what = LogText("%(by)s changed: %(changes)s", {"changes": [LogText("Name"), duration]})
    add_page_audit_entry(event.pk, event.owner, "event.edit", what, 1)
    (entry,) = latest(event)
    assert (entry.action, entry.pressed, entry.undo) == ("event.edit", None, None)
    assert entry.what == "ada changed: Name, Extra time: 1 hour"
    AuditEntry.objects.create(event=event, by="olga", action="turn.pause", what="paused turn 1, 100 %", at=1)
    assert latest(event)[0].what == "olga paused turn 1, 100 %"
    longest = done_by(event.pk, "notice.show", box, text="x" * 140)
    add_audit_entry(event.pk, "o" * 150, longest, 2)
    assert latest(event)[0].what == f"{'o' * 150} wrote: {'x' * 140}"
    add_audit_entry(event.pk, "olga", performed("%(by)s: %(duration)s", duration=60), 3)
    english, german, arabic = (latest(event, language)[0].what for language in ("en", "de", "ar"))
    assert (english, german) == ("olga: 1 minute", "olga: 1 Minute")
    assert arabic.startswith("\u2068olga\u2069: ")


def test_latest_entries_are_newest_first_per_event(event: Event) -> None:
    add_audit_entry(new_event().pk, "olga", performed("%(by)s started match 9"), 9_000)
    for number in range(audit_log.MAX_SHOWN + 2):
        add_audit_entry(event.pk, "olga", performed("%(by)s added %(s)s s", s=number), 1_000 + number // 2)
    entries = latest(event)
    newest = [f"olga added {n} s" for n in range(audit_log.MAX_SHOWN + 1, 1, -1)]
    assert [entry.what for entry in entries] == newest
    assert (entries[0].by, entries[0].action, entries[0].at) == ("olga", "turn.extend", 1_005)
    assert AuditEntry.objects.filter(event=event).count() == audit_log.MAX_SHOWN + 2
