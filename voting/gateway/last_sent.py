"""The last frames sent to the sockets of an event room, to skip unchanged ones."""

from dataclasses import dataclass, field

from voting import protocol


@dataclass(slots=True)
class LastSent:
    """The last frames of an event that this process sent.

    Attributes:
        turnout: the turnout as screens know it.
        phones: the turnout as phones know it.
        teams: the interim counts each team's phones know.
        open: the interim counts of an open vote, as screens know them.
        rehearsal: the progress of a dry run, as consoles know it.
    """

    turnout: str = ""
    phones: str = ""
    teams: dict[int, str] = field(default_factory=dict)
    open: str = ""
    rehearsal: protocol.RehearsalUpdated | None = None
