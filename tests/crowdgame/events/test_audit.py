"""The audit log describes organizer actions in words and lists the latest."""

import asyncio
from typing import Any

import msgspec
import pytest
from django.db import connections

from crowdgame.console.consumer import ConsoleConsumer
from crowdgame.console.control import EVENT_ACTIONS, TURN_ACTIONS
from crowdgame.events.audit import (
    MAX_SHOWN,
    MAX_TEXT_LENGTH,
    ActionResult,
    add_audit_entry,
    add_page_audit_entry,
    latest_audit_entries,
)
from crowdgame.events.models import AuditEntry
from crowdgame.events.permissions import REQUIRED_PERMISSIONS
from games.models import Team
from tests.voting.action_helpers import done_by, event_of, words_of
from tests.voting.gateway_helpers import make_room
from tests.voting.match_helpers import new_event, only_turn, open_now, play, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement
from voting.protocol import Action, Pressed
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def done(action: Action, what: str) -> ActionResult:
    return ActionResult(what, Pressed(action=action))


def test_audit_entry_describes_each_action(box: BallotBox) -> None:
    event = new_event(lobby="closed")
    Team.objects.filter(event=event, number=2).update(hands=True)

    def perform(action: str, **more: object) -> str:
        return words_of(event.pk, action, box, **more)  # type: ignore[arg-type]

    assert perform("lobby.open") == "opened the lobby"
    assert perform("joining.lock") == "locked joining"
    assert perform("joining.unlock") == "unlocked joining"
    assert perform("match.start") == "started match 1"
    turn = only_turn(event.matches.get())
    open_now(turn, box)
    vote(turn, box, red=[3])
    assert perform("turn.pause") == "paused turn 1"
    assert perform("turn.resume") == "resumed turn 1"
    assert perform("turn.extend") == "added 10 s"
    assert perform("turn.extend", seconds=90) == "added 90 s"
    assert perform("turn.extend", seconds=86400) == "added 24 h"
    assert perform("turn.shorten", seconds=60) == "removed 1 min"
    open_now(load_turn(turn.pk), box)
    assert perform("hands.count", team=2, hands=(0, 1200)) == "counted 1,200 hands for Doves in turn 1"
    assert perform("turn.close") == "closed turn 1"
    assert perform("turn.void") == "took back turn 1"
    assert perform("notice.show", text="Lunch") == "wrote: Lunch"
    assert perform("notice.clear") == "cleared the message"
    assert perform("part.hide", part="tally") == "hid the votes"
    assert perform("part.show", part="tally") == "showed the votes"
    assert perform("turn.extra_time", seconds=30) == "added 30 s to every turn"
    assert perform("turn.extra_time") == "removed the extra time per turn"
    assert perform("match.abort") == "aborted match 1"


def test_audit_entry_stores_action_and_undo(box: BallotBox) -> None:
    event = new_event()

    def perform(action: Action, **more: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
        add_audit_entry(event.pk, "olga", done_by(event.pk, action, box, **more), box.now())
        entry = latest_audit_entries(event.pk)[0]
        return set_fields(entry.pressed) or {}, set_fields(entry.undo)

    lock, unlock = {"action": "joining.lock"}, {"action": "joining.unlock"}
    assert perform("joining.lock") == (lock, unlock)
    assert perform("lobby.open") == (unlock, lock)
    assert perform("match.start") == ({"action": "match.start", "match": 1}, {"action": "match.abort"})
    turn = only_turn(event.matches.get())
    open_now(turn, box)

    def turn_action(action: str, **more: Any) -> dict[str, Any]:
        return {"action": action, "turn": turn.pk, **more}

    assert perform("turn.pause") == (turn_action("turn.pause"), turn_action("turn.resume"))
    assert perform("turn.resume") == (turn_action("turn.resume"), turn_action("turn.pause"))
    extended = turn_action("turn.extend", seconds=90), turn_action("turn.shorten", seconds=90)
    assert perform("turn.extend", seconds=90) == extended
    assert perform("turn.shorten", seconds=90) == extended[::-1]
    one, other, clear = (
        *({"action": "notice.show", "text": text} for text in "ab"),
        {"action": "notice.clear"},
    )
    assert perform("notice.show", text=" a ") == (one, clear)
    assert perform("notice.show", text="b") == (other, one)
    assert perform("notice.clear") == (clear, other)
    hidden = {"action": "part.hide", "part": "code"}, {"action": "part.show", "part": "code"}
    assert perform("part.hide", part="code") == hidden
    assert perform("part.show", part="code") == hidden[::-1]
    usual, longer = {"action": "turn.extra_time"}, {"action": "turn.extra_time", "seconds": 30}
    assert perform("turn.extra_time", seconds=30) == (longer, usual)
    assert perform("turn.extra_time") == (usual, longer)
    open_now(load_turn(turn.pk), box)
    assert perform("turn.close") == (turn_action("turn.close"), turn_action("turn.void"))
    assert perform("turn.void") == (turn_action("turn.void"), None)
    assert perform("match.abort") == ({"action": "match.abort"}, None)


def set_fields(pressed: Pressed | None) -> dict[str, Any] | None:
    fields = msgspec.to_builtins(pressed) or {}
    return {name: value for name, value in fields.items() if value is not None} or None


def test_page_audit_entry_has_no_undo_and_is_truncated(box: BallotBox) -> None:
    event = new_event()
    add_page_audit_entry(event.pk, "olga", "event.edit", "x" * (MAX_TEXT_LENGTH + 1), box.now())
    entry = latest_audit_entries(event.pk)[0]
    assert (entry.action, entry.pressed, entry.undo) == ("event.edit", None, None)
    assert (len(entry.what), entry.what[-2:]) == (MAX_TEXT_LENGTH, "x…")


def test_every_action_has_a_handler_and_a_permission() -> None:
    assert set(EVENT_ACTIONS) | set(TURN_ACTIONS) | {"rehearsal.start", "rehearsal.stop"} == set(
        REQUIRED_PERMISSIONS
    )
    assert not set(EVENT_ACTIONS) & set(TURN_ACTIONS)


def test_latest_entries_are_newest_first_per_event(box: BallotBox) -> None:
    mine, other = new_event(), new_event()
    add_audit_entry(other.pk, "olga", done("match.start", "started match 9"), box.now())
    for number in range(MAX_SHOWN + 2):
        add_audit_entry(mine.pk, "olga", done("turn.extend", f"added {number} s"), 1_000 + number // 2)
    entries = latest_audit_entries(mine.pk)
    assert [entry.what for entry in entries] == [
        f"added {number} s" for number in range(MAX_SHOWN + 1, 1, -1)
    ]
    assert (entries[0].by, entries[0].action, entries[0].at) == ("olga", "turn.extend", 1_005)
    assert AuditEntry.objects.filter(event=mine).count() == MAX_SHOWN + 2


@pytest.mark.django_db(transaction=True)
def test_console_receives_entries_added_while_it_joins(box: BallotBox) -> None:
    """Entries added after the welcome is loaded and before the console enters the room."""
    event = new_event()
    add_audit_entry(event.pk, "olga", done("lobby.open", "opened the lobby"), box.now())
    known = latest_audit_entries(event.pk)
    for number in (1, 2):
        add_audit_entry(event.pk, "olga", done("match.start", f"started match {number}"), box.now())
    sent: list[dict[str, Any]] = []
    room = make_room(event.pk)

    async def send_missed_entries() -> None:
        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await ConsoleConsumer({}, send)._send_entries_since(known, room)
        await asyncio.to_thread(connections.close_all)

    asyncio.run(send_missed_entries())
    messages = [msgspec.json.decode(message["text"]) for message in sent]
    assert [one["entry"]["what"] for one in messages] == ["started match 1", "started match 2"]


def test_audit_entry_announces_nothing(box: BallotBox) -> None:
    turn = start(box)
    before = Announcement.objects.count()
    add_audit_entry(event_of(turn), "olga", done("turn.pause", "paused turn 1"), box.now())
    turn.match.event.refresh_from_db()
    assert (Announcement.objects.count(), turn.match.event.seq) == (before, before)


def test_audit_entries_are_deleted_with_event(box: BallotBox) -> None:
    event = new_event()
    add_audit_entry(event.pk, "olga", done("lobby.open", "opened the lobby"), box.now())
    event.delete()
    assert not AuditEntry.objects.exists()


def test_longest_notice_is_not_truncated(box: BallotBox) -> None:
    event = new_event()
    what = words_of(event.pk, "notice.show", box, text="x" * 140)
    add_audit_entry(event.pk, "o" * 150, done("notice.show", what), box.now())
    assert latest_audit_entries(event.pk)[0].what == what


def test_second_match_is_described_by_its_number(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (1, 3), (1, 2), (1, 3)])
    assert words_of(event_of(turn), "match.start", box) == "started match 2"
