"""`/record/CODE/N/roots.json`: the seals of a match, which phones compare with those they received."""

import asyncio
import gzip
import json
from typing import Any

import pytest
from channels.testing import HttpCommunicator
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from crowdgame.results.reports import match_roots
from crowdgame.results.reports.match_roots import CACHE_SIZE, cache_roots
from games.engine.game import SIDES
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, new_event, play, start, start_open, start_secret, vote
from tests.voting.sample_matches import record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import EMPTY, hash_leaf
from voting.models import LogEntry, LogHead, Match
from voting.transparency.checkpoints import read_checkpoint
from voting.transparency.log import load_log
from voting.transparency.merkle import verify_consistency, verify_inclusion

PATH, REFUSED = "/record/BCDF/1/roots.json", "/record/BCDF/2/roots.json"
PATHS = [PATH.replace("/1/", f"/{number}/") for number in range(CACHE_SIZE + 1)]
LOGS = [PATH.replace("roots", f"log/{known}") for known in ("7", "7", "007", *range(8, 7 + CACHE_SIZE))]
LIVE = "/report/BCDF/1/live.json"


def fetch(client: Client, match: Match) -> Any:
    response = client.get(f"/record/{match.event.code}/{match.number}/roots.json")
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    return response.json()


@pytest.mark.django_db
def test_roots_are_those_of_the_record(box: BallotBox, client: Client) -> None:
    match = start(box).match
    play(match, box, RED_WINS[:1])
    press(match.event_id, "turn.void", box)
    play(match, box, RED_WINS[:2])
    assert fetch(client, match)["state"] == "playing"
    play(match, box, RED_WINS[2:])
    roots, record = fetch(client, match), record_of(match)
    assert (roots["format"], roots["match"], roots["state"]) == ("crowdgame roots 1", 1, "ended")
    assert record.draw
    assert roots["draw_lot"] == record.draw.lot
    by_id = {turn["turn"]: turn for turn in roots["turns"]}
    ids = [*(count.turn for count in record.counts), *(void.turn for void in record.voided)]
    assert list(by_id) == sorted(ids)
    for count in record.counts:
        (seal,) = by_id[count.turn]["seals"]
        assert seal.pop("at") == count.sealed_at
        assert seal == {side: getattr(count, side).root for side in SIDES}
        assert (by_id[count.turn]["lot"], by_id[count.turn]["sealed_at"]) == (count.lot, count.sealed_at)
    for void in record.voided:
        assert len(by_id[void.turn].get("seals", ())) == len(void.seals)
        assert "sealed_at" not in by_id[void.turn]


@pytest.mark.django_db
def test_roots_disclose_nothing_about_open_concealed_or_secret_turns(box: BallotBox, client: Client) -> None:
    turn = start_open(box, game="single-selector")
    vote(turn, box, red=[3])
    assert fetch(client, turn.match)["turns"] == []
    play(turn.match, box, [(3, 3)])
    assert fetch(client, turn.match)["turns"] == []
    secret = start_secret(box)
    play(secret, box, RED_WINS[:1])
    assert client.get(f"/record/{secret.event.code}/1/roots.json").status_code == 403
    play(secret, box, RED_WINS[1:])
    turns = fetch(client, secret)["turns"]
    assert len(turns) == len(RED_WINS)
    assert all(set(turn["seals"][0]) == {"at", "turn_commitment"} for turn in turns)
    assert client.get(f"/record/{new_event().code}/1/roots.json").status_code == 404


@pytest.mark.django_db
def test_roots_are_built_once_a_turn_without_ballots(
    box: BallotBox, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    match = start(box).match
    for picks in (RED_WINS[:2], RED_WINS[2:3]):
        play(match, box, picks)
        with django_assert_num_queries(4) as captured:
            fetch(client, match)
        assert not any('"sealed"' in query["sql"] for query in captured)
        with django_assert_num_queries(2):
            fetch(client, match)


@pytest.mark.django_db
def test_logged_seals_are_proven_for_a_phone_that_knows_the_log(box: BallotBox, client: Client) -> None:
    match = start(box).match
    play(match, box, RED_WINS[:1])
    earlier = load_log().checkpoint
    path = f"/record/{match.event.code}/1/log/"
    assert client.get(f"{path}0.json").status_code == 404, "not over"
    play(match, box, RED_WINS[1:])
    size, other = load_log().checkpoint.size, start(box).match
    for known, root in ((0, EMPTY), (earlier.size, earlier.root)):
        logged = client.get(f"{path}{known}.json").json()
        _, checkpoint = read_checkpoint(logged["checkpoint"].encode(), load_log().verifier_key)
        assert checkpoint.size == size, "the same for all phones, however much follows"
        proof = [bytes.fromhex(one) for one in logged["consistency"]]
        verify_consistency(known, root, checkpoint.size, checkpoint.root, proof)
        assert len(logged["seals"]) == len(RED_WINS)
        for seal in logged["seals"]:
            way = [bytes.fromhex(one) for one in seal["path"]]
            leaf = hash_leaf(seal["entry"].encode())
            verify_inclusion(leaf, seal["index"], size, way, checkpoint.root)
        assert (logged["first_lot"]["index"], logged["restores"]) == (0, [])
    for known in (size + 1, 10**10):
        shown = client.get(f"{path}{known}.json", follow=True).json()["checkpoint"]
        assert int(shown.split("\n")[1]) == load_log().checkpoint.size == size + 1
    assert client.get(f"{path}{10**10 - 1}.json")["Location"] == f"{size + 1}.json", "one answer for all"
    assert client.get(f"/record/{other.event.code}/1/log/0.json").status_code == 404
    LogHead.objects.update(key=b"")
    assert load_log().origin != checkpoint.origin
    [restore] = client.get(f"{path}0.json").json()["restores"]
    assert json.loads(restore["entry"]) == {"type": "restored 1", "origin": checkpoint.origin}
    LogEntry.objects.filter(pk=1).delete()
    assert client.get(f"{path}0.json").status_code == 404


class Django:
    """What stands behind the cache: answers after a while, REFUSED with this status, and counts."""

    def __init__(self, status: int = 200) -> None:
        self.status, self.body, self.scopes = status, b'{"turns":[]}', list[Any]()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        await asyncio.sleep(0.01)
        status = self.status if scope["path"] == REFUSED else 200
        await send({"type": "http.response.start", "status": status, "headers": [(b"set-cookie", b"a=b")]})
        await send({"type": "http.response.body", "body": self.body[:5], "more_body": True})
        await send({"type": "http.response.body", "body": self.body[5:]})


async def get(app: Any, path: str = PATH, method: str = "GET", **headers: bytes) -> tuple[int, Any, bytes]:
    named = [(name.replace("_", "-").encode(), value) for name, value in headers.items()]
    request = HttpCommunicator(app, method, path, headers=[(b"host", b"testserver"), *named])
    response = await request.get_response(timeout=20)
    return response["status"], dict(response["headers"]), response["body"]


@pytest.mark.parametrize(
    ("paths", "method", "status", "requests"),
    [
        *(([PATH, REFUSED, REFUSED], "GET", status, 3) for status in (403, 404, 503)),
        *(([PATH, PATH], method, 200, 2) for method in ("HEAD", "POST")),
        *(([path, path], "GET", 200, 2) for path in ("/record/BCDF/1.json", "/record/B/1/roots.json")),
        # Phones with the same checkpoint share an answer. Answers from the log evict none from records.
        ([PATH, LIVE, *LOGS, LIVE, PATH], "GET", 200, 2 + CACHE_SIZE),
        ([*PATHS, PATHS[-1], PATHS[0]], "GET", 200, CACHE_SIZE + 2),  # only the first was evicted
    ],
)
async def test_only_recent_answers_are_kept(
    paths: list[str], method: str, status: int, requests: int
) -> None:
    django = Django(status)
    app = cache_roots(django)
    expected = [(status if path == REFUSED else 200, django.body) for path in paths]
    assert [(await get(app, path, method))[::2] for path in paths] == expected
    assert len(django.scopes) == requests


async def test_crowd_costs_one_request_to_django() -> None:
    django = Django()
    app = cache_roots(django)
    compressed = [get(app, accept_encoding=b"gzip, br", cookie=b"sessionid=1") for _ in range(500)]
    plain = [get(app, path.replace("BCDF", "bcdf")) for path in [PATH] * 500]
    answers = await asyncio.gather(*compressed, *plain)
    assert len(django.scopes) == 1
    assert dict(django.scopes[0]["headers"]) == {b"host": b"testserver"}
    for status, headers, body in answers:
        assert (status, headers[b"content-type"]) == (200, b"application/json")
        assert b"set-cookie" not in headers
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"cache-control"] == b"public, max-age=5"
        packed = b"content-encoding" in headers
        assert json.loads(gzip.decompress(body) if packed else body) == {"turns": []}
    assert [b"content-encoding" in headers for _, headers, _ in answers].count(True) == 500


async def test_known_answer_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    django = Django()
    app = cache_roots(django)
    _, headers, _ = await get(app)
    etag = headers[b"etag"]
    status, headers, body = await get(app, if_none_match=etag)
    assert (status, headers[b"etag"], body) == (304, etag, b"")
    monkeypatch.setattr(match_roots, "FRESH_S", -1)
    app, django.body = cache_roots(django), b'{"turns":[1]}'
    await get(app)
    status, headers, _ = await get(app, if_none_match=etag)
    assert (status, headers[b"etag"] != etag) == (200, True)
    assert len(django.scopes) == 3
