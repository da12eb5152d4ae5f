import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.voting.match_helpers import new_event
from voting.models import Event

pytestmark = pytest.mark.django_db
SITE = "http://testserver"


@pytest.fixture
def event() -> Event:
    return new_event(embed_sites="https://school.example")


def ask(url: str, **query: Any) -> Any:
    return Client().get("/oembed", {"url": url, **query})


@pytest.mark.parametrize("path", ["/{}", "/display/{}", "/embed/{}", "/embed/{}/?locale=de#top"])
def test_code_of_an_event_is_a_frame(event: Event, path: str) -> None:
    Event.objects.filter(pk=event.pk).update(name='<b>"Gala"')
    answer = ask(SITE + path.format(event.code.lower()), format="json")
    assert answer.headers["Content-Type"] == "application/json"
    shown = answer.json()
    assert (shown["version"], shown["type"], shown["title"]) == ("1.0", "rich", '<b>"Gala"')
    assert (shown["width"], shown["height"]) == (960, 540)
    assert f'<iframe src="{SITE}/embed/{event.code}" ' in shown["html"]
    assert 'title="&lt;b&gt;&quot;Gala&quot;"' in shown["html"]


@pytest.mark.parametrize(
    ("limits", "size"),
    [
        ({"maxheight": "270"}, (480, 270)),
        ({"maxwidth": "640", "maxheight": "90"}, (160, 90)),
        ({"maxwidth": "2000"}, (960, 540)),
        ({"maxwidth": "0", "maxheight": "9" * 5_000}, (960, 540)),
        ({"maxwidth": "-1", "maxheight": "wide"}, (960, 540)),
    ],
)
def test_frame_fits_the_size_asked_for(event: Event, limits: dict[str, str], size: tuple[int, int]) -> None:
    shown = ask(f"{SITE}/{event.code}", **limits).json()
    assert (shown["width"], shown["height"]) == size
    assert f'width="{size[0]}" height="{size[1]}"' in shown["html"]


def test_there_is_no_code_for_anything_else(event: Event) -> None:
    unlisted = new_event()
    assert ask(f"{SITE}/{unlisted.code}").status_code == 404
    for url in ("", SITE, f"{SITE}/console/{event.code}", f"https://elsewhere.example/{event.code}"):
        assert ask(url).status_code == 404, url
    assert ask(f"{SITE}/{event.code}", format="xml").status_code == 501


def test_story_page_leads_to_the_code_only_if_sites_may_embed(event: Event) -> None:
    link = re.compile(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)">')
    (address,) = link.findall(Client().get(f"/follow/{event.code}").content.decode())
    assert Client().get(unescape(address).removeprefix(SITE)).json()["title"] == event.name
    unlisted = new_event()
    assert not link.search(Client().get(f"/follow/{unlisted.code}").content.decode())
