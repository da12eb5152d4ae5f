"""Extension points (hooks) of a gateway process. A feature registers itself when its module is imported."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.gateway.event_room import EventRoom
from voting.gateway.voters import Socket
from voting.protocol import DuelAction, DuelRefusal, NicknameAnswered, NicknameAsk

# Run as long as the gateway does. The process terminates if one raises.
background_tasks: list[Callable[[], Coroutine[Any, Any, None]]] = []

# Return further sockets, outside event rooms, to close gradually when the gateway drains.
drained_sockets: list[Callable[[], Iterable[Socket]]] = []

# Called with every heartbeat of a room. May raise redis.RedisError or OSError.
heartbeats: list[Callable[[AsyncBallotBox, EventRoom], Awaitable[None]]] = []

# Called with the event's id and the team of a phone that asks for a rematch.
rematch_requests: list[Callable[[int, int], Awaitable[None]]] = []

# Called with the event's id, the team of a phone, what its player asks for, and the turn it sees. Returns why
# that was refused, or None.
duel_requests: list[Callable[[int, int, DuelAction, int], Awaitable[DuelRefusal | None]]] = []

# Called with the event's id, the voter code of a phone, what it asks for, and the time in milliseconds.
nickname_requests: list[Callable[[int, str, NicknameAsk, int], Awaitable[NicknameAnswered]]] = []
