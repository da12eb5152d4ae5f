"""The chat hub: listeners receive what their access allows and are dropped when they leave."""

import asyncio
from dataclasses import replace

import pytest

from crowdgame.play.chat import chat_hub as chat_hub_module
from crowdgame.play.chat.chat_hub import ChatHub
from crowdgame.play.chat.models import RoomKind
from crowdgame.play.chat.rooms import RoomAccess, RoomUpdate
from voting import protocol
from voting.protocol import CloseCode

PLAYER = 1
ACCESS = RoomAccess(RoomKind.WATCHERS, frozenset({PLAYER, 2}), over=True)


class Listener:
    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.ended: int | None = None

    def write(self, wire: bytes) -> None:
        self.frames.append(wire)

    def end(self, code: int, within_ms: int | None = None) -> None:
        self.ended = code


def news(seq: int, access: RoomAccess = ACCESS) -> RoomUpdate:
    return RoomUpdate(7, protocol.ChatPosted(seq=seq, slow_s=2, closed=False, lines=()), access)


def test_chat_hub_forwards_news_to_listeners_with_access_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """It polls from the lowest number that a listener knows, and not without listeners."""
    polled: list[dict[int, int]] = []

    async def poll(known: dict[int, int]) -> list[RoomUpdate]:
        polled.append(known)
        return [news(6, replace(ACCESS, over=False))]

    monkeypatch.setattr(chat_hub_module, "in_chat_thread", lambda _: poll)
    monkeypatch.setattr(chat_hub_module, "MAX_LISTENERS", 2)
    chat_hub, player, watcher = ChatHub(), Listener(), Listener()
    chat_hub.enter(player, PLAYER, news(5))
    assert not chat_hub.is_full
    chat_hub.enter(watcher, None, news(4))
    assert chat_hub.is_full
    asyncio.run(chat_hub.poll())
    assert (len(player.frames), player.ended) == (1, CloseCode.NOT_ALLOWED)
    assert (len(watcher.frames), watcher.ended) == (2, None)
    assert chat_hub.listeners() == [watcher]
    chat_hub.leave(watcher, 7)
    asyncio.run(chat_hub.poll())
    assert polled == [{7: 4}]


def test_chat_hub_shares_poll_between_equal_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    polls: list[int] = []

    async def poll(slug: str, seq: int) -> RoomUpdate:
        polls.append(seq)
        return news(seq)

    async def request_news() -> None:
        chat_hub = ChatHub()
        await asyncio.gather(*(chat_hub.news("lobby", seq) for seq in (1, 1, 2, 1)))

    monkeypatch.setattr(chat_hub_module, "in_chat_thread", lambda _: poll)
    asyncio.run(request_news())
    assert sorted(polls) == [1, 2]
