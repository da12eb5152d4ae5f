"""Snapshots: the server's answers to a join."""

from enum import StrEnum

import msgspec

from voting.counting.types import Count
from voting.protocol.fields import ActionName, Choice, Id, Key, TeamNumber, Time
from voting.protocol.state import EventState, Part


class AcceptedSideChange(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded change of side.

    Attributes:
        turn: Number of the first turn it applies to.
        team: The team the voter plays for from that turn on.
    """

    turn: Id
    team: TeamNumber


class You(msgspec.Struct, frozen=True, kw_only=True):
    """The voter's own part of a snapshot.

    Attributes:
        token: The seat. Store it, and never put it into a URL.
        team: The voter's team. It stays the same when the voter changes sides secretly.
        turn: The current turn, if the voter has a ballot in it.
        choice: That ballot. Null if it was cast for the other team, before the voter was moved.
        sequence: Its sequence. Continue from here.
        blind: Its blind.
        voter_code: Six letters by which organizers refer to this seat.
        side_changes: The voter's side changes in this match.
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
    """State embedded in a phone page, so that the board shows before the socket is open.

    The page ends with `<script type="application/json" id="preload">` and this object, if people of the event
    are connected to this gateway. `phone.welcomed` overrides it.

    Attributes:
        seq: `seq` of the state.
        state: As in `phone.welcomed`.
        now_at: When the page was rendered.
        offer: A seat for a new voter, to be sent in `phone.join`. Null if the event requires a key, lets
            people choose their team, or admits nobody.
        team: The offered seat's team, 0 without an offer.
    """

    seq: Count
    state: EventState
    now_at: Time
    offer: str | None
    team: Count


class PhoneWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="phone.welcomed"):
    """Snapshot for a phone. It always replaces the client's state, even if its `seq` is lower.

    Attributes:
        now_at: The server's time.
        seq: `seq` of the last change included in `state`.
        you: The voter's own part.
        state: The complete public state.
    """

    now_at: Time
    seq: Count
    you: You
    state: EventState


class DisplayWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="display.welcomed"):
    """Snapshot for a display.

    Attributes:
        now_at: The server's time.
        seq: As in `phone.welcomed`.
        join_url: The address to join.
        qr: Rows of its QR code, `1` for a dark module, without the quiet zone.
        team_qrs: QR codes of the links of team 1 and team 2, `join_url` followed by `/1` and `/2`. For
            events in which `team_choice` is `link`.
        state: The complete public state.
    """

    now_at: Time
    seq: Count
    join_url: str
    qr: tuple[str, ...]
    team_qrs: tuple[tuple[str, ...], tuple[str, ...]]
    state: EventState


class Role(StrEnum):
    """Role of an organizer at an event.

    Values:
        owner: Can do everything.
        cohost: Can run and rehearse the event.
        viewer: Can only watch.
    """

    OWNER = "owner"
    COHOST = "cohost"
    VIEWER = "viewer"


class Pressed(msgspec.Struct, frozen=True, kw_only=True):
    """An action with its arguments, as recorded in the audit log.

    Attributes:
        action: The [action](actions.md) that was performed.
        turn: As in `action.ask`, like the following fields.
        seconds: The time added or removed, or how long the message is shown.
        text: The message.
        part: The part hidden or shown.
        team: The team.
        voter_code: The voter.
        match: Number of the match that was started.
        successor: The new captain of the team that the voter left.
    """

    action: ActionName
    turn: Id | None = None
    seconds: Count | None = None
    text: str | None = None
    part: Part | None = None
    team: TeamNumber | None = None
    voter_code: str | None = None
    match: Count | None = None
    successor: str | None = None


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Something an organizer did.

    Attributes:
        id: Grows with every entry.
        by: Username.
        action: An [action](actions.md), or what was done on a page: `event.edit`, `member.add`,
            `member.change`, `member.remove`.
        what: The action as a sentence in the reader's language, with the name. It never mentions a choice.
        at: When it was done.
        pressed: The action. Null for what was done on a page.
        undo: The action that `action.undo` performs. Null if the entry can't be undone, or no longer.
        undone: Whether it was undone by `action.undo`.
    """

    id: Id
    by: str
    action: str
    what: str
    at: Time
    pressed: Pressed | None = None
    undo: ActionName | None = None
    undone: bool = False


class ConsoleWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="console.welcomed"):
    """Snapshot for a console.

    Attributes:
        now_at: The server's time.
        seq: As in `phone.welcomed`.
        join_url: The address to join.
        state: The complete public state.
        display_key: Display key, for the fragment of the link `/display/CODE#KEY`. Null for a viewer.
        role: The organizer's role. If it changes, the socket closes with 4004.
        audit: The last ten audit log entries, newest first.
    """

    now_at: Time
    seq: Count
    join_url: str
    state: EventState
    display_key: Key | None = None
    role: Role = Role.OWNER
    audit: tuple[AuditEntry, ...] = ()
