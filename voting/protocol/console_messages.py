"""Messages to consoles only."""

from typing import Literal

import msgspec

from voting.counting.types import Count
from voting.protocol.fields import Id, TeamNumber
from voting.protocol.snapshot import (
    AuditEntry,
)


class AuditUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="audit.updated"):
    """Audit log entries that are new, or that replace those with the same `id`.

    Sent to every console of the event within about a second, without a `seq`.

    Attributes:
        entries: The entries, newest first.
    """

    entries: tuple[AuditEntry, ...]


class ActionDone(msgspec.Struct, frozen=True, kw_only=True, tag="action.done"):
    """The action was performed.

    Attributes:
        id: As sent.
    """

    id: Id


class ActionRefused(msgspec.Struct, frozen=True, kw_only=True, tag="action.refused"):
    """The action was refused. Nothing changed.

    Attributes:
        id: As sent.
        text: The reason, as text to show.
    """

    id: Id
    text: str


NicknameStatus = Literal["none", "waiting", "allowed", "removed"]
"""Whether others see a nickname.

Values:
    none: There is none.
    waiting: Not yet: an organizer has to allow it.
    allowed: They can.
    removed: No, an organizer removed it.
"""


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Someone on the class list, a restricted voter, or a voter who has joined.

    Attributes:
        voter_code: The six letters the phone shows.
        name: Name on the class list, or empty.
        team: Team on the class list, or of the seat.
        moved: The team an organizer moved this person to.
        banned: Whether the person is banned.
        removed: Whether an organizer removed this person, who has not rejoined.
        connected: Whether a phone with this code is connected.
        voted: Whether there is a ballot of this person in the open turn. Null if the team has no vote now.
        nickname: The nickname that the person chose, or empty.
        nickname_status: Who sees it.
    """

    voter_code: str
    name: str
    team: TeamNumber | None
    moved: TeamNumber | None
    banned: bool
    removed: bool
    connected: bool
    voted: bool | None
    nickname: str = ""
    nickname_status: NicknameStatus = "none"


class PeopleFound(msgspec.Struct, frozen=True, kw_only=True, tag="people.found"):
    """Answer to `people.ask`.

    Attributes:
        id: As sent.
        people: About 50 results: restricted voters first, then by name, then connected phones in no order. It
            may be fewer, as one page searches a limited number of phones.
        more: `after` for the next page. Empty: there are no more.
    """

    id: Count
    people: tuple[Person, ...]
    more: str


class RehearsalUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="rehearsal.updated"):
    """Progress of the simulated crowd. Sent to consoles about once a second, and once at the end.

    The rehearsal ends with its match, after half an hour, or a minute after the last console closes.

    Attributes:
        phones: Size of the crowd.
        connected: Phones that have joined.
        sent: Ballots cast.
        acknowledged: Ballots counted.
        lost: Ballots without an answer, or missing from the tally.
        ack_p99_ms: 99th percentile from ballot to answer, in milliseconds.
        reveal_p99_ms: 99th percentile from deadline to reveal, in milliseconds.
        running: Whether the rehearsal continues.
    """

    phones: Count
    connected: Count
    sent: Count
    acknowledged: Count
    lost: Count
    ack_p99_ms: Count | None
    reveal_p99_ms: Count | None
    running: bool
