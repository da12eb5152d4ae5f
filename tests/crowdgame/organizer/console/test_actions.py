"""The contract of every organizer action: its declaration, permission, audit entry and undo."""

from typing import Any, get_args

import msgspec
import pytest
from django.core.management import call_command

from crowdgame.events.permissions import EventPermission
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.actions.registry import TARGETS, CurrentState
from crowdgame.organizer.console.actions.turn_time import MAX_EXTRA_S
from crowdgame.organizer.console.audit_log import list_audit_entries
from tests.crowdgame.organizer.console.action_cases import (
    APPOINTED,
    CASES,
    CODE,
    EXTRA_TIME,
    HIDDEN,
    HINTS,
    OTHER_APPOINTED,
    PLAYING,
    REVEALED,
    SEALED,
    SHOWN,
    SOUND,
    STARTED,
    TIMED,
    TURNOUT,
    UNTIDY,
    VOTER,
    WROTE_A,
    Case,
    Step,
    entries,
    request,
    take,
    take_all,
)
from tests.voting.action_helpers import record_voters, refused
from tests.voting.match_helpers import RED_WINS, kinds, new_event
from voting.admission.restrictions import Restriction, load_restrictions
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import NOTICE_LENGTH, Event, StoredRestriction, Team
from voting.protocol import MAX_HANDS, ActionAsk, ActionUndo, EventState, Pressed, Role
from voting.terms import HANDS

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(box: BallotBox, settings: Any) -> Event:
    """An event in which two voters have joined and a team votes by show of hands. There is lobby music."""
    settings.LOBBY_MUSIC = __file__
    event = new_event(lobby="closed")
    record_voters(event.pk, "BCDFGH", "BCDFGJ")
    Team.objects.filter(event=event, number=2).update(source=HANDS)
    return event


def load_state(event: Event) -> EventState:
    return load_snapshot(Event.objects.get(pk=event.pk))


def settings_to_restore(event: Event) -> tuple[Any, ...]:
    state = load_state(event)
    captains = [team.captain for team in state.teams]
    restrictions = load_restrictions([event.pk])[event.pk].items()
    in_force = {code: restriction for code, restriction in restrictions if restriction != Restriction()}
    return state.notice, state.hidden, state.extra_s, captains, in_force


def test_every_action_is_declared_completely_and_has_a_case() -> None:
    assert {case.action for case in CASES} | {"rehearsal.start", "rehearsal.stop"} == set(ACTIONS)
    for name, action in ACTIONS.items():
        assert (action.name, action.permission in get_args(EventPermission)) == (name, True)
        assert action.undo is None or action.undo.inverse in ACTIONS
        assert set(action.parameters) <= {"event_id", "box", "turn_id", "host", *ActionAsk.__struct_fields__}
        assert TARGETS[action.target] in {"", *Pressed.__struct_fields__}
        assert (action.meaning[-1], action.done[-1]) == (".", ".")
        assert len(name) <= 24


def test_generated_files_are_up_to_date() -> None:
    call_command("generate_actions", "--check")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.action} {case.fields}")
def test_action_is_logged_and_undone_once(case: Case, event: Event, box: BallotBox) -> None:
    take_all(event, case.before, box)
    before = settings_to_restore(event)
    done, *_ = take_all(event, [(case.action, case.fields)], box)
    assert (done.by, done.action, done.what) == ("olga", case.action, f"olga {case.what}")
    assert done.pressed
    pressed = {name: getattr(done.pressed, name) for name in ("voter_code", "part")}
    assert pressed == {name: case.fields.get(name) for name in pressed}
    assert (done.undo is not None, done.undone) == (bool(case.undone), False)
    if done.undo is not None:
        undo = request(event, ActionUndo(id=1, entry=done.id), box)
        assert (undo.action, undo.what) == (done.undo, f"olga {case.undone}")
        assert settings_to_restore(event) == before
        assert [(one.undone, one.undo) for one in entries(event, box) if one.id == done.id] == [(True, None)]
    with refused("can't be undone"):
        request(event, ActionUndo(id=1, entry=done.id), box)


@pytest.mark.parametrize(
    ("step", "later"),
    [
        ("joining.lock", ("joining.unlock",)),
        ("match.start", ("match.abort", "match.start")),
        ("turn.pause", ("turn.resume", "turn.pause")),
        ("turn.extend", ("turn.close",)),
        ("turn.close", ("open", "turn.close")),
        ("turn.close", ("match.abort",)),
        (EXTRA_TIME, ("turn.extra_time",)),
        (WROTE_A, (("notice.show", {"text": "b"}),)),
        (WROTE_A, ("notice.clear", WROTE_A)),
        (("part.hide", CODE), (("part.show", CODE),)),
        (("voter.ban", VOTER), (("voter.admit", VOTER),)),
        (("voter.kick", VOTER), (("voter.readmit", VOTER),)),
        ("reveal.extend", ("open",)),
        ("reveal.extend", ("turn.pause",)),
        ("reveal.extend", ("match.abort",)),
    ],
    ids=str,
)
def test_undo_needs_its_effect(step: Step, later: tuple[Step, ...], event: Event, box: BallotBox) -> None:
    before = {"match.start": (), "reveal.extend": REVEALED}
    name = step if isinstance(step, str) else step[0]
    done, *_ = take_all(event, [*before.get(name, PLAYING), step], box)
    take_all(event, later, box)
    assert [one.undo for one in entries(event, box) if one.id == done.id] == [None]
    with refused("can't be undone"):
        request(event, ActionUndo(id=1, entry=done.id), box)


@pytest.mark.parametrize(
    ("before", "step", "words"),
    [
        (("lobby.open",), "lobby.open", "Already done"),
        (("joining.lock",), "joining.lock", "Already done"),
        (("lobby.open",), "joining.unlock", "Already done"),
        (STARTED, "match.start", "already live"),
        ((), "match.abort", "No match is live"),
        *[((), f"turn.{action}", "No turn is live") for action in ("pause", "resume", "extend", "close")],
        *[((*STARTED, "run_out"), f"turn.{name}", "Time is up") for name in ("pause", "shorten", "close")],
        (STARTED, "turn.close", "has not started"),
        (STARTED, ("turn.pause", {"turn": 9_999}), "already ended"),
        (STARTED, "turn.resume", "not paused"),
        ((*STARTED, "turn.pause"), "turn.pause", "already paused"),
        (STARTED, ("turn.shorten", {"seconds": 18}), "Less than 3 seconds"),
        ((*STARTED, "turn.pause", "turn.shorten"), ("turn.shorten", {"seconds": 8}), "Less than 3"),
        ((), "turn.void", "no turn to take back"),
        ((*STARTED, ("play", {"picks": RED_WINS}), "match.start"), "turn.void", "no turn to take back"),
        ((*STARTED, ("play", {"picks": [(1, 2)]}), "match.abort"), "turn.void", "no turn to take back"),
        (PLAYING, "reveal.start", "no reveal to start"),
        (SEALED, ("turn.extend", {"seconds": 90}), "Time is up"),
        (SEALED, "turn.open", "No reveal is being shown"),
        ((*SEALED, "reveal.start"), "turn.open", "The reveal is not over yet"),
        ((*SEALED, "reveal.start", "end_reveal", "turn.open"), "turn.open", "The next turn is opening"),
        (STARTED, "reveal.extend", "No reveal is being shown"),
        ((*REVEALED, "open"), "reveal.shorten", "No reveal is being shown"),
        ((), "turn.extra_time", "Already done"),
        ((), ("turn.extra_time", {"seconds": MAX_EXTRA_S + 1}), "at most 10 minutes per turn"),
        (PLAYING, "hands.count", "Choose a team"),
        (PLAYING, ("hands.count", {"team": 2}), "Choose a team"),
        (PLAYING, ("hands.count", {"hands": (1,)}), "Choose a team"),
        (PLAYING, ("hands.count", {"team": 1, "hands": (1,)}), "Rooks does not vote by a show of hands"),
        (PLAYING, ("hands.count", {"team": 2, "hands": (MAX_HANDS, 1)}), "At most 5,000"),
        (PLAYING, ("hands.count", {"team": 2, "hands": (1,), "turn": 9_999}), "already ended"),
        (STARTED, ("hands.count", {"team": 2, "hands": (1,)}), "has not started"),
        ((*STARTED, "run_out"), ("hands.count", {"team": 2, "hands": (1,)}), "Time is up"),
        ((*PLAYING, "turn.pause"), ("hands.count", {"team": 2, "hands": (1,)}), "paused"),
        *[((), ("notice.show", {"text": text}), "nothing to show") for text in (None, " \n", "\u200b\u202e")],
        ((), ("notice.show", {"text": "x" * (NOTICE_LENGTH + 1)}), "140 characters"),
        ((), ("notice.show", {"text": "\u0958" * NOTICE_LENGTH}), "140 characters"),  # grows when normalized
        ((WROTE_A,), WROTE_A, "Already done"),
        ((), "notice.clear", "No message is shown"),
        ((), "part.hide", "Choose a part"),
        ((), "part.show", "Choose a part"),
        ((("part.hide", TURNOUT),), ("part.hide", TURNOUT), "Already done"),
        ((("part.hide", TURNOUT),), ("part.show", CODE), "Already done"),
        ((("change", {"in_study": True, "consent": "A study."}),), ("part.show", HINTS), "It stays hidden"),
        *[((), ("voter.ban", {"voter_code": code}), "six letters") for code in (None, "", "ANNA", "BCDFGHJ")],
        ((), ("voter.move", VOTER), "Already done"),
        ((), ("voter.admit", VOTER), "Already done"),
        ((), ("voter.move", {**VOTER, "team": 2}), "votes without phones"),
        ((APPOINTED,), APPOINTED, "Already done"),
        ((), ("voter.captain", VOTER), "Already done"),
        ((), ("voter.captain", {"voter_code": "nonsense", "team": 1}), "Enter the voter code"),
    ],
    ids=str,
)
def test_impossible_action_is_refused_and_not_logged(
    before: tuple[Step, ...], step: Step, words: str, event: Event, box: BallotBox
) -> None:
    logged = take_all(event, before, box)
    with refused(words):
        take(event, step, box)
    assert entries(event, box) == logged
    assert not StoredRestriction.objects.exists()


@pytest.mark.parametrize(
    ("steps", "expected", "kind"),
    [
        (("lobby.open",), {"lobby": "open"}, "lobby.opened"),
        (("lobby.open", "joining.lock"), {"lobby": "locked"}, "joining.locked"),
        (("lobby.open", "joining.lock", "joining.unlock"), {"lobby": "open"}, "joining.unlocked"),
        (("lobby.open", "joining.lock", "lobby.open"), {"lobby": "open"}, "joining.unlocked"),
        ((WROTE_A, ("notice.show", {"text": "b"})), {"notice": "b"}, "event.edited"),
        ((TIMED, "notice.clear"), {"notice": "", "notice_until": None}, "event.edited"),
        ((("notice.show", {"text": "x" * NOTICE_LENGTH}),), {"notice": "x" * NOTICE_LENGTH}, "event.edited"),
        ((UNTIDY,), {"notice": "Lunch is ready"}, "event.edited"),
        (HIDDEN, {"hidden": ("code", "tally")}, "event.edited"),
        ((*HIDDEN, SHOWN, ("part.hide", TURNOUT)), {"hidden": ("turnout", "tally")}, "event.edited"),
        ((("part.hide", SOUND),), {"hidden": ("sound",), "sound_on": False}, "event.edited"),
        ((("part.hide", SOUND), ("part.show", SOUND)), {"hidden": (), "sound_on": True}, "event.edited"),
        (("display.renew", "display.renew"), {"display_key_version": 2}, "event.edited"),
        ((APPOINTED,), {"captains": ["BCDFGH", ""]}, "event.edited"),
        ((APPOINTED, ("voter.captain", {**VOTER, "team": 2})), {"captains": ["", "BCDFGH"]}, "event.edited"),
        ((APPOINTED, ("voter.captain", VOTER)), {"captains": ["", ""]}, "event.edited"),
    ],
    ids=str,
)
def test_action_changes_and_announces_its_own_event(
    steps: tuple[Step, ...], expected: dict[str, Any], kind: str, event: Event, box: BallotBox
) -> None:
    other = new_event(lobby="locked")
    before = load_state(other)
    take_all(event, steps, box)
    state = load_state(event)
    shown = msgspec.structs.asdict(state) | {"captains": [team.captain for team in state.teams]}
    assert expected.items() <= shown.items()
    announced = kinds(event.pk)
    assert (announced[-1], len(announced)) == (kind, len(steps))
    assert (load_state(other), kinds(other.pk)) == (before, [])


def test_failed_undo_can_be_repeated(event: Event, box: BallotBox) -> None:
    """The new captain has replaced the first one, so there is nothing to revert."""
    done, *_ = take_all(event, [APPOINTED], box)
    take(event, OTHER_APPOINTED, box)
    with refused("Already done"):
        request(event, ActionUndo(id=1, entry=done.id), box)
    assert [one.undone for one in entries(event, box)] == [False, False]


@pytest.mark.parametrize("name", ACTIONS)
def test_viewer_may_not_act(name: str, event: Event, box: BallotBox) -> None:
    with refused("permission"):
        request(event, ActionAsk(id=1, action=name), box, Role.VIEWER)


def test_entry_is_not_undone_by_viewer_or_in_another_event(event: Event, box: BallotBox) -> None:
    done, *_ = take_all(event, ["joining.lock"], box)
    undo, other = ActionUndo(id=1, entry=done.id), new_event()
    with refused("permission"):
        request(event, undo, box, Role.VIEWER)
    with refused("can't be undone"):
        request(other, undo, box)
    assert not entries(event, box)[0].undone


def test_timed_message_is_undone_or_restored_until_it_expires(event: Event, box: BallotBox) -> None:
    take(event, TIMED, box)
    state = load_state(event)
    assert state.notice_until is not None
    assert 29_000 < state.notice_until - box.now() <= 30_000
    for at, undo in ((state.notice_until - 1, "notice.clear"), (state.notice_until, None)):
        now = CurrentState(state, at, rehearsing=False)
        assert list_audit_entries(event.pk, now, "en")[0].undo == undo
    entry = request(event, ActionAsk(id=1, action="notice.show", text="b"), box)
    assert load_state(event).notice_until is None
    request(event, ActionUndo(id=2, entry=entry.id), box)
    again = load_state(event)
    assert again.notice == "a"
    assert again.notice_until is not None
    assert abs(again.notice_until - state.notice_until) < 2_000
