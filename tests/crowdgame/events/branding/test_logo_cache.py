"""Logos from memory, ahead of Django."""

import asyncio
from typing import Any

import pytest

from crowdgame.events.branding import logo_cache
from crowdgame.events.branding.logo_cache import cache_logos

PATH = "/brand/0123abcd.webp"


class Site:
    """Answers with the status and the path as its body. Notes the scopes that it was called with."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.scopes: list[Any] = []

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})


async def fetch(application: Any, path: str = PATH, method: str = "GET") -> tuple[int, bytes]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"path": path, "method": method, "headers": [(b"cookie", b"a=b")], "query_string": b"locale=de"}
    await application(scope, None, send)
    return sent[0]["status"], sent[1]["body"]


def fetch_all(application: Any, *paths: str) -> list[tuple[int, bytes]]:
    async def run() -> list[tuple[int, bytes]]:
        return await asyncio.gather(*(fetch(application, path) for path in paths))

    return asyncio.run(run())


def test_lobby_costs_one_request_to_django() -> None:
    site = Site()
    assert fetch_all(cache_logos(site), *[PATH] * 100) == [(200, PATH.encode())] * 100
    (scope,) = site.scopes
    assert (scope["headers"], scope["query_string"]) == ([], b""), "the answer is one for everybody"


def test_missing_logo_is_asked_for_again() -> None:
    site = Site(404)
    assert fetch_all(cache_logos(site), PATH, PATH) == [(404, PATH.encode())] * 2
    assert len(site.scopes) == 2


@pytest.mark.parametrize(("path", "method"), [("/brand/x.webp", "GET"), ("/brand/ab", "GET"), (PATH, "HEAD")])
def test_other_requests_are_not_cached(path: str, method: str) -> None:
    site = Site()
    application = cache_logos(site)
    for _ in range(2):
        asyncio.run(fetch(application, path, method))
    assert len(site.scopes) == 2


def test_few_logos_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logo_cache, "CACHE_SIZE", 2)
    site = Site()
    application = cache_logos(site)
    names = [f"/brand/{number}.webp" for number in (1, 2, 3, 3, 2, 1)]
    for name in names:
        asyncio.run(fetch(application, name))
    assert [scope["path"] for scope in site.scopes] == [names[0], names[1], names[2], names[0]]
