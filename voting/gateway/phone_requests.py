"""Requests of a phone that may wait, each in a task of its own, so that ballots don't wait for them."""

import asyncio
import time
from dataclasses import replace
from typing import Protocol

import msgspec

from voting.admission.seats import Seat
from voting.gateway import hooks
from voting.gateway.drop_marks import mark_drop
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import gateway
from voting.gateway.voters import ConnectedVoter
from voting.metrics.metrics import count_refusal
from voting.protocol import (
    DropShow,
    DuelAsk,
    DuelRefusal,
    DuelRefused,
    NicknameAsk,
    ReceiptAsk,
    ReceiptIssued,
    RematchAsk,
)

Request = ReceiptAsk | DropShow | RematchAsk | DuelAsk | NicknameAsk
Task = asyncio.Task[None]
SECONDS_PER_NICKNAME, NICKNAME_BURST = 2.0, 10


class Phone(Protocol):
    voter: ConnectedVoter

    def send(self, message: msgspec.Struct) -> None: ...


class PhoneRequests:
    """The requests of one phone: at a time one receipt, rematch or action, one mark and one nickname."""

    __slots__ = ("_drop", "_nickname", "_nicknames_until", "_phone", "_request")

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._request: Task | None = None
        self._drop: Task | None = None
        self._nickname: Task | None = None
        self._nicknames_until = 0.0

    def cancel(self) -> None:
        for task in filter(None, (self._request, self._drop, self._nickname)):
            task.cancel()

    def handle(self, request: Request, room: EventRoom) -> None:
        if isinstance(request, ReceiptAsk):
            self._find_receipt(request.turn, room)
        elif isinstance(request, DropShow):
            self._mark_drop(request.turn, room)
        elif isinstance(request, RematchAsk):
            self._ask_for_rematch(room)
        elif isinstance(request, NicknameAsk):
            self._ask_for_nickname(request, room)
        else:
            self._act_in_duel(request, room)

    def _seat(self) -> Seat:
        return replace(self._phone.voter.seat, team=self._phone.voter.team)

    def _find_receipt(self, turn: int, room: EventRoom) -> None:
        """Send a receipt. A request for one that isn't in memory, during another, gets an empty receipt."""
        seat = self._seat()
        if _is_running(self._request):
            count_refusal("receipt")
            self._phone.send(ReceiptIssued(turn=turn, side=None))
        elif receipt := gateway().receipts.find_loaded(room, seat, turn):
            self._phone.send(receipt)
        else:
            self._request = asyncio.create_task(self._send_receipt(turn, seat, room))

    async def _send_receipt(self, turn: int, seat: Seat, room: EventRoom) -> None:
        self._phone.send(await gateway().receipts.find(room, seat, turn))

    def _mark_drop(self, turn: int, room: EventRoom) -> None:
        if not _is_running(self._drop):
            self._drop = asyncio.create_task(self._send_drop_answers(turn, room))

    async def _send_drop_answers(self, turn: int, room: EventRoom) -> None:
        voted = self._phone.voter.voted_in == room.turn_ref
        async for answer in mark_drop(room, self._seat(), turn, gateway().receipts, has_voted=voted):
            self._phone.send(answer)

    def _ask_for_rematch(self, room: EventRoom) -> None:
        """Call the rematch hooks. The result is announced to everyone in the event."""
        if room.state.rematch_wanted_by is not None and not _is_running(self._request):
            self._request = asyncio.create_task(_call_rematch_hooks(room.event_id, self._phone.voter.team))

    def _act_in_duel(self, request: DuelAsk, room: EventRoom) -> None:
        """Act as a player of a duel. Refused elsewhere."""
        if not room.state.is_duel or _is_running(self._request):
            code: DuelRefusal = "busy" if room.state.is_duel else "not_possible"
            self._phone.send(DuelRefused(action=request.action, code=code))
        else:
            self._request = asyncio.create_task(self._call_duel_hooks(request, room.event_id))

    async def _call_duel_hooks(self, request: DuelAsk, event_id: int) -> None:
        for hook in hooks.duel_requests:
            code = await hook(event_id, self._phone.voter.team, request.action, request.turn)
            if code is not None:
                self._phone.send(DuelRefused(action=request.action, code=code))

    def _ask_for_nickname(self, request: NicknameAsk, room: EventRoom) -> None:
        """Call the nickname hooks. Drops requests during one, or over the rate limit."""
        now = time.monotonic()
        until = max(self._nicknames_until, now) + SECONDS_PER_NICKNAME
        if not _is_running(self._nickname) and until <= now + NICKNAME_BURST * SECONDS_PER_NICKNAME:
            self._nicknames_until = until
            self._nickname = asyncio.create_task(self._call_nickname_hooks(request, room))

    async def _call_nickname_hooks(self, request: NicknameAsk, room: EventRoom) -> None:
        for hook in hooks.nickname_requests:
            self._phone.send(await hook(room.event_id, self._phone.voter.voter_code, request, room.now()))


def _is_running(task: Task | None) -> bool:
    return task is not None and not task.done()


async def _call_rematch_hooks(event_id: int, team: int) -> None:
    for hook in hooks.rematch_requests:
        await hook(event_id, team)
