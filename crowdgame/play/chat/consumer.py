"""The chat's WebSocket consumer. It delivers messages, and takes the suggestions of voters."""

from typing import ClassVar

from crowdgame.play.chat.chat_hub import chat_hub, in_chat_thread
from crowdgame.play.chat.reader_keys import read_reader_key
from crowdgame.play.chat.rooms import load_team_update
from crowdgame.play.chat.suggestions import answer_voter
from voting import protocol
from voting.admission.seats import read_seat
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway.gateway import gateway
from voting.gateway.socket import CloseSocket, Handling, SocketConsumer
from voting.protocol import ChatJoin, CloseCode, SuggestionMark, SuggestionSend

FULL_RETRY_MS = 15_000


class ChatConsumer(SocketConsumer):
    """A socket that reads one chat room."""

    kind: ClassVar = "chat"
    messages: ClassVar = protocol.ChatMessage
    _room_id: int | None = None

    def leave(self) -> None:
        if self._room_id is not None:
            chat_hub().leave(self, self._room_id)

    def dispatch(self, message: ChatJoin | SuggestionSend | SuggestionMark) -> Handling | None:
        if not isinstance(message, ChatJoin):
            return self._answer(message)
        if self._room_id is not None:
            self.send(protocol.Error(code="joined_already", text="one join per socket"))
            return None
        self.active_gateway()
        return self._enter_chat(message)

    async def _enter_chat(self, message: ChatJoin) -> None:
        """Become a listener. Raises CloseSocket."""
        hub = chat_hub()
        self.seat, reader = read_seat(message.key), read_reader_key(message.key)
        if self.seat is None and reader is None:
            raise CloseSocket(CloseCode.BAD_TOKEN)
        if hub.is_full:
            raise CloseSocket(CloseCode.CROWDED, FULL_RETRY_MS)
        try:
            if reader:
                news = await hub.news(reader.slug, message.seq)
            else:
                news = await in_chat_thread(load_team_update)(self.seat)
        except DATABASE_ERRORS:
            raise CloseSocket(CloseCode.UNAVAILABLE) from None
        who = reader.guest if reader else self.seat
        if news is None or not news.may_read(who):
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        self._room_id = news.room
        hub.enter(self, who, news)
        if self.seat:
            await self._answer(None)

    async def _answer(self, message: SuggestionSend | SuggestionMark | None) -> None:
        """Handle a voter's message and answer it. Raises CloseSocket."""
        if self.seat is None or self._room_id is None:
            self.send(protocol.Error(code="not_joined", text="join first"))
            return
        try:
            answer = await in_chat_thread(answer_voter)(self.seat, message, gateway().now())
        except DATABASE_ERRORS:
            raise CloseSocket(CloseCode.UNAVAILABLE) from None
        if answer is None:
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        self.send(answer)
