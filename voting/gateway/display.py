"""The read-only socket of a display: a projector or a spectator's screen.

A display that joins with the projector key (display login) also shows the rotating join code. Displays
without it cannot displace it.
"""

import asyncio
from typing import Any, ClassVar

from django.conf import settings

from voting import protocol
from voting.admission.admission import is_projector_key, rotating_code, rotating_link_key
from voting.admission.links import qr_rows, team_qr_rows
from voting.gateway.event_room import EventRoom
from voting.gateway.room_sockets import DisplayPool
from voting.gateway.socket import Scope, SocketConsumer
from voting.metrics.metrics import count_refusal
from voting.protocol import CloseCode, DisplayJoin
from voting.terms import Admission

MAX_DISPLAYS = 50
CROWDED_RETRY_MS = 15_000
POLL_S = 0.5


def welcome_display(room: EventRoom, scope: Any) -> protocol.DisplayWelcomed:
    """The snapshot for a display that connects, or requests its page, with the ASGI `scope`."""
    url = room.join_url(scope)
    state: Any = room.encoded_state
    return protocol.DisplayWelcomed(
        now_at=room.now(),
        seq=room.seq,
        join_url=url,
        qr=qr_rows(url),
        team_qrs=team_qr_rows(url),
        state=state,
    )


class DisplayConsumer(SocketConsumer):
    kind: ClassVar = "display"
    messages: ClassVar = protocol.DisplayMessage
    _codes_task: asyncio.Task[None] | None = None

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._scope = scope

    def leave(self) -> None:
        super().leave()
        if self._codes_task:
            self._codes_task.cancel()

    async def join(self, message: DisplayJoin, room: EventRoom) -> None:
        """Welcome a display. Closes the oldest one beyond MAX_DISPLAYS.

        Beyond EVENT_PHONES if visitors watch: in a duel, or if sites may embed the event.
        Displays with the projector key, those without it, and the consoles' miniatures count apart.
        """
        url, state = room.join_url(self._scope), room.state
        has_key = is_projector_key(state.code, state.display_key_version, message.key)
        pool: DisplayPool = "open" if not has_key else "preview" if message.preview else "keyed"
        has_visitors = state.is_duel or bool(state.embed_sites)
        most = settings.EVENT_PHONES if has_visitors else MAX_DISPLAYS
        if oldest := room.sockets.add_display(self, most, pool):
            count_refusal("display")
            oldest.end(CloseCode.CROWDED, CROWDED_RETRY_MS)
        self.enter_room(room, welcome_display(room, self._scope))
        if room.last_sent.open:
            self.write(room.last_sent.open)
        if has_key:
            codes = self._show_codes(room, url, state.display_key_version)
            self._codes_task = asyncio.create_task(codes)

    def handle_joined(self, message: DisplayJoin, room: EventRoom) -> None:
        self.send(protocol.Error(code="joined_already", text="one join per socket"))

    async def _show_codes(self, room: EventRoom, url: str, key_version: int) -> None:
        """Send each rotating code once, when its period starts. Close the socket if its key is replaced.

        Polls every POLL_S, because an organizer can turn rotating codes on or off during the event.
        """
        shown = ""
        while room.state.display_key_version == key_version:
            now = room.now()
            code, until_at = rotating_code(room.state.code, now)
            if room.state.admission != Admission.ROTATING:
                shown = ""
            elif code != shown:
                shown = code
                link_key = rotating_link_key(room.state.code, now)
                with_code = f"{url}#{link_key}"
                self.send(
                    protocol.KeyShown(
                        key=code,
                        until_at=until_at,
                        join_url=with_code,
                        qr=qr_rows(with_code),
                        team_qrs=team_qr_rows(url, link_key),
                    )
                )
            until_next_s = (until_at - room.now()) / 1000
            await asyncio.sleep(min(POLL_S, max(0.0, until_next_s) + 0.01))
        room.sockets.remove(self)
        self.end(CloseCode.NOT_ALLOWED)
