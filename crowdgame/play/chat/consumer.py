"""The chat's WebSocket consumer. It delivers messages, and takes the suggestions of voters."""

from typing import ClassVar

from crowdgame.play.chat.chat_hub import chat_hub
from crowdgame.play.chat.reader_keys import read_reader_key
from crowdgame.play.chat.suggestions import VoterAnswer, VoterAsk
from voting import protocol
from voting.admission.seats import read_seat
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway.socket import CloseSocket, Handling, SocketConsumer
from voting.metrics.metrics import count_refusal
from voting.protocol import ChatJoin, CloseCode, SuggestionMark, SuggestionSend

FULL_RETRY_MS = 15_000
MAX_UNANSWERED = 3


class ChatConsumer(SocketConsumer):
    """A socket that reads one chat room."""

    kind: ClassVar = "chat"
    messages: ClassVar = protocol.ChatMessage
    _room_id: int | None = None
    has_left = False
    _unanswered = 0

    def leave(self) -> None:
        self.has_left = True
        if self._room_id is not None:
            chat_hub().leave(self, self._room_id)

    def dispatch(self, message: ChatJoin | SuggestionSend | SuggestionMark) -> Handling | None:
        if not isinstance(message, ChatJoin):
            self._ask(message)
            return None
        if self._room_id is not None or self.seat is not None:
            self.send(protocol.Error(code="joined_already", text="one join per socket"))
            return None
        self.active_gateway()
        if chat_hub().is_full:
            count_refusal("chat")
            raise CloseSocket(CloseCode.CROWDED, FULL_RETRY_MS)
        self.seat = read_seat(message.key)
        if self.seat is None:
            return self._enter_chat(message)
        chat_hub().ask(self, VoterAsk(self.seat))
        return None

    def _ask(self, message: SuggestionSend | SuggestionMark) -> None:
        """Handle a voter's message with the next poll. Drops those beyond MAX_UNANSWERED."""
        if self.seat is None or self._room_id is None:
            self.send(protocol.Error(code="not_joined", text="join first"))
        elif self._unanswered >= MAX_UNANSWERED:
            count_refusal("chat")
        else:
            self._unanswered += 1
            chat_hub().ask(self, VoterAsk(self.seat, message))

    def take_answer(self, ask: VoterAsk, answer: VoterAnswer | None) -> None:
        if self.has_left:
            return
        if answer is None:
            self.end(CloseCode.NOT_ALLOWED)
            self.leave()
            return
        if ask.message is None:
            self._room_id = answer.room.pk
            chat_hub().enter_team(self, ask.seat, answer.room.pk)
        else:
            self._unanswered -= 1
        self.send(answer.message)

    async def _enter_chat(self, message: ChatJoin) -> None:
        """Become a listener. Raises CloseSocket."""
        hub = chat_hub()
        reader = read_reader_key(message.key)
        if reader is None:
            raise CloseSocket(CloseCode.BAD_TOKEN)
        try:
            news = await hub.news(reader.slug, message.seq)
        except DATABASE_ERRORS:
            raise CloseSocket(CloseCode.UNAVAILABLE) from None
        if news is None or not news.may_read(reader.guest):
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        self._room_id = news.room
        hub.enter(self, reader.guest, news)
