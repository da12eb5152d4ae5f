"""The report as one file: complete, without anything to load, and as discreet as the page."""

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from django.test import Client

from tests.voting.content_policy import hashes_of, sources
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, vote
from tests.voting.turns.secret_side_helpers import start_secret
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, TallyRecord, Team
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
LOADED = {"src", "srcset", "poster", "data", "background", "action", "formaction", "ping", "xlink:href"}


class Elements(HTMLParser):
    """All elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def match(box: BallotBox) -> Match:
    match = start_match(new_event().pk, box)
    play(match, box, RED_WINS)
    return match


def file_of(client: Client, match: Match, **query: str) -> str:
    answer = client.get(f"/report/{match.event.code}/{match.number}.html", query)
    name = f"{match.event.code}-{match.number}.html"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    return answer.content.decode()


def test_file_loads_nothing_and_runs_nothing(client: Client, match: Match) -> None:
    elements = Elements(file_of(client, match)).found
    assert not {"script", "link", "iframe", "object", "embed", "base", "form", "audio", "video"} & {
        tag for tag, _ in elements
    }
    for tag, attributes in elements:
        assert not LOADED & attributes.keys(), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (
            tag,
            attributes,
        )
        address = attributes.get("href") or ""
        if tag == "a":
            assert urlsplit(address)[:2] == ("http", "testserver"), address
        else:
            assert address[:1] in ("", "#"), (tag, address)


def test_policy_of_the_file_allows_only_its_style(client: Client, match: Match) -> None:
    page = file_of(client, match)
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', page)
    allowed = sources(unescape(policy))
    assert allowed.pop("style-src") == hashes_of(page.encode())["style"]
    assert allowed == {name: {"'none'"} for name in ("default-src", "base-uri", "form-action")}
    (style,) = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    assert "url(" not in style
    assert "@import" not in style


def test_file_shows_what_the_page_shows(client: Client, match: Match) -> None:
    address = f"/report/{match.event.code}/{match.number}"
    page, file = client.get(address).content.decode(), file_of(client, match)
    for shown in (
        '<li class="turn"',
        '<svg class="cabinet',
        "<tr>",
        "<figcaption",
        "<bdi>Rooks won</bdi>",
        "<code>",
    ):
        assert file.count(shown) == page.count(shown) > 0, shown
    for link in (address, f"/verify?match={match.event.code}/1", f"/record/{match.event.code}/1.json"):
        assert f'href="http://testserver{link}"' in file
    assert f'href="{address}.html?locale=en"' in page
    assert ".html?locale" not in file


def test_file_is_in_the_language_of_the_page(client: Client, match: Match) -> None:
    Event.objects.filter(pk=match.event_id).update(language="ar", name="第三中学")
    Team.objects.filter(event=match.event_id, number=1).update(name="<b>&\"'")
    file = file_of(client, match)
    assert '<html lang="ar" dir="rtl">' in file
    assert "<b>" not in file
    assert "第三中学" in file
    page = client.get(f"/report/{match.event.code}/1", {"locale": "de"}).content.decode()
    assert ".html?locale=de" in page
    assert '<html lang="de">' in file_of(client, match, locale="de")


def test_file_shows_nothing_of_open_turns_or_secret_sides(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    play(match, box, [(1, 2)])
    before = file_of(client, match)
    turn = only_turn(match)
    open_now(turn, box)
    vote(turn, box, [5, 5, 5], [6])
    assert file_of(client, match) == before
    secret = start_secret(box)
    play(secret, box, [(1, 2)])
    root = TallyRecord.objects.filter(turn__match=secret).values_list("root", flat=True)[0]
    assert root[:4] not in re.findall(r"<code>(\w{4}) ", file_of(client, secret))
    assert client.get("/report/BCDF/7.html").status_code == 404
