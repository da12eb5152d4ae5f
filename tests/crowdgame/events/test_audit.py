"""What organizers did is kept in words, and the latest of it is told."""

import asyncio
from typing import Any

import msgspec
import pytest
from django.db import connections

from crowdgame.console.consumer import ConsoleConsumer
from crowdgame.console.control import OF_EVENT, OF_TURN
from crowdgame.events.audit import (
    LONGEST,
    SHOWN,
    Done,
    add_audit_entry,
    add_page_audit_entry,
    latest_audit_entries,
)
from crowdgame.events.models import AuditEntry
from crowdgame.events.rights import NEEDED
from games.models import Team
from tests.voting.action_helpers import done_by, event_of, words_of
from tests.voting.gateway_helpers import make_room
from tests.voting.match_helpers import new_event, only_turn, open_now, play, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement
from voting.protocol import Action, Pressed
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def did(action: Action, what: str) -> Done:
    return Done(what, Pressed(action=action))


def test_what_was_done_is_said_in_words(box: BallotBox) -> None:
    event = new_event(lobby="closed")
    Team.objects.filter(event=event, number=2).update(hands=True)

    def does(action: str, **more: object) -> str:
        return words_of(event.pk, action, box, **more)  # type: ignore[arg-type]

    assert does("lobby.open") == "opened the doors"
    assert does("joining.lock") == "let no one new in"
    assert does("joining.unlock") == "let people in again"
    assert does("match.start") == "started match 1"
    turn = only_turn(event.matches.get())
    open_now(turn, box)
    vote(turn, box, red=[3])
    assert does("turn.pause") == "paused turn 1"
    assert does("turn.resume") == "let turn 1 go on"
    assert does("turn.extend") == "added 10 s"
    assert does("turn.extend", seconds=90) == "added 90 s"
    assert does("turn.extend", seconds=86400) == "added 24 h"
    assert does("turn.shorten", seconds=60) == "took 1 min away"
    open_now(load_turn(turn.pk), box)
    assert does("hands.count", team=2, hands=(0, 1200)) == "counted 1,200 hands for Doves in turn 1"
    assert does("turn.close") == "closed turn 1"
    assert does("turn.void") == "took turn 1 back"
    assert does("notice.show", text="Lunch") == "wrote: Lunch"
    assert does("notice.clear") == "took the line down"
    assert does("part.hide", part="tally") == "hid the votes"
    assert does("part.show", part="tally") == "showed the votes"
    assert does("turn.extra_time", seconds=30) == "gave every turn 30 s more"
    assert does("turn.extra_time") == "gave turns their usual time again"
    assert does("match.abort") == "aborted match 1"


def test_a_deed_says_what_was_pressed_and_what_takes_it_back(box: BallotBox) -> None:
    event = new_event()

    def does(action: Action, **more: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
        add_audit_entry(event.pk, "olga", done_by(event.pk, action, box, **more), box.now())
        entry = latest_audit_entries(event.pk)[0]
        return said(entry.pressed) or {}, said(entry.undo)

    lock, unlock = {"action": "joining.lock"}, {"action": "joining.unlock"}
    assert does("joining.lock") == (lock, unlock)
    assert does("lobby.open") == (unlock, lock)
    assert does("match.start") == ({"action": "match.start", "match": 1}, {"action": "match.abort"})
    turn = only_turn(event.matches.get())
    open_now(turn, box)

    def to(action: str, **more: Any) -> dict[str, Any]:
        return {"action": action, "turn": turn.pk, **more}

    assert does("turn.pause") == (to("turn.pause"), to("turn.resume"))
    assert does("turn.resume") == (to("turn.resume"), to("turn.pause"))
    extended = to("turn.extend", seconds=90), to("turn.shorten", seconds=90)
    assert does("turn.extend", seconds=90) == extended
    assert does("turn.shorten", seconds=90) == extended[::-1]
    one, other, clear = (
        *({"action": "notice.show", "text": text} for text in "ab"),
        {"action": "notice.clear"},
    )
    assert does("notice.show", text=" a ") == (one, clear)
    assert does("notice.show", text="b") == (other, one)
    assert does("notice.clear") == (clear, other)
    hidden = {"action": "part.hide", "part": "code"}, {"action": "part.show", "part": "code"}
    assert does("part.hide", part="code") == hidden
    assert does("part.show", part="code") == hidden[::-1]
    usual, longer = {"action": "turn.extra_time"}, {"action": "turn.extra_time", "seconds": 30}
    assert does("turn.extra_time", seconds=30) == (longer, usual)
    assert does("turn.extra_time") == (usual, longer)
    open_now(load_turn(turn.pk), box)
    assert does("turn.close") == (to("turn.close"), to("turn.void"))
    assert does("turn.void") == (to("turn.void"), None)
    assert does("match.abort") == ({"action": "match.abort"}, None)


def said(pressed: Pressed | None) -> dict[str, Any] | None:
    fields = msgspec.to_builtins(pressed) or {}
    return {name: value for name, value in fields.items() if value is not None} or None


def test_what_was_done_on_a_page_has_no_press(box: BallotBox) -> None:
    event = new_event()
    add_page_audit_entry(event.pk, "olga", "event.edit", "x" * (LONGEST + 1), box.now())
    entry = latest_audit_entries(event.pk)[0]
    assert (entry.action, entry.pressed, entry.undo) == ("event.edit", None, None)
    assert (len(entry.what), entry.what[-2:]) == (LONGEST, "x…")


def test_every_press_does_something() -> None:
    assert set(OF_EVENT) | set(OF_TURN) | {"rehearsal.start", "rehearsal.stop"} == set(NEEDED)
    assert not set(OF_EVENT) & set(OF_TURN)


def test_the_latest_are_told_newest_first_and_of_no_other_event(box: BallotBox) -> None:
    mine, other = new_event(), new_event()
    add_audit_entry(other.pk, "olga", did("match.start", "started match 9"), box.now())
    for number in range(SHOWN + 2):
        add_audit_entry(mine.pk, "olga", did("turn.extend", f"added {number} s"), 1_000 + number // 2)
    entries = latest_audit_entries(mine.pk)
    assert [entry.what for entry in entries] == [f"added {number} s" for number in range(SHOWN + 1, 1, -1)]
    assert (entries[0].by, entries[0].action, entries[0].at) == ("olga", "turn.extend", 1_005)
    assert AuditEntry.objects.filter(event=mine).count() == SHOWN + 2


@pytest.mark.django_db(transaction=True)
def test_a_deed_done_while_somebody_comes_in_is_told(box: BallotBox) -> None:
    """Between the reading for the welcome and the place in the room."""
    event = new_event()
    add_audit_entry(event.pk, "olga", did("lobby.open", "opened the doors"), box.now())
    known = latest_audit_entries(event.pk)
    for number in (1, 2):
        add_audit_entry(event.pk, "olga", did("match.start", f"started match {number}"), box.now())
    said: list[dict[str, Any]] = []
    room = make_room(event.pk)

    async def come_in() -> None:
        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        await ConsoleConsumer({}, send)._send_entries_since(known, room)
        await asyncio.to_thread(connections.close_all)

    asyncio.run(come_in())
    messages = [msgspec.json.decode(message["text"]) for message in said]
    assert [one["entry"]["what"] for one in messages] == ["started match 1", "started match 2"]


def test_a_deed_is_no_change(box: BallotBox) -> None:
    turn = start(box)
    before = Announcement.objects.count()
    add_audit_entry(event_of(turn), "olga", did("turn.pause", "paused turn 1"), box.now())
    turn.match.event.refresh_from_db()
    assert (Announcement.objects.count(), turn.match.event.seq) == (before, before)


def test_deeds_go_with_their_event(box: BallotBox) -> None:
    event = new_event()
    add_audit_entry(event.pk, "olga", did("lobby.open", "opened the doors"), box.now())
    event.delete()
    assert not AuditEntry.objects.exists()


def test_the_longest_line_is_kept_whole(box: BallotBox) -> None:
    event = new_event()
    what = words_of(event.pk, "notice.show", box, text="x" * 140)
    add_audit_entry(event.pk, "o" * 150, did("notice.show", what), box.now())
    assert latest_audit_entries(event.pk)[0].what == what


def test_a_match_of_a_series_is_named_by_its_number(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (1, 3), (1, 2), (1, 3)])
    assert words_of(event_of(turn), "match.start", box) == "started match 2"
