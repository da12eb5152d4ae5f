"""What the server says to whoever comes in: the whole state, and what is the newcomer's own."""

from typing import Literal

import msgspec

from voting.counting.types import Count
from voting.protocol.client import Action
from voting.protocol.fields import Choice, Id, Key, TeamNumber, Time
from voting.protocol.state import EventState, Part


class AcceptedSideChange(msgspec.Struct, frozen=True, kw_only=True):
    """A voter plays for `team` from the turn of this number on."""

    turn: Id
    team: TeamNumber


class You(msgspec.Struct, frozen=True, kw_only=True):
    """A voter's own part of the snapshot: keep `token`, it is the seat.

    `choice`, `sequence` and `blind` are the ballot that counts. `choice` is None, and `sequence` the highest
    so far, where that ballot was cast for the other team, before its voter was moved. `voter_code` is what an
    organizer calls this seat by. `team` is the one this seat came in with, also where sides are secret:
    `side_changes` are what its voter did then, in this match.
    """

    token: str
    team: TeamNumber
    turn: Id | None = None
    choice: Choice | None = None
    sequence: Count = 0
    blind: str | None = None
    voter_code: str = ""
    side_changes: tuple[AcceptedSideChange, ...] = ()


class PagePreload(msgspec.Struct, frozen=True, kw_only=True):
    """What a phone's page comes with while people are there: it can show the board before its socket is open.

    `offer` is a seat for a newcomer, in `team`; it is taken by the first phone.join that says it, soon. None
    (and team 0) where a device is not enough, or people choose their team, or nobody is let in.
    """

    seq: Count
    state: EventState
    now_at: Time
    offer: str | None
    team: Count


class PhoneWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="phone.welcomed"):
    now_at: Time
    seq: Count
    you: You
    state: EventState


class DisplayWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="display.welcomed"):
    """`qr` are the rows of the join code's QR symbol, `1` a dark module, without quiet zone."""

    now_at: Time
    seq: Count
    join_url: str
    qr: tuple[str, ...]
    state: EventState


Role = Literal["owner", "cohost", "viewer"]


class Pressed(msgspec.Struct, frozen=True, kw_only=True):
    """A press in a control room, with what it was about. `match` is the number of the match it began."""

    action: Action
    turn: Id | None = None
    seconds: Count | None = None
    text: str | None = None
    part: Part | None = None
    team: TeamNumber | None = None
    voter_code: str | None = None
    match: Count | None = None


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What an organizer did: `what` is fit to be shown; `by` is a user name.

    `action` says of what kind it is: that of a press, or what was done on a page (`event.edit`). `undo` is
    what takes it back, as long as it still is so; None: nothing does. Only a press is `pressed`.
    """

    id: Id
    by: str
    action: str
    what: str
    at: Time
    pressed: Pressed | None = None
    undo: Pressed | None = None


class ConsoleWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="console.welcomed"):
    """`display_key` goes into the fragment of the link to the projector: `/display/CODE#KEY`.

    `audit` are the latest of all control rooms of the event, newest first.
    """

    now_at: Time
    seq: Count
    join_url: str
    state: EventState
    display_key: Key | None = None
    role: Role = "owner"
    audit: tuple[AuditEntry, ...] = ()
