"""Requests that wait for their turn ahead of Django, without a thread and without a database connection.

Each network has its own waiting line, and the networks take turns. So do the organizers who have logged in on
their device before. The organizers together get every second turn, so that neither they nor strangers can
take all.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from io import BytesIO
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.template.loader import render_to_string
from django.utils.translation import get_language_from_request, override

from crowdgame.server.config.networks import network_name
from crowdgame.server.web.cached_pages import AsgiApplication
from crowdgame.server.web.cached_responses import CachedResponse, secure_headers
from crowdgame.server.web.errors import BUSY_RETRY_S, ServerBusy
from crowdgame.server.web.waiting_lines import Turn, WaitingLines
from voting.metrics.metrics import RefusalKind, count_refusal

FindUser = Callable[[Any], str]

MAX_WAIT_S = 20.0
SLOW_S = 0.5
REFUSAL_DELAY_S = 1  # so that clients that retry at once do not take the processor time of others


class RequestTurns:
    """Admits `max_active` requests at a time. The lines of `known` devices and of `others` take turns.

    `find_known_user` returns the id of the organizer whose device sent a request, or an empty string. A known
    device without a place in its line waits in that of its network.
    A request that takes longer than SLOW_S passes its turn on, but at most `max_slow` do at a time.
    """

    def __init__(
        self,
        find_known_user: FindUser,
        max_active: int,
        known: WaitingLines,
        others: WaitingLines,
        max_slow: int = 0,
    ) -> None:
        self._find_known_user = find_known_user
        self._max_active = max_active
        self._active = 0
        self.slow_places = max_slow
        self._known = known
        self._others = others
        self._next_lines = deque([known, others])

    async def serve(
        self, application: AsgiApplication, scope: Any, receive: Any, send: Any, kind: RefusalKind = "page"
    ) -> None:
        """Serve the request when it is its turn. Without a place, respond with 503 and Retry-After.

        A server that cancels this, because the client has gone, does not cancel the application.
        """
        received = await _read_body(receive)
        if received[-1]["type"] == "http.disconnect":
            return
        gone = asyncio.ensure_future(receive())
        has_turn = False
        try:
            has_turn = await self._wait(scope, gone)
        except ServerBusy:
            count_refusal(kind)
            await asyncio.sleep(REFUSAL_DELAY_S)
            language = get_language_from_request(ASGIRequest(scope, BytesIO()))
            await _busy_response(language).send(scope, send)
        finally:
            if not has_turn:
                gone.cancel()
        if has_turn:
            await asyncio.shield(self._call(application, scope, received, gone, send))

    async def _call(
        self,
        application: AsgiApplication,
        scope: Any,
        received: deque[Any],
        gone: asyncio.Future[Any],
        send: Any,
    ) -> None:
        """Call the application with the body `received`, and release the turn.

        The turn ends with the first part of the response, so that a slow client does not keep it. Until then
        the application does not learn that the client has gone: Django would leave a thread that goes on.
        """
        turn = _OwnTurn(self)

        async def receive_again() -> Any:
            if received:
                return received.popleft()
            await turn.over.wait()
            return await gone

        async def send_on(message: Any) -> None:
            turn.end()
            await send(message)

        try:
            await application(scope, receive_again, send_on)
        finally:
            turn.end()
            gone.cancel()

    async def _wait(self, scope: Any, gone: asyncio.Future[Any]) -> bool:
        """Wait for a turn. The caller calls `release` after it.

        Returns False if the client is `gone` first. Raises ServerBusy after MAX_WAIT_S, or at once without a
        place.
        """
        if self._active < self._max_active:
            self._active += 1
            return True
        lines, key, turn = self._join_line(scope)
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
        for lines in tuple(self._next_lines):
            self._next_lines.rotate()
            if turn := lines.next():
                turn.set_result(None)
                return
        self._active -= 1

    def _join_line(self, scope: Any) -> tuple[WaitingLines, str, Turn]:
        if user_id := self._find_known_user(scope):
            with suppress(ServerBusy):
                return self._known, user_id, self._known.join(user_id)
        network = network_name((scope["client"] or [""])[0])
        return self._others, network, self._others.join(network)

    def _give_up(self, lines: WaitingLines, key: str, turn: Turn) -> None:
        lines.leave(key, turn)
        if turn.done() and turn.exception() is None:
            self.release()


class _OwnTurn:
    """The turn of one request, which ends once. A slow request takes a slow place instead, if one is free."""

    def __init__(self, turns: RequestTurns) -> None:
        self._turns = turns
        self._is_slow = False
        self._timer = asyncio.get_running_loop().call_later(SLOW_S, self._pass_on)
        self.over = asyncio.Event()

    def _pass_on(self) -> None:
        if self._turns.slow_places:
            self._turns.slow_places -= 1
            self._is_slow = True
            self._turns.release()
        else:
            self._timer = asyncio.get_running_loop().call_later(SLOW_S, self._pass_on)

    def end(self) -> None:
        if self.over.is_set():
            return
        self.over.set()
        self._timer.cancel()
        if self._is_slow:
            self._turns.slow_places += 1
        else:
            self._turns.release()


async def _read_body(receive: Any) -> deque[Any]:
    """Read the whole body first, so that a slow client takes no place."""
    received = deque([await receive()])
    while received[-1].get("more_body"):
        received.append(await receive())
    return received


@cache
def _busy_response(language: str) -> CachedResponse:
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",
        "Retry-After": str(BUSY_RETRY_S),
    }
    with override(language):
        page = render_to_string("503.html", {"busy": True})
    return CachedResponse(secure_headers(headers), page.encode(), None, 503)
