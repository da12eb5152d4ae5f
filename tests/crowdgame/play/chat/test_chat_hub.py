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

PLAYER, OTHER, WATCHER = 1, 2, 3
ACCESS = RoomAccess(RoomKind.WATCHERS, frozenset({PLAYER, OTHER}), over=True)


class Listener:
    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.ended: int | None = None

    def write(self, wire: bytes) -> None:
        self.frames.append(wire)

    def end(self, code: int, within_ms: int | None = None) -> None:
        self.ended = code


def news(seq: int, access: RoomAccess = ACCESS, room: int = 7) -> RoomUpdate:
    return RoomUpdate(room, protocol.ChatPosted(seq=seq, slow_s=2, closed=False, lines=()), access)


def stub_poll(monkeypatch: pytest.MonkeyPatch, *found: RoomUpdate) -> list[dict[int, int]]:
    """Make each poll return `found`; the result lists the sequence numbers known at each poll."""
    polled: list[dict[int, int]] = []

    async def poll(known: dict[int, int]) -> list[RoomUpdate]:
        polled.append(known)
        return list(found)

    monkeypatch.setattr(chat_hub_module, "in_chat_thread", lambda _: poll)
    return polled


def test_chat_hub_disconnects_listener_without_access(monkeypatch: pytest.MonkeyPatch) -> None:
    chat_hub, player, watcher = ChatHub(), Listener(), Listener()
    chat_hub.enter(player, PLAYER, news(1))
    chat_hub.enter(watcher, None, news(1))
    polled = stub_poll(monkeypatch, news(2, replace(ACCESS, over=False)))
    asyncio.run(chat_hub.poll())
    assert polled == [{7: 1}]
    assert (len(player.frames), player.ended) == (1, CloseCode.NOT_ALLOWED)
    assert (len(watcher.frames), watcher.ended) == (2, None)
    assert chat_hub.listeners() == [watcher]


def test_chat_hub_polls_from_lowest_known_seq_for_listeners_only(monkeypatch: pytest.MonkeyPatch) -> None:
    chat_hub, one, two = ChatHub(), Listener(), Listener()
    chat_hub.enter(one, WATCHER, news(5))
    chat_hub.enter(two, WATCHER, news(4))
    polled = stub_poll(monkeypatch)
    for listener in (one, two, two):
        chat_hub.leave(listener, 7)
        asyncio.run(chat_hub.poll())
    assert polled == [{7: 4}]


def test_chat_hub_is_full_at_listener_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    chat_hub = ChatHub()
    monkeypatch.setattr(chat_hub_module, "MAX_LISTENERS", 1)
    assert not chat_hub.is_full
    chat_hub.enter(Listener(), None, news(1))
    assert chat_hub.is_full


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
