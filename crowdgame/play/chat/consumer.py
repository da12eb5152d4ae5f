"""The chat's WebSocket consumer. It only delivers messages; the page's form posts them."""

from typing import ClassVar

from crowdgame.play.chat.chat_hub import chat_hub
from crowdgame.play.chat.reader_keys import read_reader_key
from voting import protocol
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway.socket import CloseSocket, Handling, SocketConsumer
from voting.protocol import ChatJoin, CloseCode

FULL_RETRY_MS = 15_000


class ChatConsumer(SocketConsumer):
    """A socket that reads one chat room."""

    kind: ClassVar = "chat"
    messages: ClassVar = protocol.ChatMessage
    _room_id: int | None = None

    def leave(self) -> None:
        if self._room_id is not None:
            chat_hub().leave(self, self._room_id)

    def dispatch(self, message: ChatJoin) -> Handling | None:
        if self._room_id is not None:
            self.send(protocol.Error(code="joined_already", text="one join per socket"))
            return None
        self.active_gateway()
        return self._enter_chat(message)

    async def _enter_chat(self, message: ChatJoin) -> None:
        """Become a listener. Raises CloseSocket."""
        hub = chat_hub()
        reader = read_reader_key(message.key)
        if reader is None:
            raise CloseSocket(CloseCode.BAD_TOKEN)
        if hub.is_full:
            raise CloseSocket(CloseCode.CROWDED, FULL_RETRY_MS)
        try:
            news = await hub.news(reader.slug, message.seq)
        except DATABASE_ERRORS:
            raise CloseSocket(CloseCode.UNAVAILABLE) from None
        if news is None or not news.access.may_enter(reader.guest):
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        self._room_id = news.room
        hub.enter(self, reader.guest, news)
