"""The report of a match, for anybody: what it shows, what it never shows, and how it is sent."""

import csv
import gzip
import io
import re

import pytest
from django.test import Client

from crowdgame.reports import views as report_pages
from crowdgame.web.content_policy import INLINE
from games.models import Event, Match, Team
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.records.exports import record_version
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(box: BallotBox) -> Match:
    begun = start_match(new_event().pk, box)
    play(begun, box, RED_WINS)
    begun.refresh_from_db()
    return begun


def address(match: Match, kind: str = "") -> str:
    return f"/report/{match.event.code}/{match.number}{kind}"


def page_of(client: Client, match: Match) -> str:
    return client.get(address(match)).content.decode()


def test_anybody_reads_who_won_and_how(client: Client, match: Match) -> None:
    answer = client.get(address(match))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "<bdi>Rooks won</bdi>" in page
    assert "Turning point: turn 3" in page
    assert page.count('<li class="turn"') == 4
    assert page.count('<svg class="cabinet') == 5
    assert f'href="/record/{match.event.code}/{match.number}.json"' in page
    assert client.get(address(match).lower()).status_code == 200


def test_it_sets_no_cookie_and_runs_only_its_own_script(client: Client, match: Match) -> None:
    answer = client.get(address(match))
    assert not answer.cookies
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not [block for _, block in INLINE.findall(answer.content) if block]
    assert not re.search(rb' style=| on[a-z]+="', answer.content)
    assert {m.decode() for m in re.findall(rb'src="([^"]+)"', answer.content)} == {"/static/paper/replay.js"}


def test_names_are_text(client: Client, match: Match) -> None:
    Team.objects.filter(event=match.event, number=1).update(name="<b>&\"'")
    Event.objects.filter(pk=match.event_id).update(name="</title><script>alert(1)</script>")
    page = page_of(client, match)
    assert "<b>&" not in page
    assert "<script>" not in page
    assert "&lt;b&gt;&amp;&quot;&#x27; chose column 1" in page


def test_nothing_of_an_open_vote_is_in_it(client: Client, box: BallotBox) -> None:
    begun = start_match(new_event().pk, box)
    play(begun, box, [(1, 2)])
    before = page_of(client, begun)
    turn = only_turn(begun)
    open_now(turn, box)
    vote(turn, box, [5, 5, 5], [6])
    assert page_of(client, begun) == before
    assert turn.seed not in before
    assert "Still being played" in before
    assert client.get(address(begun)).headers["Cache-Control"] == "no-cache"
    assert record_version(begun) not in {kept[:-1] for kept in report_pages._kept}


def test_a_match_without_a_turn_has_a_page(client: Client, box: BallotBox) -> None:
    begun = start_match(new_event().pk, box)
    assert "Turn by turn" not in page_of(client, begun)


def test_who_may_get_it_compressed_does(client: Client, match: Match) -> None:
    packed = client.get(address(match), headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == client.get(address(match)).content
    assert "Accept-Encoding" in packed.headers["Vary"]


def test_pages_of_matches_that_are_over_are_made_once(client: Client, match: Match) -> None:
    page_of(client, match)
    assert len(report_pages._kept) <= report_pages.KEPT
    made = dict(report_pages._kept)
    page_of(client, match)
    assert report_pages._kept == made
    Team.objects.filter(event=match.event, number=1).update(name="Ravens")
    assert "Ravens won" in page_of(client, match)


@pytest.mark.parametrize(
    "wrong", ["/report/ZZZZ/1", "/report/ZZZZ/1.csv", "/report/ZZZZ/999999999999999999999"]
)
def test_there_is_no_report_of_no_match(client: Client, wrong: str) -> None:
    assert client.get(wrong).status_code == 404


def test_it_is_for_reading_only(client: Client, match: Match) -> None:
    assert client.post(address(match)).status_code == 405
    assert client.post(address(match, ".csv")).status_code == 405


def test_the_figures_come_as_a_file(client: Client, match: Match) -> None:
    answer = client.get(address(match, ".csv"))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{match.event.code}-1.csv"'
    rows = list(csv.reader(io.StringIO(answer.content.decode())))
    assert len(rows) == 5
    assert rows[1][:3] == [match.event.code, "1", "1"]
