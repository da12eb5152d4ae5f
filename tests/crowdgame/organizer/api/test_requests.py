import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.api.endpoints import endpoints
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.cups.cups import create_cup, start_pairing
from crowdgame.results.analysis.turn_solving import store_analysis
from crowdgame.server.laptop.network import free_port
from tests.crowdgame.organizer.api.conftest import Program, address
from tests.server import Server
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, organizer, play, store, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.models import Event, Match, StoredBallot
from voting.models.settings import list_settings
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
Api = Callable[..., str]


def test_events_are_listed_in_pages_and_not_sent_again_unchanged(box: BallotBox) -> None:
    codes = [new_event().code for _ in range(5)][::-1]
    program = Program("read")
    pages = [program.get("events/?limit=2")]
    while pages[-1]["after"] is not None:
        pages.append(program.get(f"events/?limit=2&after={pages[-1]['after']}"))
    assert [row["code"] for page in pages for row in page["items"]] == codes
    assert [program.get(f"events/?limit={most}")["after"] for most in (5, 200)] == [None, None]
    for wrong in ("limit=x", "limit=0", "limit=201", "after=-1", "page=2", "limit=" + "9" * 19):
        assert program.call("GET", f"events/?{wrong}")[0] == 400
    known = {"if-none-match": program.request("GET", "events/").headers["ETag"]}
    new_event(fixed_players=True)
    assert program.request("GET", "events/", **known).status_code == 304, "a duel is not listed"
    new_event()
    assert program.request("GET", "events/", **known).status_code == 200


def test_match_has_its_revealed_turns_and_analysis(event: Event, box: BallotBox) -> None:
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    for turn in match.turns.select_related("match__event"):
        store_analysis(turn)
    program, path = Program("read"), f"events/{event.code}/matches/"
    listed = {"match": 1, "state": "ended", "result": "red", "ended_by": "board", "rehearsed": False}
    assert program.get(path) == [listed | {"ended_at": Match.objects.get().ended_at}]
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
    event.matches.update(game="removed-game")
    with ZipFile(BytesIO(program.request("GET", f"events/{event.code}/export.zip").content)) as packed:
        assert packed.namelist() == []
    assert program.call("GET", f"events/{event.code}/")[0] == 409


@pytest.mark.parametrize("stored", [False, True])
def test_hidden_votes_change_no_answer(box: BallotBox, stored: bool) -> None:
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
        paths = [address(one.path, event) for one in endpoints() if one.method == "GET"]
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


def test_organizer_reads_only_own_cups() -> None:
    """They belong to no single event, so a token of one event reads none."""
    cup = create_cup(organizer(), "Cup", ("Ants", "Bees", "Cats"), filler="3")
    other = create_cup(organizer("boris"), "Cup", "AB")
    program, played = Program("read"), start_pairing(cup.pk, 1)
    assert program.get("cups/") == [{"code": cup.code, "name": "Cup", "format": "knockout"}]
    read = program.get(f"cups/{cup.code}/")
    sources = {team["name"]: team["source"] for team in read["teams"]}
    assert sources == dict.fromkeys(("Ants", "Bees", "Cats"), "phones") | {"Computer 3": "bot:3"}
    assert [(pairing["number"], pairing["event"]) for pairing in read["pairings"]] == [(1, played.code)]
    assert program.call("GET", f"cups/{other.code}/")[0] == 404
    assert Program("read", event=played).get("cups/") == []


def test_document_describes_every_operation_and_action_unless_it_needs_a_gateway() -> None:
    document = json.loads(Client().get("/api/v1/openapi.json").content)
    described = {one["operationId"] for path in document["paths"].values() for one in path.values()}
    assert described == {one.name for one in endpoints()}
    assert ACTIONS.keys() - described == {"rehearsal.start", "rehearsal.stop"}
    extend = document["paths"]["/events/{code}/actions/turn.extend/"]["post"]["requestBody"]
    name = extend["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    schemas = document["components"]["schemas"]
    assert schemas[name]["properties"].keys() == {"turn", "seconds"}
    assert schemas["NewEvent"]["properties"]["window_s"]["minimum"] == 3


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "events/{code}/actions/turn.resume/", None, 409),
        ("POST", "events/{code}/actions/turn.extend/", {"seconds": 0}, 400),
        ("POST", "events/{code}/actions/turn.extend/", {"seconds": 2_592_001}, 400),
        ("POST", "events/{code}/actions/turn.extend/", {"second": 5}, 400),
        ("POST", "events/{code}/actions/lobby.open/", [], 400),
        ("POST", "events/{code}/actions/lobby.open/", {"id": 1}, 400),
        ("POST", "events/{code}/actions/turn.fly/", None, 404),
        ("GET", "nothing/", None, 404),
        ("GET", "events/BCDFGHJK/", None, 404),
        ("DELETE", "events/{code}/", None, 405),
    ],
)
def test_wrong_request_changes_nothing(event: Event, method: str, path: str, body: Any, status: int) -> None:
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


def test_preset_creates_the_event_that_its_button_creates(client: Client) -> None:
    client.force_login(organizer())
    for slug in ("two-halls", "two-classes", "best-of-three", "show-of-hands"):
        _, state = Program("create").call("POST", "events/", {"preset": slug})
        client.post("/console/new/", {"preset": slug})
        made, pressed = Event.objects.get(code=state["code"]), Event.objects.latest("pk")
        for name in list_settings(Event):
            assert getattr(made, name) == getattr(pressed, name), name
    for language, computer in (("en", "The computer"), ("de", "Der Computer")):
        _, state = Program("create").call("POST", "events/", {"preset": "computer", "language": language})
        assert state["teams"][1]["name"] == computer


@pytest.fixture
def api(server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Api:
    monkeypatch.setenv("CROWDGAME_TOKEN", server.ask("api_token", name="olga", scopes=["run", "create"]))

    def run(*words: str, url: str = server.http) -> str:
        call_command("api", url, *words)
        return capsys.readouterr().out

    return run


def test_event_is_created_run_and_exported(server: Server, api: Api, tmp_path: Path) -> None:
    made = json.loads(api("create", "preset=two-halls", "team_1=Ants", "team_2=Bees", "window_s=20"))
    code = made["code"]
    assert code in {row["code"] for row in json.loads(api("events"))["items"]}
    assert json.loads(api("run", code, "match.start"))["match"]["number"] == 1
    api("run", code, "turn.extend", "seconds=10")
    assert json.loads(api("event", code))["teams"][0]["name"] == "Ants"
    api("run", code, "match.abort")
    assert json.loads(api("match", code, "1"))["state"] == "aborted"
    assert api("export", code, str(tmp_path / "evening.zip")) == ""
    with ZipFile(tmp_path / "evening.zip") as packed:
        assert packed.namelist() == [f"{code}-1.json", f"{code}-1.csv"]


def test_refusal_is_said_in_words(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(*words: str, **where: str) -> str:
        with pytest.raises(CommandError) as refused:
            api(*words, **where)
        return str(refused.value)

    assert "Expected `int` >= 3 - at `$.window_s`" in refusal("create", "window_s=1")
    assert "these settings.\nteam_2: Enter two different" in refusal("create", "team_1=A", "team_2=a")
    assert "Ants is not FIELD=VALUE." in refusal("create", "Ants")
    assert "There is no such event." in refusal("event", "BCDFGHJK")
    assert "does not answer" in refusal("events", url=f"http://127.0.0.1:{free_port()}")
    assert "is not the address of a server" in refusal("events", url="file:///etc/passwd")
    monkeypatch.setenv("CROWDGAME_TOKEN", "guess")
    assert "No valid token" in refusal("events")
    monkeypatch.delenv("CROWDGAME_TOKEN")
    assert "Set CROWDGAME_TOKEN" in refusal("events")
