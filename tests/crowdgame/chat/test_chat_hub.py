"""Whoever listens where guests talk hears what the door lets them hear, and is forgotten when they go."""

import asyncio
from dataclasses import replace

import pytest

from crowdgame.chat import chat_hub as house
from crowdgame.chat.chat_hub import ChatHub
from crowdgame.chat.models import RoomKind
from crowdgame.chat.rooms import News, RoomAccess
from voting import protocol
from voting.protocol import CloseCode

PLAYER, OTHER, WATCHER = 1, 2, 3
ACCESS = RoomAccess(RoomKind.WATCHERS, frozenset({PLAYER, OTHER}), over=True)


class Listener:
    def __init__(self) -> None:
        self.frames: list[str] = []
        self.ended: int | None = None

    def write(self, frame: str) -> None:
        self.frames.append(frame)

    def end(self, code: int, within_ms: int | None = None) -> None:
        self.ended = code


def news(seq: int, access: RoomAccess = ACCESS, room: int = 7) -> News:
    return News(room, protocol.ChatPosted(seq=seq, slow_s=2, closed=False, lines=()), access)


def looking(monkeypatch: pytest.MonkeyPatch, *found: News) -> list[dict[int, int]]:
    """The next look finds this; what was known at each look."""
    asked: list[dict[int, int]] = []

    async def poll(known: dict[int, int]) -> list[News]:
        asked.append(known)
        return list(found)

    monkeypatch.setattr(house, "in_chat_thread", lambda _: poll)
    return asked


def test_who_must_not_hear_any_more_is_sent_away_and_hears_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chat_hub, player, watcher = ChatHub(), Listener(), Listener()
    chat_hub.enter(player, PLAYER, news(1))
    chat_hub.enter(watcher, None, news(1))
    asked = looking(monkeypatch, news(2, replace(ACCESS, over=False)))
    asyncio.run(chat_hub.poll())
    assert asked == [{7: 1}]
    assert (len(player.frames), player.ended) == (1, CloseCode.NOT_ALLOWED)
    assert (len(watcher.frames), watcher.ended) == (2, None)
    assert chat_hub.listeners() == [watcher]


def test_nobody_asks_for_a_room_that_all_have_left(monkeypatch: pytest.MonkeyPatch) -> None:
    chat_hub, one, two = ChatHub(), Listener(), Listener()
    for listener in (one, two):
        chat_hub.enter(listener, WATCHER, news(1))
    asked = looking(monkeypatch)
    for listener in (one, two, two):
        chat_hub.leave(listener, 7)
        asyncio.run(chat_hub.poll())
    assert asked == [{7: 1}]


def test_who_knows_less_than_the_others_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    chat_hub = ChatHub()
    chat_hub.enter(Listener(), WATCHER, news(5))
    chat_hub.enter(Listener(), WATCHER, news(4))
    asked = looking(monkeypatch)
    asyncio.run(chat_hub.poll())
    assert asked == [{7: 4}]


def test_a_full_parlour_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    chat_hub = ChatHub()
    monkeypatch.setattr(house, "MOST_LISTENERS", 1)
    assert not chat_hub.is_full
    chat_hub.enter(Listener(), None, news(1))
    assert chat_hub.is_full


def test_all_who_come_with_the_same_knowledge_share_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    polls: list[tuple[str, int]] = []

    async def poll(place: str, seq: int) -> News:
        polls.append((place, seq))
        return news(seq)

    async def come() -> None:
        chat_hub = ChatHub()
        await asyncio.gather(*(chat_hub.news("lobby", seq) for seq in (1, 1, 2, 1)))

    monkeypatch.setattr(house, "in_chat_thread", lambda _: poll)
    asyncio.run(come())
    assert sorted(polls) == [("lobby", 1), ("lobby", 2)]
