"""The read-only socket of a display: a projector or a spectator's screen.

A display that joins with the projector key (display login) also shows the rotating join code.
"""

import asyncio
from typing import ClassVar

from django.conf import settings

from games.engine.terms import Admission
from voting import protocol
from voting.admission.admission import is_projector_key, rotating_code
from voting.admission.links import qr_rows
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway
from voting.gateway.socket import CloseSocket, Receive, SocketConsumer
from voting.protocol import CloseCode, DisplayJoin

MAX_DISPLAYS = 50
CROWDED_RETRY_MS = 15_000
POLL_S = 0.5


class DisplayConsumer(SocketConsumer):
    kind: ClassVar = "display"
    messages: ClassVar = protocol.DisplayMessage
    _codes_task: asyncio.Task[None] | None = None

    async def run(self, receive: Receive) -> None:
        try:
            await super().run(receive)
        finally:
            if self._codes_task:
                self._codes_task.cancel()

    async def join(self, message: DisplayJoin, room: EventRoom, gateway: Gateway) -> None:
        """Welcome a display. Raises CloseSocket (CROWDED) beyond MAX_DISPLAYS, or EVENT_PHONES in a duel."""
        most = settings.EVENT_PHONES if room.state.is_duel else MAX_DISPLAYS
        if len(room.screens) - len(room.consoles) >= most:
            raise CloseSocket(CloseCode.CROWDED, CROWDED_RETRY_MS)
        url = room.join_url(self.scope)
        room.screens.add(self)
        self.enter_room(
            room,
            protocol.DisplayWelcomed(
                now_at=gateway.now(), seq=room.seq, join_url=url, qr=qr_rows(url), state=room.state
            ),
        )
        if room.last_sent.open:
            self.write(room.last_sent.open)
        if is_projector_key(room.state.code, message.key):
            self._codes_task = asyncio.create_task(self._show_codes(room, gateway, url))

    async def handle_message(self, message: DisplayJoin, room: EventRoom) -> None:
        self.send(protocol.Error(code="joined_already", text="one join per socket"))

    async def _show_codes(self, room: EventRoom, gateway: Gateway, url: str) -> None:
        """Send each rotating code once, when its period starts.

        Polls every POLL_S, because an organizer can turn rotating codes on or off during the event.
        """
        shown = ""
        while True:
            code, until_at = rotating_code(room.state.code, gateway.now())
            if room.state.admission != Admission.ROTATING:
                shown = ""
            elif code != shown:
                shown = code
                with_code = f"{url}#{code}"
                self.send(
                    protocol.KeyShown(key=code, until_at=until_at, join_url=with_code, qr=qr_rows(with_code))
                )
            until_next_s = (until_at - gateway.now()) / 1000
            await asyncio.sleep(min(POLL_S, max(0.0, until_next_s) + 0.01))
