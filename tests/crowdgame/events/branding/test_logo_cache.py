"""Logos from memory, ahead of Django."""

import asyncio
from typing import Any

import pytest

from crowdgame.events.branding import logo_cache
from crowdgame.events.branding.logo_cache import cache_logos

PATH = "/brand/0123abcd.webp"


def site(status: int = 200) -> tuple[Any, list[Any]]:
    """A site behind the cache that answers with its path, and the scopes with which it was called."""
    scopes: list[Any] = []

    async def answer(scope: Any, _receive: Any, send: Any) -> None:
        scopes.append(scope)
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})

    return cache_logos(answer), scopes


def fetch_all(application: Any, *paths: str, method: str = "GET") -> list[tuple[int, bytes]]:
    async def fetch(path: str) -> tuple[int, bytes]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        request = {"path": path, "method": method, "headers": [(b"cookie", b"a=b")]}
        await application(request | {"query_string": b"locale=de"}, None, send)
        return sent[0]["status"], sent[1]["body"]

    async def run() -> list[tuple[int, bytes]]:
        return await asyncio.gather(*map(fetch, paths))

    return asyncio.run(run())


def test_lobby_costs_one_request_to_django() -> None:
    cached, scopes = site()
    assert fetch_all(cached, *[PATH] * 100) == [(200, PATH.encode())] * 100
    (scope,) = scopes
    assert (scope["headers"], scope["query_string"]) == ([], b""), "the answer is one for everybody"


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [("/brand/x.webp", "GET", 200), ("/brand/ab", "GET", 200), (PATH, "HEAD", 200), (PATH, "GET", 404)],
)
def test_other_requests_and_missing_logos_are_not_cached(path: str, method: str, status: int) -> None:
    cached, scopes = site(status)
    assert fetch_all(cached, path, path, method=method) == [(status, path.encode())] * 2
    assert len(scopes) == 2


def test_few_logos_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logo_cache, "CACHE_SIZE", 2)
    cached, scopes = site()
    names = [f"/brand/{number}.webp" for number in (1, 2, 3, 3, 2, 1)]
    for name in names:
        fetch_all(cached, name)
    assert [scope["path"] for scope in scopes] == [names[0], names[1], names[2], names[0]]
