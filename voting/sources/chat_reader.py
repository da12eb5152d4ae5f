"""The chat reader: one connection for the chats of all open turns, whose votes it casts."""

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import time

from voting.ballot_box.ballot_box import BallotBox
from voting.models import Turn
from voting.sources.chat_casting import cast_votes, chat_turns, turn_channels
from voting.sources.chat_connection import ChatConnection, ChatServer
from voting.sources.chat_lines import ChatVote, Line, read_vote
from voting.turns.retry_book import RetryBook

BUSY_S, IDLE_S = 0.1, 1.0  # between two steps, with and without an open turn
MAX_WAITING = 200_000  # votes, while Redis or the database is away


class ChatReader:
    """Casts the votes in the chats of all open turns.

    A second reader makes the same ballots, so that a crash of one loses no vote.
    """

    def __init__(self, box: BallotBox, server: ChatServer) -> None:
        self._box = box
        self._connection = ChatConnection(server, self._receive)
        self._waiting: deque[ChatVote] = deque(maxlen=MAX_WAITING)
        self._channels: frozenset[str] = frozenset()
        self._turns: dict[int, Turn] = {}
        self._book = RetryBook()

    async def run(self, stopped: threading.Event) -> None:
        """Read until `stopped` is set. Casts in a thread, because the database would block the connection."""
        loop, connecting = asyncio.get_running_loop(), None
        with ThreadPoolExecutor(1, "casting") as thread:
            while True:
                await loop.run_in_executor(thread, self.cast_waiting)
                if stopped.is_set():
                    break
                if self._channels and connecting is None:
                    connecting = asyncio.create_task(self._connection.run())
                self._connection.want(self._channels)
                await asyncio.sleep(BUSY_S if self._channels else IDLE_S)
        if connecting is not None:
            connecting.cancel()
            with suppress(asyncio.CancelledError):
                await connecting

    def _receive(self, line: Line) -> None:
        if vote := read_vote(line, round(time() * 1000)):
            self._waiting.append(vote)

    def cast_waiting(self) -> None:
        """Cast the votes so far. Those that must be tried again keep waiting, also if a store is away."""
        votes = [self._waiting.popleft() for _ in range(len(self._waiting))]
        again: dict[ChatVote, None] = {}
        self._book.slow = False  # a failure of the step before no longer counts
        if self._book.attempt("finding chats", self._find_turns):
            failed = self._book.run_each(
                "casting chat votes of turn", self._turns, lambda pk: again.update(self._cast(pk, votes))
            )
            channels = {channel for pk in failed for channel in turn_channels(self._turns[pk])}
            again.update(dict.fromkeys(vote for vote in votes if vote.channel in channels))
        else:
            again = dict.fromkeys(votes)
        self._waiting.extendleft(reversed(again))

    def _find_turns(self) -> None:
        self._turns = {turn.pk: turn for turn in chat_turns()}
        self._channels = frozenset(
            channel for turn in self._turns.values() for channel in turn_channels(turn)
        )

    def _cast(self, turn_id: int, votes: Sequence[ChatVote]) -> dict[ChatVote, None]:
        return dict.fromkeys(cast_votes(self._turns[turn_id], votes, self._box))


def run_chat_reader(server: ChatServer, stopped: threading.Event) -> None:
    """Read chats until `stopped` is set. Sets it at the end, so that no process goes on without a reader."""
    try:
        asyncio.run(ChatReader(BallotBox(), server).run(stopped))
    finally:
        stopped.set()
