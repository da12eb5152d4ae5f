"""The API: tokens and their scopes, reads without secrets, actions as in the console, new events."""

import json
from datetime import timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.api.endpoints import endpoints
from crowdgame.organizer.api.models import ApiToken
from crowdgame.organizer.api.schemas import offered_actions
from crowdgame.organizer.api.tokens import REQUESTS_PER_MINUTE, create_token
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.cups.cups import create_cup, start_pairing
from crowdgame.results.analysis.turn_solving import store_analysis
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, organizer, play, store, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.models import Event, Match, StoredBallot
from voting.models.settings import list_settings
from voting.protocol import Role
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


class Program:
    """A program with a token of the organizer olga."""

    def __init__(
        self, *scopes: Any, token: str | None = None, user: User | None = None, **options: Any
    ) -> None:
        self.token = create_token(user or organizer(), "ci", scopes, **options) if token is None else token

    def call(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        answer = self.request(method, path, body, **headers)
        return answer.status_code, json.loads(answer.content) if answer.content else None

    def request(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        text = b"" if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self.token}", **headers}
        return Client().generic(method, f"/api/v1/{path}", text, "application/json", headers=headers)

    def get(self, path: str) -> Any:
        status, answer = self.call("GET", path)
        assert status == 200, answer
        return answer

    def act(self, event: Event, action: str, **body: object) -> tuple[int, Any]:
        return self.call("POST", f"events/{event.code}/actions/{action}/", body)


@pytest.fixture
def event(box: BallotBox) -> Event:
    return new_event(options={"token": "red"}, window_s=60)


# ------------------------------------------------------------------ tokens
def test_request_without_valid_token_is_refused(event: Event) -> None:
    expired = create_token(organizer(), "old", ("read",), expires_at=timezone.now() - timedelta(seconds=1))
    for token in ("", "guess", expired):
        status, refusal = Program(token=token).call("GET", "events/")
        assert (status, refusal) == (401, {"title": "No valid token.", "status": 401})
    assert Program("read").call("GET", "events/")[0] == 200


@pytest.mark.parametrize("lost", ["token", "account"])
def test_token_ends_with_its_revocation_or_account(event: Event, lost: str) -> None:
    program = Program("read")
    assert program.call("GET", "events/")[0] == 200
    if lost == "token":
        ApiToken.objects.all().delete()
    else:
        User.objects.update(is_active=False)
    assert program.call("GET", "events/")[0] == 401


def test_session_is_no_token(event: Event) -> None:
    client = Client()
    client.force_login(organizer())
    assert client.get("/api/v1/events/").status_code == 401
    assert client.post(f"/api/v1/events/{event.code}/actions/match.start/").status_code == 401


def test_token_is_stored_as_hash_with_day_of_use(event: Event) -> None:
    program = Program("read")
    row = ApiToken.objects.get()
    assert (row.used_on, program.token in str(vars(row))) == (None, False)
    program.get("events/")
    row.refresh_from_db()
    assert row.used_on == timezone.localdate()


@pytest.mark.parametrize("scope", ["read", "run", "create"])
def test_each_operation_needs_its_scope(event: Event, scope: Any) -> None:
    """A token to run events may read, too. Nothing is done without the scope."""
    start_match(event.pk, BallotBox())
    program, before = Program(scope), AuditEntry.objects.count()
    for one in endpoints():
        path = one.path.replace("<code:code>", event.code).replace("<int:number>", "1")
        allowed = one.scope == scope or (scope, one.scope) == ("run", "read")
        if not allowed:
            assert program.call(one.method, path, None if one.method == "GET" else {})[0] == 403, one.name
        elif one.method == "GET":
            assert program.request("GET", path).status_code in {200, 404}, one.name
    assert AuditEntry.objects.count() == before


def test_token_of_one_event_reaches_no_other(event: Event) -> None:
    other = new_event()
    program = Program("run", "create", event=event)
    assert [row["code"] for row in program.get("events/")["items"]] == [event.code]
    assert program.call("GET", f"events/{other.code}/")[0] == 404
    assert program.act(other, "lobby.open")[0] == 404
    assert program.call("POST", "events/", {})[0] == 403
    assert program.act(event, "joining.lock")[0] == 200


def test_token_can_do_what_its_user_can(event: Event) -> None:
    """A viewer's token may read only, and a stranger's not even that. Roles are read at each request."""
    member = organizer("vera")
    program = Program("run", user=member)
    assert program.act(event, "joining.lock")[0] == 404
    row = Member.objects.create(event=event, user=member, role=Role.VIEWER)
    assert program.act(event, "joining.lock")[0] == 403
    assert program.call("GET", f"events/{event.code}/")[0] == 200
    Member.objects.filter(pk=row.pk).update(role=Role.COHOST)
    assert program.act(event, "joining.lock")[0] == 200


def test_requests_of_a_token_are_limited(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Program("read"), Program("read")
    row = ApiToken.objects.order_by("pk").first()
    assert row
    cache.set_many(
        {
            f"api:{row.pk}:{(timezone.now() + timedelta(minutes=n)):%H%M}": REQUESTS_PER_MINUTE - 1
            for n in (0, 1)
        }
    )
    assert one.call("GET", "events/")[0] == 200
    refused = one.request("GET", "events/")
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert other.call("GET", "events/")[0] == 200


# ------------------------------------------------------------------ reads
def test_events_are_listed_in_pages(box: BallotBox) -> None:
    codes = [new_event().code for _ in range(5)][::-1]
    program, found, after = Program("read"), [], ""
    while True:
        page = program.get(f"events/?limit=2{after}")
        found += [row["code"] for row in page["items"]]
        if page["after"] is None:
            break
        after = f"&after={page['after']}"
    assert found == codes
    for wrong in ("limit=x", "limit=0", "limit=201", "after=-1", "page=2", "limit=" + "9" * 19):
        assert program.call("GET", f"events/?{wrong}")[0] == 400


def test_match_has_its_revealed_turns_and_analysis(event: Event, box: BallotBox) -> None:
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    for turn in match.turns.select_related("match__event"):
        store_analysis(turn)
    program, path = Program("read"), f"events/{event.code}/matches/"
    assert program.get(path) == [
        {"match": 1, "state": "ended", "result": "red", "ended_by": "board", "rehearsed": False}
        | {"ended_at": Match.objects.get().ended_at}
    ]
    played = program.get(f"{path}1/")
    assert [(turn["red_pick"], turn["yellow_pick"]) for turn in played["turns"]] == RED_WINS
    assert played["turns"][0]["red"]["counts"] == [1, 0, 0, 0, 0, 0, 0]
    analyses = program.get(f"{path}1/analysis/")
    assert [one["number"] for one in analyses] == [1, 2, 3, 4]
    assert analyses[3]["analysis"]["sides"]["red"]["qualities"]["1"] == "best"
    with ZipFile(BytesIO(program.request("GET", f"events/{event.code}/export.zip").content)) as packed:
        assert packed.namelist() == [f"{event.code}-1.json", f"{event.code}-1.csv"]
        assert json.loads(packed.read(f"{event.code}-1.json"))["result"] == "red"
    assert program.call("GET", f"{path}2/")[0] == 404


@pytest.mark.parametrize("stored", [False, True])
def test_hidden_votes_change_no_answer(box: BallotBox, stored: bool) -> None:
    """Two votes of an open turn look the same in every answer, byte for byte."""
    event = new_event(options={"token": "red"}, analysis="turn", window_s=3600 if stored else 60)
    match = start_match(event.pk, box)
    play(match, box, RED_WINS[:1])
    turn = only_turn(match)
    open_now(turn, box)
    program, answers = Program("read", "run"), []
    for choice in (2, 6):
        ballots = [Ballot("ann", "red", choice, choice, blind="aa" * 16)]
        if stored:
            StoredBallot.objects.all().delete()
            store(turn, ballots)
        else:
            vote(turn, box, [choice])
        paths = [
            one.path.replace("<code:code>", event.code).replace("<int:number>", "1")
            for one in endpoints()
            if one.method == "GET"
        ]
        answers.append([program.request("GET", path).content for path in paths])
    assert answers[0] == answers[1]
    assert b'"number":2' not in program.request("GET", f"events/{event.code}/matches/1/").content


def test_match_with_secret_sides_has_no_turns_before_its_end(box: BallotBox) -> None:
    event = new_event(options={"token": "red"}, max_side_changes=1)
    match = start_match(event.pk, box)
    play(match, box, RED_WINS[:1])
    program = Program("read", "run")
    path = f"events/{event.code}/"
    assert program.get(f"{path}matches/1/")["turns"] == []
    with ZipFile(BytesIO(program.request("GET", f"{path}export.zip").content)) as packed:
        assert packed.namelist() == []
    program.act(event, "match.abort")
    assert len(program.get(f"{path}matches/1/")["turns"]) == 1


def test_unchanged_answer_is_not_sent_again(event: Event) -> None:
    program = Program("read")
    etag = program.request("GET", "events/").headers["ETag"]
    assert program.request("GET", "events/", **{"if-none-match": etag}).status_code == 304
    new_event()
    assert program.request("GET", "events/", **{"if-none-match": etag}).status_code == 200


# ------------------------------------------------------------------ actions
def test_every_action_is_an_operation_unless_it_needs_a_gateway() -> None:
    offered = {one.name for one in endpoints() if one.scope == "run"}
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


def test_action_that_is_not_possible_now_is_a_conflict(event: Event) -> None:
    assert Program("run").act(event, "turn.pause") == (409, {"title": "No turn is live.", "status": 409})


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("turn.extend", {"seconds": 0}),
        ("turn.extend", {"second": 5}),
        ("lobby.open", []),
        ("lobby.open", {"id": 1}),
    ],
)
def test_malformed_action_changes_nothing(event: Event, action: str, body: Any) -> None:
    start_match(event.pk, BallotBox())
    assert Program("run").call("POST", f"events/{event.code}/actions/{action}/", body)[0] == 400
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("path", ["nothing/", "events/{code}/actions/turn.fly/", "events/BCDFGHJK/"])
def test_unknown_address_is_answered_as_a_problem(event: Event, path: str) -> None:
    answer = Program("read", "run").request("GET", path.format(code=event.code))
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")


def test_wrong_method_is_refused(event: Event) -> None:
    answer = Program("read", "run").request("DELETE", f"events/{event.code}/")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET")


# ------------------------------------------------------------------ new events
def test_event_is_created_with_any_setting() -> None:
    body = {
        "preset": "two-halls",
        "team_1": "Ants",
        "team_2": "Bees",
        "window_s": 25,
        "tally_method": "approval",
        "best_of": 3,
        "options": {"columns": 6},
    }
    status, state = Program("create").call("POST", "events/", body)
    assert (status, state["name"]) == (200, "Ants vs. Bees")
    event = Event.objects.get(code=state["code"])
    assert (event.owner, event.window_s, event.tally_method, event.best_of) == (
        organizer(),
        25,
        "approval",
        3,
    )
    assert event.options["columns"] == 6


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


def test_clock_of_each_side_is_chosen_by_its_time() -> None:
    _, state = Program("create").call("POST", "events/", {"bank_s": 300, "increment_s": 5})
    event = Event.objects.get(code=state["code"])
    assert (event.bank_s, event.increment_s, event.crowd_clocks) == (300, 5, True)


def test_preset_creates_the_event_that_its_button_creates() -> None:
    for slug in ("two-halls", "two-classes", "best-of-three", "show-of-hands"):
        _, state = Program("create").call("POST", "events/", {"preset": slug})
        client = Client()
        client.force_login(organizer())
        client.post("/console/new/", {"preset": slug})
        made, pressed = Event.objects.get(code=state["code"]), Event.objects.latest("pk")
        for name in list_settings(Event):
            assert getattr(made, name) == getattr(pressed, name), name


# ------------------------------------------------------------------ the document
def test_document_describes_every_operation() -> None:
    document = json.loads(Client().get("/api/v1/openapi.json").content)
    described = {one["operationId"] for path in document["paths"].values() for one in path.values()}
    assert described == {one.name for one in endpoints()}
    extend = document["paths"]["/events/{code}/actions/turn.extend/"]["post"]
    reference = extend["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    assert document["components"]["schemas"][reference.rpartition("/")[2]]["properties"].keys() == {
        "turn",
        "seconds",
    }
    seconds = document["components"]["schemas"]["NewEvent"]["properties"]["window_s"]
    assert seconds["minimum"] == 3


# ------------------------------------------------------------------ cups
def test_organizer_reads_only_own_cups() -> None:
    """They belong to no single event, so a token of one event reads none."""
    cup, other = create_cup(organizer(), "Cup", ("Ants", "Bees")), create_cup(organizer("boris"), "Cup", "AB")
    program = Program("read")
    assert program.get("cups/") == [{"code": cup.code, "name": "Cup", "format": "knockout"}]
    played = start_pairing(cup.pk, 1)
    read = program.get(f"cups/{cup.code}/")
    assert [team["name"] for team in read["teams"]] == ["Ants", "Bees"]
    assert [(pairing["number"], pairing["event"]) for pairing in read["pairings"]] == [(1, played.code)]
    assert program.call("GET", f"cups/{other.code}/")[0] == 404
    assert Program("read", event=played).get("cups/") == []
