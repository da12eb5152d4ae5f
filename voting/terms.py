"""Settings of events and matches with a fixed set of values, as on the wire and in the database."""

from enum import StrEnum
from typing import Self


class LabeledEnum(StrEnum):
    """Strings with a label for forms."""

    label: str

    def __new__(cls, value: str, label: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label or value.capitalize()
        return member

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        """Return the values with their labels, as a Django field expects them."""
        return [(member.value, member.label) for member in cls]


class Lobby(LabeledEnum):
    """Whether new voters may join. A locked lobby keeps those who have a seat."""

    CLOSED = "closed", "Not open yet"
    OPEN = "open", "Open"
    LOCKED = "locked", "Joining locked"


class TeamChoice(LabeledEnum):
    """How a new voter gets a team."""

    BALANCE = "balance", "Even teams, automatically"
    CHOOSE = "choose", "Everyone chooses"
    LINK = "link", "A link for each team"


class Admission(LabeledEnum):
    """Requirements for new voters.

    Values:
        open: Nothing: every device may join.
        rotating: The code the display shows, which changes every 30 seconds.
        tickets: A ticket.
        roster: A code from the class list.
    """

    OPEN = "open", "Every device"
    ROTATING = "rotating", "Projector's code, changes every 30 seconds"
    TICKETS = "tickets", "Tickets: one code per phone"
    ROSTER = "roster", "Class list: one code per pupil"


class Pace(LabeledEnum):
    """How long reveals last. Special turns take longer than others.

    Values:
        instant: One second, without captions: for rehearsals and fast clocks.
        brisk: As short as its captions allow, without replays.
        normal: About three seconds if nothing special happens.
        dramatic: Half as long again as brisk.
    """

    INSTANT = "instant", "Result only"
    BRISK = "brisk", "Brisk"
    NORMAL = "normal", "Normal"
    DRAMATIC = "dramatic", "Dramatic"


class TieRule(LabeledEnum):
    """Rules for ties.

    Values:
        first: The choice whose count was complete first.
        lot: A random draw.
        captain: The captain's own ballot, otherwise a random draw.
    """

    FIRST = "first", "The column that had its votes first"
    LOT = "lot", "At random"
    CAPTAIN = "captain", "The captain's vote, otherwise at random"


class NoBallotRule(LabeledEnum):
    """Rules for a side without ballots.

    Values:
        random: A random legal choice is played.
        pass: The side doesn't move.
        forfeit: The side loses the match.
    """

    RANDOM = "random", "A random legal column"
    PASS = "pass", "No move"
    FORFEIT = "forfeit", "The team loses the match"


class ResignShare(LabeledEnum):
    """Share of a team's ballots in one turn that resigns the match.

    Values:
        half: Half of them.
        two_thirds: Two thirds.
        three_quarters: Three quarters.
        all: All of them.
    """

    HALF = "half", "Half of those who vote"
    TWO_THIRDS = "two_thirds", "Two thirds of those who vote"
    THREE_QUARTERS = "three_quarters", "Three quarters of those who vote"
    ALL = "all", "Everyone who votes"


class MatchState(LabeledEnum):
    """Whether a match is being played."""

    PLAYING = "playing"
    ENDED = "ended"
    ABORTED = "aborted"


class Ending(LabeledEnum):
    """How a match ended.

    Values:
        board: By the rules of the game.
        forfeit: A side had no ballots, and `no_ballot_rule` is `forfeit`.
        time: A side ran out of time.
        resign: A side resigned.
        deserted: Everyone left a side in a match with secret sides.
    """

    BOARD = "board"
    FORFEIT = "forfeit"
    TIME = "time"
    RESIGN = "resign"
    DESERTED = "deserted"
