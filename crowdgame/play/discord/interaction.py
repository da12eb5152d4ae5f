"""Interactions that Discord sends: what the product reads of them, and their signature.

https://docs.discord.com/developers/interactions/overview describes both.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Meta

PING, MESSAGE_COMPONENT = 1, 3
EPHEMERAL = 64  # flag of a message that only one person sees
MAX_AGE_S = 300
EPOCH_MS = 1_420_070_400_000  # of Discord's ids, which contain a time

Id = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]


class User(msgspec.Struct, frozen=True):
    id: Id


class Member(msgspec.Struct, frozen=True):
    user: User


class Data(msgspec.Struct, frozen=True):
    """`custom_id` is that of the pressed button."""

    custom_id: str = ""


class Message(msgspec.Struct, frozen=True):
    flags: int = 0


class Interaction(msgspec.Struct, frozen=True):
    """A command or a pressed button. `member` presses it in a server, `user` in a direct message."""

    id: Id
    type: int
    data: Data = Data()
    member: Member | None = None
    user: User | None = None
    message: Message = Message()
    locale: Annotated[str, Meta(max_length=10)] = ""

    @property
    def user_id(self) -> str:
        user = self.member.user if self.member else self.user
        return user.id if user else ""

    @property
    def sent_at(self) -> int:
        """When Discord received it (Unix ms)."""
        return (int(self.id) >> 22) + EPOCH_MS

    @property
    def from_ephemeral(self) -> bool:
        """Whether the button belongs to a message that only this user sees."""
        return bool(self.message.flags & EPHEMERAL)


def is_signed(public_key: str, headers: Mapping[str, str], body: bytes, now: int) -> bool:
    """Return whether the application has signed the request in the last minutes. `now` is in Unix seconds."""
    timestamp = headers.get("X-Signature-Timestamp", "")
    try:
        if abs(now - int(timestamp)) > MAX_AGE_S:
            return False
        signature = bytes.fromhex(headers.get("X-Signature-Ed25519", ""))
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(signature, timestamp.encode() + body)
    except (ValueError, InvalidSignature):
        return False
    return True
