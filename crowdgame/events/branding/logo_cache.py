"""Logos from memory, ahead of Django: all phones in a lobby load one at the same time."""

import asyncio
import re
from typing import Any
from weakref import WeakValueDictionary

from crowdgame.server.web.cached_pages import AsgiApplication
from crowdgame.server.web.cached_responses import CollectedResponse

LOGO_PATH = re.compile(r"/brand/[0-9a-f]{1,64}\.webp")
CACHE_SIZE = 32


def cache_logos(next_app: AsgiApplication) -> AsgiApplication:
    """Answer GET of LOGO_PATH from memory. Asks `next_app` once, whose answers other than 200 are sent on."""
    answers: dict[str, CollectedResponse] = {}
    locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def load(scope: Any, receive: Any) -> CollectedResponse:
        collected = CollectedResponse()
        # The answer must be one for everybody.
        await next_app({**scope, "headers": [], "query_string": b""}, receive, collected.collect)
        if collected.body is not None:
            while len(answers) >= CACHE_SIZE:
                answers.pop(next(iter(answers)))
            answers[scope["path"]] = collected
        return collected

    async def application(scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"]
        if scope["method"] != "GET" or LOGO_PATH.fullmatch(path) is None:
            await next_app(scope, receive, send)
            return
        async with locks.setdefault(path, asyncio.Lock()):
            found = answers.get(path) or await load(scope, receive)
        for message in found.messages:
            await send(message)

    return application
