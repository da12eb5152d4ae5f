"""The public report page: contents, hidden open votes, and HTTP headers."""

import csv
import gzip
import io
import re

import pytest
from django.test import Client

from crowdgame.results.reports import views as report_pages
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, TallyRecord, Team
from voting.records.exports import record_version
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(box: BallotBox) -> Match:
    finished_match = start_match(new_event().pk, box)
    play(finished_match, box, RED_WINS)
    finished_match.refresh_from_db()
    return finished_match


def address(match: Match, kind: str = "") -> str:
    return f"/report/{match.event.code}/{match.number}{kind}"


def page_of(client: Client, match: Match) -> str:
    return client.get(address(match)).content.decode()


def test_report_page_shows_result_and_turns(client: Client, match: Match) -> None:
    response = client.get(address(match))
    page = response.content.decode()
    assert response.status_code == 200
    assert "<bdi>Rooks won</bdi>" in page
    assert "Turning point: turn 3" in page
    assert page.count('<li class="turn"') == 4
    assert page.count('<svg class="cabinet') == 5
    assert f'href="/record/{match.event.code}/{match.number}.json"' in page
    assert client.get(address(match).lower()).status_code == 200


def test_report_page_shows_seals_in_groups_of_four_digits(client: Client, match: Match) -> None:
    """As phones do, which show the first half."""
    root = TallyRecord.objects.filter(turn__match=match).values_list("root", flat=True)[0]
    groups = re.findall("....", root)
    assert len(groups) == 16
    assert f"<code>{' '.join(groups)}</code>" in page_of(client, match)


def test_report_page_escapes_names(client: Client, match: Match) -> None:
    Team.objects.filter(event=match.event, number=1).update(name="<b>&\"'")
    Event.objects.filter(pk=match.event_id).update(name="</title><script>alert(1)</script>")
    page = page_of(client, match)
    assert "<b>&" not in page
    assert "<script>" not in page
    assert "&lt;b&gt;&amp;&quot;&#x27; chose column 1" in page


def test_report_page_shows_nothing_of_open_turn(client: Client, box: BallotBox) -> None:
    running_match = start_match(new_event().pk, box)
    assert "Turn by turn" not in page_of(client, running_match)
    play(running_match, box, [(1, 2)])
    before = page_of(client, running_match)
    turn = only_turn(running_match)
    open_now(turn, box)
    vote(turn, box, [5, 5, 5], [6])
    assert page_of(client, running_match) == before
    assert turn.seed not in before
    assert "Match in progress" in before
    assert client.get(address(running_match)).headers["Cache-Control"] == "no-cache"
    assert record_version(running_match) not in {kept[:-2] for kept in report_pages._cache}


def test_report_page_is_in_the_language_of_the_event(client: Client, match: Match) -> None:
    Event.objects.filter(pk=match.event_id).update(language="ar")
    response = client.get(address(match), headers={"Accept-Language": "de"})
    page = response.content.decode()
    assert '<html lang="ar" dir="rtl">' in page
    assert response.headers["Content-Language"] == "ar"
    assert "\u2068Rooks\u2069" in page
    assert '<html lang="de">' in client.get(address(match), {"locale": "de"}).content.decode()


def test_report_page_is_gzipped_if_accepted(client: Client, match: Match) -> None:
    packed = client.get(address(match), headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == client.get(address(match)).content
    assert "Accept-Encoding" in packed.headers["Vary"]


def test_finished_report_page_is_cached(client: Client, match: Match) -> None:
    page_of(client, match)
    assert len(report_pages._cache) <= report_pages.CACHE_SIZE
    cached = dict(report_pages._cache)
    page_of(client, match)
    assert report_pages._cache == cached
    Team.objects.filter(event=match.event, number=1).update(name="Ravens")
    assert "Ravens won" in page_of(client, match)


def test_report_csv_is_sent_as_attachment(client: Client, match: Match) -> None:
    response = client.get(address(match, ".csv"))
    assert response.headers["Content-Disposition"] == f'attachment; filename="{match.event.code}-1.csv"'
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    assert len(rows) == 5
    assert rows[1][:3] == [match.event.code, "1", "1"]
