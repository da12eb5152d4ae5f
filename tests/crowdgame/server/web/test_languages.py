import pytest
from django.conf import settings
from django.test import Client
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info

from crowdgame.server.web.languages import connection_language

pytestmark = pytest.mark.django_db


def test_pages_are_in_the_language_of_the_browser(client: Client) -> None:
    page = client.get("/privacy", headers={"accept-language": "ar-EG,en;q=0.5"})
    assert '<html lang="ar" dir="rtl">' in page.content.decode()
    assert "Accept-Language" in page.headers["Vary"]
    assert "language" not in page.cookies
    assert get_language() == "en"


def test_the_menu_links_to_every_language_and_keeps_the_query(client: Client) -> None:
    page = client.get("/play/ratings?page=1").content.decode()
    for code, _name in settings.LANGUAGES:
        assert f'lang="{code}" hreflang="{code}" href="?page=1&amp;locale={code}"' in page
        assert f">{capfirst(get_language_info(code)['name_local'])}</a>" in page


def test_a_chosen_language_is_kept(client: Client) -> None:
    chosen = client.get("/rules?locale=de", headers={"accept-language": "fr"})
    assert '<html lang="de">' in chosen.content.decode()
    assert chosen.cookies["language"]["httponly"]
    assert '<html lang="de">' in client.get("/rules", headers={"accept-language": "fr"}).content.decode()


@pytest.mark.parametrize("tag", ["tlh", "", "../de", "de\r\nSet-Cookie: a=b"])
def test_unknown_languages_are_ignored(client: Client, tag: str) -> None:
    page = client.get("/rules", {"locale": tag}, headers={"accept-language": "fr"})
    assert '<html lang="fr">' in page.content.decode()
    assert "language" not in page.cookies


def test_the_admin_is_in_english(admin_client: Client) -> None:
    page = admin_client.get("/admin/?locale=de")
    assert page.headers["Content-Language"] == "en"
    assert page.cookies["language"].value == "de"


def test_a_socket_has_the_language_of_its_cookie_or_headers() -> None:
    scope = {"type": "websocket", "path": "/ws/console", "headers": [(b"accept-language", b"zh-CN,en;q=0.5")]}
    assert connection_language(scope) == "zh-hans"
    scope["headers"] = [*scope["headers"], (b"cookie", b"language=de")]
    assert connection_language(scope) == "de"
    assert connection_language({**scope, "headers": []}) == "en"
