"""Somebody listens where guests talk. What they say themselves, they say by the page's form."""

from typing import ClassVar

from crowdgame.chat.chat_hub import chat_hub
from crowdgame.chat.keys import read_key
from voting import protocol
from voting.ballot_box.stores import DATABASE_AWAY
from voting.gateway.socket import CloseSocket, Receive, SocketConsumer
from voting.protocol import ChatJoin, CloseCode

FULL_RETRY_MS = 15_000


class ChatConsumer(SocketConsumer):
    kind: ClassVar = "chat"
    messages: ClassVar = protocol.ChatMessage
    _parlour: int | None = None

    async def converse(self, receive: Receive) -> None:
        try:
            await super().converse(receive)
        finally:
            if self._parlour is not None:
                chat_hub().leave(self, self._parlour)

    async def heed(self, message: ChatJoin) -> None:
        if self._parlour is not None:
            self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))
            return
        self.house()
        parlours = chat_hub()
        reader = read_key(message.key)
        if reader is None:
            raise CloseSocket(CloseCode.BAD_TOKEN)
        if parlours.is_full:
            raise CloseSocket(CloseCode.CROWDED, FULL_RETRY_MS)
        try:
            news = await parlours.news(reader.place, message.seq)
        except DATABASE_AWAY:
            raise CloseSocket(CloseCode.UNAVAILABLE) from None
        if news is None or not news.door.lets_in(reader.guest):
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        self._parlour = news.room
        parlours.enter(self, reader.guest, news)
