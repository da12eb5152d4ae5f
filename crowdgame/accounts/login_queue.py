"""ASGI middleware in which logins wait for their turn, ahead of Django.

A waiting login holds no thread and no database connection, so a flood of logins leaves both to other pages.
Each network has its own waiting line, and the networks take turns. Devices on which an organizer has logged
in before are served first.
"""

import asyncio
from collections import deque
from functools import cache
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from crowdgame.accounts.known_devices import find_known_user
from crowdgame.accounts.waiting_lines import Turn, WaitingLines
from crowdgame.config.networks import network_name
from crowdgame.web.cached_pages import AsgiApplication
from crowdgame.web.cached_responses import CachedResponse, secure_headers
from crowdgame.web.errors import BUSY_RETRY_S, ServerBusy

MAX_ACTIVE = 2  # one hashes a password, another loads its page
PLACES, PLACES_PER_NETWORK = 128, 32
KNOWN_PLACES, PLACES_PER_ORGANIZER = 32, 4
MAX_WAIT_S = 20.0
REFUSAL_DELAY_S = 1  # so that clients that retry at once do not take the processor time of others
READING_METHODS = {"GET", "HEAD", "OPTIONS"}


class LoginQueue:
    """Admits MAX_ACTIVE logins at a time."""

    def __init__(self) -> None:
        self._active = 0
        self._known = WaitingLines(KNOWN_PLACES, PLACES_PER_ORGANIZER)
        self._others = WaitingLines(PLACES, PLACES_PER_NETWORK)

    async def wait(self, scope: Any, gone: asyncio.Future[Any]) -> bool:
        """Wait for a turn. The caller calls `release` after it.

        Returns False if the client is `gone` first. Raises ServerBusy after MAX_WAIT_S, or at once without a
        place.
        """
        if self._active < MAX_ACTIVE:
            self._active += 1
            return True
        lines, key = self._find_line(scope)
        turn = lines.join(key)
        try:
            await asyncio.wait({turn, gone}, timeout=MAX_WAIT_S, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._give_up(lines, key, turn)
            raise
        if turn.done():
            turn.result()
            return True
        lines.leave(key, turn)
        if not gone.done():
            raise ServerBusy
        return False

    def release(self) -> None:
        """Pass the turn on."""
        if turn := self._known.next() or self._others.next():
            turn.set_result(None)
        else:
            self._active -= 1

    def _find_line(self, scope: Any) -> tuple[WaitingLines, str]:
        if user_id := find_known_user(scope):
            return self._known, user_id
        return self._others, network_name((scope["client"] or [""])[0])

    def _give_up(self, lines: WaitingLines, key: str, turn: Turn) -> None:
        lines.leave(key, turn)
        if turn.done() and turn.exception() is None:
            self.release()


def queue_logins(next_app: AsgiApplication) -> AsgiApplication:
    """Let forms at LOGIN_PATHS wait for their turn. Without a place they get 503 and Retry-After."""
    queue = LoginQueue()

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] in READING_METHODS or not scope["path"].startswith(settings.LOGIN_PATHS):
            await next_app(scope, receive, send)
            return
        received = await _read_body(receive)
        if received[-1]["type"] == "http.disconnect":
            return
        gone = asyncio.ensure_future(receive())

        async def receive_again() -> Any:
            return received.popleft() if received else await gone

        try:
            if await queue.wait(scope, gone):
                try:
                    await next_app(scope, receive_again, send)
                finally:
                    queue.release()
        except ServerBusy:
            await asyncio.sleep(REFUSAL_DELAY_S)
            await _busy_response().send(scope, send)
        finally:
            gone.cancel()

    return application


async def _read_body(receive: Any) -> deque[Any]:
    """Read the whole body first, so that a slow client takes no place."""
    received = deque([await receive()])
    while received[-1].get("more_body"):
        received.append(await receive())
    return received


@cache
def _busy_response() -> CachedResponse:
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",
        "Retry-After": str(BUSY_RETRY_S),
    }
    page = render_to_string("503.html", {"busy": True}).encode()
    return CachedResponse(secure_headers(headers), page, None, 503)
