"""What the API answers to GET, without secrets."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.test import Client

from crowdgame.organizer.api.endpoints import endpoints
from crowdgame.organizer.cups.cups import create_cup, start_pairing
from crowdgame.results.analysis.turn_solving import store_analysis
from tests.crowdgame.organizer.api.api_program import Program, address
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, organizer, play, store, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.models import Event, Match, StoredBallot
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_events_are_listed_in_pages_and_not_sent_again_unchanged(box: BallotBox) -> None:
    codes = [new_event().code for _ in range(5)][::-1]
    program = Program("read")
    pages = [program.get("events/?limit=2")]
    while pages[-1]["after"] is not None:
        pages.append(program.get(f"events/?limit=2&after={pages[-1]['after']}"))
    assert [row["code"] for page in pages for row in page["items"]] == codes
    for wrong in ("limit=x", "limit=0", "limit=201", "after=-1", "page=2", "limit=" + "9" * 19):
        assert program.call("GET", f"events/?{wrong}")[0] == 400
    known = {"if-none-match": program.request("GET", "events/").headers["ETag"]}
    assert program.request("GET", "events/", **known).status_code == 304
    new_event()
    assert program.request("GET", "events/", **known).status_code == 200


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
    program = Program("read")
    assert program.get("cups/") == [{"code": cup.code, "name": "Cup", "format": "knockout"}]
    played = start_pairing(cup.pk, 1)
    read = program.get(f"cups/{cup.code}/")
    assert [(team["name"], team["source"]) for team in read["teams"]] == [
        *((name, "phones") for name in ("Ants", "Bees", "Cats")),
        ("Computer 3", "bot:3"),
    ]
    assert [(pairing["number"], pairing["event"]) for pairing in read["pairings"]] == [(1, played.code)]
    assert program.call("GET", f"cups/{other.code}/")[0] == 404
    assert Program("read", event=played).get("cups/") == []


def test_document_describes_every_operation() -> None:
    document = json.loads(Client().get("/api/v1/openapi.json").content)
    described = {one["operationId"] for path in document["paths"].values() for one in path.values()}
    assert described == {one.name for one in endpoints()}
    extend = document["paths"]["/events/{code}/actions/turn.extend/"]["post"]["requestBody"]
    name = extend["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    schemas = document["components"]["schemas"]
    assert schemas[name]["properties"].keys() == {"turn", "seconds"}
    assert schemas["NewEvent"]["properties"]["window_s"]["minimum"] == 3
