"""The API performs actions as the console does, and creates events as the form does."""

from typing import Any

import pytest
from django.test import Client

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.api.endpoints import endpoints
from crowdgame.organizer.api.schemas import offered_actions
from crowdgame.organizer.console.actions import ACTIONS
from tests.crowdgame.organizer.api.api_program import Program
from tests.voting.match_helpers import organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.models.settings import list_settings
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_every_action_is_an_operation_unless_it_needs_a_gateway() -> None:
    offered = {one.name for one in endpoints() if "/actions/" in one.path}
    assert offered == offered_actions().keys()
    assert ACTIONS.keys() - offered == {"rehearsal.start", "rehearsal.stop"}


def test_action_is_logged_under_the_name_of_user_and_token(event: Event) -> None:
    program = Program("run")
    status, state = program.act(event, "match.start")
    assert (status, state["match"]["turn"]["number"]) == (200, 1)
    assert program.act(event, "turn.pause")[0] == 200
    assert list(AuditEntry.objects.order_by("pk").values_list("by", "action")) == [
        ("olga (ci)", "match.start"),
        ("olga (ci)", "turn.pause"),
    ]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "events/{code}/actions/turn.resume/", None, 409),
        ("POST", "events/{code}/actions/turn.extend/", {"seconds": 0}, 400),
        ("POST", "events/{code}/actions/turn.extend/", {"second": 5}, 400),
        ("POST", "events/{code}/actions/lobby.open/", [], 400),
        ("POST", "events/{code}/actions/lobby.open/", {"id": 1}, 400),
        ("POST", "events/{code}/actions/turn.fly/", None, 404),
        ("GET", "nothing/", None, 404),
        ("GET", "events/BCDFGHJK/", None, 404),
        ("DELETE", "events/{code}/", None, 405),
    ],
)
def test_wrong_request_is_answered_as_a_problem_and_changes_nothing(
    event: Event, method: str, path: str, body: Any, status: int
) -> None:
    start_match(event.pk, BallotBox())
    answer = Program("read", "run").request(method, path.format(code=event.code), body)
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/problem+json")
    assert answer.headers.get("Allow") == ("GET" if status == 405 else None)
    assert not AuditEntry.objects.exists()


def test_event_is_created_with_any_setting() -> None:
    body = {"preset": "two-halls", "team_1": "Ants", "team_2": "Bees", "options": {"columns": 6}}
    chosen = {"window_s": 25, "tally_method": "approval", "best_of": 3}
    status, state = Program("create").call("POST", "events/", body | chosen)
    assert (status, state["name"]) == (200, "Ants vs. Bees")
    event = Event.objects.get(code=state["code"])
    assert {name: getattr(event, name) for name in chosen} == chosen
    assert (event.owner, event.options["columns"], event.crowd_clocks) == (organizer(), 6, False)
    Program("create").call("POST", "events/", {"bank_s": 300, "increment_s": 5})
    event = Event.objects.latest("pk")
    assert (event.bank_s, event.increment_s, event.crowd_clocks) == (300, 5, True)


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        ({"window_s": 1}, 400, ""),
        ({"windows": 20}, 400, ""),
        ({"tally_method": "shouting"}, 400, ""),
        ({"team_1": "Ants", "team_2": "ants"}, 422, "team_2"),
        ({"options": {"wings": 2}}, 422, "options"),
        ({"bank_s": 60, "cap_s": 90}, 422, "cap_s"),
        ({"max_side_changes": 1, "peek": True}, 422, "max_side_changes"),
    ],
)
def test_event_with_invalid_settings_is_not_created(body: dict[str, Any], status: int, where: str) -> None:
    answered, refusal = Program("create").call("POST", "events/", body)
    assert (answered, where in refusal.get("errors", {"": ""})) == (status, True)
    assert not Event.objects.exists()


def test_preset_creates_the_event_that_its_button_creates() -> None:
    for slug in ("two-halls", "two-classes", "best-of-three", "show-of-hands"):
        _, state = Program("create").call("POST", "events/", {"preset": slug})
        client = Client()
        client.force_login(organizer())
        client.post("/console/new/", {"preset": slug})
        made, pressed = Event.objects.get(code=state["code"]), Event.objects.latest("pk")
        for name in list_settings(Event):
            assert getattr(made, name) == getattr(pressed, name), name


@pytest.mark.parametrize(("body", "name"), [({}, "The computer"), ({"language": "de"}, "Der Computer")])
def test_teams_without_names_get_some_in_the_language_of_the_event(body: dict[str, str], name: str) -> None:
    _, state = Program("create").call("POST", "events/", {"preset": "computer", **body})
    assert state["teams"][1]["name"] == name
