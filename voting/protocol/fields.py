"""Field types of messages, with their limits."""

from typing import Annotated

from msgspec import Meta

MAX_FRAME_BYTES = 2048
MAX_RETRY_MS = 30_000
MAX_CHOICE = 3 * 2**30 - 1

Id = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Choice = Annotated[int, Meta(ge=1, le=MAX_CHOICE)]
Sequence = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Epoch = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Time = Annotated[int, Meta(ge=0, le=2**53 - 1)]
TeamNumber = Annotated[int, Meta(ge=1, le=2)]
Code = Annotated[str, Meta(min_length=1, max_length=16)]
Token = Annotated[str, Meta(min_length=1, max_length=256)]
ActionName = Annotated[str, Meta(max_length=24)]
Key = Annotated[str, Meta(min_length=1, max_length=64)]
Blind = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
