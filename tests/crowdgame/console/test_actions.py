"""The contract of every organizer action: its declaration, permission, audit entry and undo."""

from typing import Any, NamedTuple, get_args

import pytest

from crowdgame.console import action_reference
from crowdgame.console.actions import ACTIONS
from crowdgame.console.actions.registry import TARGETS, CurrentState
from crowdgame.console.audit_log import list_audit_entries
from crowdgame.console.control import perform
from crowdgame.events.permissions import EventPermission, OrganizerAccess
from games.matches import live_turn
from games.models import Event, Team
from tests.voting.action_helpers import refused
from tests.voting.match_helpers import new_event, open_now
from tests.voting.protocol.test_typescript import SOURCES
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.protocol import ActionAsk, ActionUndo, AuditEntry, Pressed, Role
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db

Step = tuple[str, dict[str, Any]]
PLAYING: tuple[Step, ...] = (("lobby.open", {}), ("match.start", {}), ("open", {}))
REVEALED: tuple[Step, ...] = (*PLAYING, ("turn.close", {}))
REVEAL = "the reveal of turn 1 by"
REHEARSALS = {"rehearsal.start", "rehearsal.stop"}
CODE = {"part": "code"}
VOTER = {"voter_code": "BCDFGH"}
MOVE = {**VOTER, "team": 1}
UNKNOWN = " (code not on any list)"


class Case(NamedTuple):
    """An action with its audit text, and that of its undo."""

    action: str
    fields: dict[str, Any]
    what: str
    undone: str = ""
    before: tuple[Step, ...] = PLAYING


CASES = [
    Case("lobby.open", {}, "opened the lobby", before=()),
    Case("joining.lock", {}, "locked joining", "unlocked joining"),
    Case("joining.unlock", {}, "unlocked joining", "locked joining", (("joining.lock", {}),)),
    Case("match.start", {}, "started match 1", "aborted match 1", ()),
    Case("match.abort", {}, "aborted match 1"),
    Case("turn.pause", {}, "paused turn 1", "resumed turn 1"),
    Case("turn.resume", {}, "resumed turn 1", "paused turn 1", (*PLAYING, ("turn.pause", {}))),
    Case("turn.extend", {}, "added 10 s", "removed 10 s"),
    Case("turn.extend", {"seconds": 86400}, "added 24 h", "removed 24 h"),
    Case("turn.shorten", {"seconds": 90}, "removed 90 s", "added 90 s"),
    Case("turn.close", {}, "closed turn 1", "took back turn 1"),
    Case("turn.void", {}, "took back turn 1", before=REVEALED),
    Case("reveal.extend", {"seconds": 90}, f"extended {REVEAL} 90 s", f"shortened {REVEAL} 90 s", REVEALED),
    Case("reveal.shorten", {}, f"shortened {REVEAL} 10 s", f"extended {REVEAL} 10 s", REVEALED),
    Case("turn.extra_time", {"seconds": 60}, "added 1 min to every turn", "removed the extra time per turn"),
    Case(
        "turn.extra_time",
        {},
        "removed the extra time per turn",
        "added 30 s to every turn",
        (("turn.extra_time", {"seconds": 30}),),
    ),
    Case("hands.count", {"team": 2, "hands": (0, 1200)}, "counted 1,200 hands for Doves in turn 1"),
    Case("notice.show", {"text": " a "}, "wrote: a", "cleared the message"),
    Case("notice.show", {"text": "b"}, "wrote: b", "wrote: a", (("notice.show", {"text": "a"}),)),
    Case("notice.clear", {}, "cleared the message", "wrote: a", (("notice.show", {"text": "a"}),)),
    Case("part.hide", {"part": "tally"}, "hid the votes", "showed the votes"),
    Case("part.show", CODE, "showed the join code", "hid the join code", (("part.hide", CODE),)),
    Case("voter.move", MOVE, f"moved BCDFGH to Rooks{UNKNOWN}", f"moved BCDFGH back{UNKNOWN}"),
    Case("voter.kick", VOTER, f"removed BCDFGH{UNKNOWN}"),
    Case("voter.ban", VOTER, f"banned BCDFGH{UNKNOWN}", "unbanned BCDFGH"),
    Case("voter.admit", VOTER, "unbanned BCDFGH", f"banned BCDFGH{UNKNOWN}", (("voter.ban", VOTER),)),
    Case(
        "voter.captain",
        {**VOTER, "team": 1},
        f"made BCDFGH captain of Rooks{UNKNOWN}",
        "removed BCDFGH as captain of Rooks",
    ),
]
TOO_LATE: list[tuple[Step, tuple[Step, ...]]] = [
    (("joining.lock", {}), (("joining.unlock", {}),)),
    (("match.start", {}), (("match.abort", {}), ("match.start", {}))),
    (("turn.pause", {}), (("turn.resume", {}), ("turn.pause", {}))),
    (("turn.extend", {}), (("turn.close", {}),)),
    (("turn.close", {}), (("open", {}), ("turn.close", {}))),
    (("turn.close", {}), (("match.abort", {}),)),
    (("turn.extra_time", {"seconds": 30}), (("turn.extra_time", {}),)),
    (("notice.show", {"text": "a"}), (("notice.show", {"text": "b"}),)),
    (("notice.show", {"text": "a"}), (("notice.clear", {}), ("notice.show", {"text": "a"}))),
    (("part.hide", {"part": "code"}), (("part.show", {"part": "code"}),)),
    (("voter.ban", VOTER), (("voter.admit", VOTER),)),
    (("voter.kick", VOTER), ()),
    (("reveal.extend", {}), (("open", {}),)),
    (("reveal.extend", {}), (("turn.pause", {}),)),
]


@pytest.fixture
def event() -> Event:
    event = new_event(lobby="closed")
    Team.objects.filter(event=event, number=2).update(hands=True)
    return event


def request(
    event: Event, message: ActionAsk | ActionUndo, box: BallotBox, role: Role = Role.OWNER
) -> AuditEntry:
    """Perform the message; return the latest audit entry."""
    perform(OrganizerAccess("olga", role), event.pk, message, box)
    return entries(event, box)[0]


def take(event: Event, step: Step, box: BallotBox) -> AuditEntry:
    action, fields = step
    if action == "open":
        turn = live_turn(event.matches.get(state="playing"))
        assert turn is not None
        open_now(load_turn(turn.pk), box)
        return entries(event, box)[0]
    return request(event, ActionAsk(id=1, action=action, **fields), box)


def entries(event: Event, box: BallotBox) -> tuple[AuditEntry, ...]:
    event.refresh_from_db()
    return list_audit_entries(event.pk, CurrentState(load_snapshot(event), box.now(), rehearsing=False))


@pytest.mark.parametrize("name", ACTIONS)
def test_action_is_declared_completely(name: str) -> None:
    action = ACTIONS[name]
    assert (action.name, action.permission in get_args(EventPermission)) == (name, True)
    assert action.undo is None or action.undo.inverse in ACTIONS
    assert set(action.parameters) <= {"event_id", "box", "turn_id", "host", *ActionAsk.__struct_fields__}
    assert TARGETS[action.target] in {"", *Pressed.__struct_fields__}
    assert (action.meaning[-1], action.done[-1]) == (".", ".")
    assert len(name) <= 24


def test_cases_cover_every_action() -> None:
    assert {case.action for case in CASES} | REHEARSALS == set(ACTIONS)


def test_generated_files_are_up_to_date() -> None:
    assert (SOURCES / "actions.ts").read_text(encoding="utf-8") == action_reference.render_typescript()
    docs = SOURCES.parents[1] / "docs" / "generated" / "actions.md"
    assert docs.read_text(encoding="utf-8") == action_reference.render_markdown()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.action} {case.fields}")
def test_action_is_logged_and_undone_once(case: Case, event: Event, box: BallotBox) -> None:
    for step in case.before:
        take(event, step, box)
    done = take(event, (case.action, case.fields), box)
    assert (done.by, done.action, done.what) == ("olga", case.action, case.what)
    assert (done.undo is not None, done.undone) == (bool(case.undone), False)
    if done.undo is not None:
        undo = request(event, ActionUndo(id=1, entry=done.id), box)
        assert (undo.action, undo.what) == (done.undo, case.undone)
        assert [(one.undone, one.undo) for one in entries(event, box) if one.id == done.id] == [(True, None)]
    with refused("can't be undone"):
        request(event, ActionUndo(id=1, entry=done.id), box)


@pytest.mark.parametrize(("step", "later"), TOO_LATE, ids=str)
def test_undo_is_refused_once_the_effect_is_gone(
    step: Step, later: tuple[Step, ...], event: Event, box: BallotBox
) -> None:
    before = {"match.start": (), "reveal.extend": REVEALED}
    for earlier in before.get(step[0], PLAYING):
        take(event, earlier, box)
    done = take(event, step, box)
    for one in later:
        take(event, one, box)
    assert [one.undo for one in entries(event, box) if one.id == done.id] == [None]
    with refused("can't be undone"):
        request(event, ActionUndo(id=1, entry=done.id), box)


def test_failed_undo_can_be_repeated(event: Event, box: BallotBox) -> None:
    """The new captain has replaced the first one, so there is nothing to revert."""
    done = take(event, ("voter.captain", {**VOTER, "team": 1}), box)
    take(event, ("voter.captain", {"voter_code": "BCDFGJ", "team": 1}), box)
    with refused("Already done"):
        request(event, ActionUndo(id=1, entry=done.id), box)
    assert [one.undone for one in entries(event, box)] == [False, False]


def test_entry_of_another_event_is_not_undone(event: Event, box: BallotBox) -> None:
    done = take(event, ("joining.lock", {}), box)
    other = new_event()
    with refused("can't be undone"):
        request(other, ActionUndo(id=1, entry=done.id), box)


@pytest.mark.parametrize("name", ACTIONS)
def test_viewer_may_not_act(name: str, event: Event, box: BallotBox) -> None:
    with refused("permission"):
        request(event, ActionAsk(id=1, action=name), box, Role.VIEWER)


def test_viewer_may_not_undo(event: Event, box: BallotBox) -> None:
    done = take(event, ("joining.lock", {}), box)
    with refused("permission"):
        request(event, ActionUndo(id=1, entry=done.id), box, Role.VIEWER)
    assert not entries(event, box)[0].undone
