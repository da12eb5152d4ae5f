from typing import Any, get_args

import msgspec
import pytest
from django.core.management import call_command

from crowdgame.events.permissions import EventPermission
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.actions.registry import TARGETS, CurrentState
from crowdgame.organizer.console.audit_log import list_audit_entries
from tests.crowdgame.organizer.console import action_cases as given
from tests.crowdgame.organizer.console.action_cases import CASES, Case, Step, entries, request, take, take_all
from tests.voting.action_helpers import record_voters, refused
from tests.voting.match_helpers import kinds, new_event
from voting.admission.restrictions import Restriction, load_restrictions
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, StoredRestriction, Team
from voting.protocol import ActionAsk, ActionUndo, EventState, Pressed, Rated, Role
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
    return state.notice, state.hidden, state.sound_on, state.extra_s, captains, in_force


def test_every_action_is_declared_completely_and_has_a_case() -> None:
    assert {case.action for case in CASES} | {"rehearsal.start", "rehearsal.stop"} == set(ACTIONS)
    for name, action in ACTIONS.items():
        assert (action.name, action.permission in get_args(EventPermission)) == (name, True)
        assert action.undo is None or action.undo.inverse in ACTIONS
        assert set(action.parameters) <= {"event_id", "box", "turn_id", "host", *ActionAsk.__struct_fields__}
        assert TARGETS[action.target] in {"", *Pressed.__struct_fields__}
        assert (action.meaning[-1], action.done[-1]) == (".", ".")
        assert len(name) <= 24
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


@pytest.mark.parametrize(("step", "later"), given.LOST_EFFECTS, ids=str)
def test_undo_needs_its_effect(step: Step, later: tuple[Step, ...], event: Event, box: BallotBox) -> None:
    before = {"match.start": (), "reveal.extend": given.REVEALED}
    name = step if isinstance(step, str) else step[0]
    done, *_ = take_all(event, [*before.get(name, given.PLAYING), step], box)
    take_all(event, later, box)
    assert [one.undo for one in entries(event, box) if one.id == done.id] == [None]
    with refused("can't be undone"):
        request(event, ActionUndo(id=1, entry=done.id), box)


@pytest.mark.parametrize(("before", "step", "words"), given.IMPOSSIBLE, ids=str)
def test_impossible_action_is_refused_and_not_logged(
    before: tuple[Step, ...], step: Step, words: str, event: Event, box: BallotBox
) -> None:
    logged = take_all(event, before, box)
    with refused(words):
        take(event, step, box)
    assert entries(event, box) == logged
    assert not StoredRestriction.objects.exists()


@pytest.mark.parametrize(("steps", "expected", "kind"), given.EFFECTS, ids=str)
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


@pytest.mark.parametrize(
    ("action", "match_state", "change"),
    [
        ("turn.close", "ended", {"max_side_changes": 1}),
        ("turn.close", "ended", {"rated": Rated(red_before=0, red_after=0, yellow_before=0, yellow_after=0)}),
        ("voter.move", "playing", {"max_side_changes": 1}),
    ],
)
def test_undo_is_not_offered_where_its_action_is_refused(
    action: str, match_state: str, change: dict[str, Any], event: Event, box: BallotBox
) -> None:
    take_all(event, given.REVEALED, box)
    state, undo = load_state(event), ACTIONS[action].undo
    assert undo
    assert state.match
    assert state.match.reveal
    pressed = Pressed(action=action, turn=state.match.reveal.turn)
    holds = []
    for changed in ({}, change):
        match = msgspec.structs.replace(state.match, state=match_state, **changed)
        now = CurrentState(msgspec.structs.replace(state, match=match), box.now(), rehearsing=False)
        holds.append(undo.holds(pressed, now))
    assert holds == [True, False]


def test_undo_by_viewer_in_another_event_or_without_effect_is_refused(event: Event, box: BallotBox) -> None:
    done, *_ = take_all(event, [given.MOVED], box)
    undo, other = ActionUndo(id=1, entry=done.id), new_event()
    with refused("permission"):
        request(event, undo, box, Role.VIEWER)
    with refused("can't be undone"):
        request(other, undo, box)
    StoredRestriction.objects.all().delete()  # so that there is nothing to revert
    with refused("Already done"):
        request(event, undo, box)
    assert [one.undone for one in entries(event, box)] == [False]


@pytest.mark.parametrize("name", ACTIONS)
def test_viewer_may_not_act(name: str, event: Event, box: BallotBox) -> None:
    with refused("permission"):
        request(event, ActionAsk(id=1, action=name), box, Role.VIEWER)


def test_timed_message_is_undone_or_restored_until_it_expires(event: Event, box: BallotBox) -> None:
    take(event, given.TIMED, box)
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
