import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.organizer.cups.cups import create_cup
from crowdgame.server.web.content_policy import INLINE_BLOCK
from tests.voting.match_helpers import RED_WINS, new_event, organizer, play, start
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import end_match
from voting.models import Event
from voting.turns.turns import start_match

PRINT, TIMES = b"/static/page/print.js", b"/static/page/moments.js"
SITE = "http://testserver"


def assert_is_harmless(client: Client, path: str, framed_by: str = "'none'") -> bytes:
    response = client.get(path)
    assert (response.status_code, dict(response.cookies)) == (200, {})
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert f"frame-ancestors {framed_by}" in policy
    assert "unsafe" not in policy
    assert not [block for _, block in INLINE_BLOCK.findall(response.content) if block]
    assert not re.search(rb'<style| style=| on[a-z]+="', response.content)
    assert client.post(path).status_code == 405
    return response.content


@pytest.mark.parametrize("path", ["/rules", "/about", "/privacy", "/accessibility"])
def test_paper_pages_are_harmless_and_need_no_database(client: Client, path: str) -> None:
    """Without the django_db mark, a database query fails this test."""
    assert set(re.findall(rb'src="([^"]+)"', assert_is_harmless(client, path))) <= {PRINT, TIMES}


@pytest.mark.django_db
def test_report_and_cup_board_are_harmless(client: Client, box: BallotBox) -> None:
    match = start(box).match
    play(match, box, RED_WINS)
    page = assert_is_harmless(client, f"/report/{match.event.code}/1")
    assert set(re.findall(rb'src="([^"]+)"', page)) == {b"/static/paper/replay.js", PRINT}
    for path in (f"/report/{match.event.code}/1.csv", f"/record/{match.event.code}/1.json"):
        assert client.post(path).status_code == 405
    cup = create_cup(organizer(), "Spring cup", ("4a", "4b"))
    assert_is_harmless(client, f"/cup/{cup.code}", "'self'")
    assert_is_harmless(client, f"/stage/{cup.code}")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        *("/report/ZZZZ/1", "/report/ZZZZ/1.csv", "/report/ZZZZ/999999999999999999999", "/report/CODE/1"),
        *("/record/ZZZZ/1.json", "/record/CODE/1.json", "/record/CODE/x.json"),
        *("/board/ZZZZ.png", "/board/CODE/1.png"),
        *("/cup/ZZZZZ", "/cup/CODE", "/cup/", "/cup/ÄÄÄÄÄ"),
        "/privacy/ZZZZ",
        *("/chat/ZZZZ", "/chat/CODE"),
    ],
)
def test_unknown_public_page_returns_404(path: str, client: Client) -> None:
    assert client.get(path.replace("CODE", new_event().code)).status_code == 404


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("/N6-TV", "/N6TV"),
        ("/N6%20TV)", "/N6TV"),
        ("/%2FN6TV.", "/N6TV"),
        ("/%EF%BC%AE6TV", "/N6TV"),
        ("/N6-TV/2", "/N6TV/2"),
        ("/N6\u2013TV?locale=ar", "/N6TV?locale=ar"),
        ("/display/N\u0666TV", "/display/N6TV"),
        ("/console/n6-tv/edit/", "/console/N6TV/edit/"),
        ("/report/N6TV./1", "/report/N6TV/1"),
    ],
)
def test_other_spelling_of_a_code_redirects_to_its_page(typed: str, address: str, client: Client) -> None:
    response = client.get(typed)
    assert (response.status_code, response.headers["Location"]) == (302, address)


@pytest.mark.parametrize("path", ["/N6-TV/3", "/nothing/N6-TV", "/N6.TV/../console", "/n6-t", "/\\N6TV.evil"])
def test_unknown_path_with_a_code_returns_404(path: str, client: Client) -> None:
    page = client.get(path)
    assert (page.status_code, b'<form class="panel" action="/play/go">' in page.content) == (404, True)


@pytest.mark.django_db
def test_privacy_page_names_only_what_the_settings_store(client: Client, settings: Settings) -> None:
    settings.RETENTION_DAYS, settings.EMAIL_ENABLED, settings.OIDC_NAME = 7, False, ""
    without = client.get("/privacy").content.decode()
    settings.RETENTION_DAYS, settings.EMAIL_ENABLED, settings.OIDC_NAME = 1, True, "School of Rock"
    complete = client.get("/privacy").content.decode()
    for text in ("School of Rock", "“your turn” messages", "mail server", "<strong>1 day</strong>"):
        assert (text in without, text in complete) == (False, True), text
    for text in ("sends no e-mail", "<strong>7 days</strong>"):
        assert (text in without, text in complete) == (True, False), text
    links = re.findall(r'(?:href|src)="([^"]+)"', complete)
    assert all(link.startswith(("/", "?", "data:")) for link in links)
    login = client.get("/console/login/").content.decode()
    assert 'href="/privacy"' in login
    assert 'href="/accessibility"' in login


@pytest.mark.django_db
def test_privacy_page_of_an_event_shows_what_voters_agree_to(client: Client, box: BallotBox) -> None:
    event = new_event(consent="We take pictures.\nAsk <Ada>.")
    path = f"/privacy/{event.code}"

    def texts() -> tuple[bool, bool]:
        page = assert_is_harmless(client, path).decode()
        quoted = '<blockquote dir="auto">We take pictures.<br>Ask &lt;Ada&gt;.</blockquote>' in page
        assert bool(load_snapshot(Event.objects.get()).consent) is quoted, "phones show the same"
        return quoted, "do not go into a study" in page

    assert texts() == (True, True)
    match = start_match(event.pk, box)
    Event.objects.update(consent="", in_study=False)
    assert texts() == (True, True)
    end_match(match, "draw", "board", box.now())
    assert texts() == (False, True)
    assert "ask for no further consent" in client.get(path).content.decode()
    match = start_match(event.pk, box)
    Event.objects.update(consent="We take pictures.\nAsk <Ada>.", in_study=True)
    assert texts() == (False, True)
    end_match(match, "draw", "board", box.now())
    assert texts() == (True, False)


@pytest.fixture
def embedded(db: None) -> Event:
    return new_event(embed_sites="https://school.example")


def ask(url: str, **query: Any) -> Any:
    return Client().get("/oembed", {"url": url, **query})


@pytest.mark.parametrize(
    ("limits", "size"),
    [
        ({}, (960, 540)),
        ({"maxheight": "270"}, (480, 270)),
        ({"maxwidth": "640", "maxheight": "90"}, (160, 90)),
        ({"maxwidth": "2000"}, (960, 540)),
        ({"maxwidth": "0", "maxheight": "9" * 5_000}, (960, 540)),
        ({"maxwidth": "-1", "maxheight": "wide"}, (960, 540)),
    ],
)
def test_code_is_a_frame_of_the_size_asked_for(
    embedded: Event, limits: dict[str, str], size: tuple[int, int]
) -> None:
    Event.objects.filter(pk=embedded.pk).update(name='<b>"Gala"')
    for path in ("/{}", "/display/{}", "/embed/{}", "/embed/{}/?locale=de#top"):
        answer = ask(SITE + path.format(embedded.code.lower()), format="json", **limits)
        assert answer.headers["Content-Type"] == "application/json"
        shown = answer.json()
        assert (shown["version"], shown["type"], shown["title"]) == ("1.0", "rich", '<b>"Gala"')
        assert (shown["width"], shown["height"]) == size
        assert f'<iframe src="{SITE}/embed/{embedded.code}" ' in shown["html"]
        assert f'width="{size[0]}" height="{size[1]}"' in shown["html"]
        assert 'title="&lt;b&gt;&quot;Gala&quot;"' in shown["html"]


def test_only_pages_of_events_that_sites_may_embed_have_a_code_and_lead_to_it(embedded: Event) -> None:
    link = re.compile(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)">')
    (address,) = link.findall(Client().get(f"/follow/{embedded.code}").content.decode())
    assert Client().get(unescape(address).removeprefix(SITE)).json()["title"] == embedded.name
    unlisted = new_event()
    assert not link.search(Client().get(f"/follow/{unlisted.code}").content.decode())
    assert ask(f"{SITE}/{unlisted.code}").status_code == 404
    for url in ("", SITE, f"{SITE}/console/{embedded.code}", f"https://elsewhere.example/{embedded.code}"):
        assert ask(url).status_code == 404, url
    assert ask(f"{SITE}/{embedded.code}", format="xml").status_code == 501
