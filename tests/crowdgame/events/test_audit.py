"""Audit entries are stored as messages, listed newest first, and shown in the reader's language."""

from typing import Any

import pytest

from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import add_page_audit_entry
from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.actions.registry import CurrentState
from crowdgame.organizer.console.audit_log import (
    MAX_SHOWN,
    PerformedAction,
    add_audit_entry,
    list_audit_entries,
)
from tests.voting.action_helpers import done_by
from tests.voting.match_helpers import new_event
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.protocol import AuditEntry as ListedEntry
from voting.protocol import Pressed

pytestmark = pytest.mark.django_db


def done(action: str, message: str, **values: Any) -> PerformedAction:
    return PerformedAction(LogText(message, values), Pressed(action=action))


def latest(event: Event, language: str = "en") -> tuple[ListedEntry, ...]:
    return list_audit_entries(event.pk, CurrentState(load_snapshot(event), 0, rehearsing=False), language)


def test_page_audit_entry_has_no_undo_and_lists_changes(box: BallotBox) -> None:
    event = new_event()
    duration = LogText("%(label)s: %(duration)s", {"label": LogText("Extra time"), "duration": 3600})
    what = LogText("%(by)s changed: %(changes)s", {"changes": [LogText("Name"), duration]})
    add_page_audit_entry(event.pk, event.owner, "event.edit", what, box.now())
    entry = latest(event)[0]
    assert (entry.action, entry.pressed, entry.undo) == ("event.edit", None, None)
    assert entry.what == "olga changed: Name, Extra time: 1 hour"


def test_audit_entry_is_translated_for_its_reader(box: BallotBox) -> None:
    event = new_event()
    AuditEntry.objects.create(event=event, by="olga", action="turn.pause", what="paused turn 1, 100 %", at=1)
    assert latest(event)[0].what == "olga paused turn 1, 100 %"
    longest = done_by(event.pk, "notice.show", box, text="x" * 140)
    add_audit_entry(event.pk, "o" * 150, longest, box.now())
    assert latest(event)[0].what == f"{'o' * 150} wrote: {'x' * 140}"
    add_audit_entry(event.pk, "olga", done("turn.extend", "%(by)s: %(duration)s", duration=60), box.now())
    shown = [latest(event, language)[0].what for language in ("en", "de", "ar")]
    assert shown[:2] == ["olga: 1 minute", "olga: 1 Minute"]
    assert shown[2].startswith("\u2068olga\u2069: ")


def test_latest_entries_are_newest_first_per_event(box: BallotBox) -> None:
    mine, other = new_event(), new_event()
    add_audit_entry(other.pk, "olga", done("match.start", "%(by)s started match 9"), box.now())
    for number in range(MAX_SHOWN + 2):
        added = done("turn.extend", "%(by)s added %(seconds)s s", seconds=number)
        add_audit_entry(mine.pk, "olga", added, 1_000 + number // 2)
    entries = latest(mine)
    assert [entry.what for entry in entries] == [f"olga added {n} s" for n in range(MAX_SHOWN + 1, 1, -1)]
    assert (entries[0].by, entries[0].action, entries[0].at) == ("olga", "turn.extend", 1_005)
    assert AuditEntry.objects.filter(event=mine).count() == MAX_SHOWN + 2
