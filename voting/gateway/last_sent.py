"""What the sockets of an event know already."""

from dataclasses import dataclass, field

from voting import protocol


@dataclass(slots=True)
class LastSent:
    """The last frames of an event that this process's sockets were told.

    `turnout` is the one that screens know, `phones` the one that phones know, `teams` what each team knows of
    its own votes, `open` what screens know of an open vote; `rehearsal` is how a dry run fared.
    """

    turnout: str = ""
    phones: str = ""
    teams: dict[int, str] = field(default_factory=dict)
    open: str = ""
    rehearsal: protocol.RehearsalUpdated | None = None
