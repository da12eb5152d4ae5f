"""Settings of events and matches with a fixed set of values, as on the wire and in the database."""

from enum import StrEnum
from typing import Self

from games.engine.texts import gettext_noop

# Where a team's ballots come from, besides the ballot sources of third parties (`voting.sources`).
PHONES, HANDS, BOT, TWITCH, DISCORD = "phones", "hands", "bot", "twitch", "discord"
CHATS = TWITCH, DISCORD
MAX_SHARDS = 16


class LabeledEnum(StrEnum):
    """Strings with a label for forms, in English."""

    label: str

    def __new__(cls, value: str, label: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label or value.capitalize()
        return member

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        """Return the values with their labels in English, as a Django field expects them."""
        return [(member.value, member.label) for member in cls]


class Lobby(LabeledEnum):
    """Whether new voters may join. A locked lobby keeps those who have a seat."""

    CLOSED = "closed", "Not open yet"
    OPEN = "open", "Open"
    LOCKED = "locked", "Joining locked"


class TeamChoice(LabeledEnum):
    """How a new voter gets a team."""

    BALANCE = "balance", gettext_noop("Even teams, automatically")
    CHOOSE = "choose", gettext_noop("Everyone chooses")
    LINK = "link", gettext_noop("A link for each team")


class Admission(LabeledEnum):
    """Requirements for new voters.

    Values:
        open: Nothing: every device may join.
        rotating: The code the display shows, which changes every 30 seconds.
        tickets: A ticket.
        roster: A code from the class list.
    """

    OPEN = "open", gettext_noop("Every device")
    ROTATING = "rotating", gettext_noop("Code on the big screen, changes every 30 seconds")
    TICKETS = "tickets", gettext_noop("Tickets: one code per phone")
    ROSTER = "roster", gettext_noop("Class list: one code per pupil")


class Pace(LabeledEnum):
    """How long reveals last. Special turns take longer than others.

    Values:
        instant: One second, without captions: for rehearsals and fast clocks.
        brisk: As short as its captions allow, without replays.
        normal: About six seconds if nothing special happens.
        dramatic: Half as long again as brisk.
    """

    INSTANT = "instant", gettext_noop("Result only")
    BRISK = "brisk", gettext_noop("Brisk")
    NORMAL = "normal", gettext_noop("Normal")
    DRAMATIC = "dramatic", gettext_noop("Dramatic")


class TieRule(LabeledEnum):
    """Rules for ties.

    Values:
        first: The choice whose count was complete first.
        lot: A random draw.
        captain: The captain's own ballot, otherwise a random draw.
    """

    FIRST = "first", gettext_noop("The column that had its votes first")
    LOT = "lot", gettext_noop("At random")
    CAPTAIN = "captain", gettext_noop("The captain's vote, otherwise at random")


class NoBallotRule(LabeledEnum):
    """Rules for a side without ballots.

    Values:
        random: A random legal choice is played.
        pass: The side doesn't move.
        forfeit: The side loses the match.
    """

    RANDOM = "random", gettext_noop("A random column that is not full")
    PASS = "pass", gettext_noop("No move")
    FORFEIT = "forfeit", gettext_noop("The team loses the match")


class ResignShare(LabeledEnum):
    """Share of a team's ballots in one turn that resigns the match.

    Values:
        half: Half of them.
        two_thirds: Two thirds.
        three_quarters: Three quarters.
        all: All of them.
    """

    HALF = "half", gettext_noop("Half of those who vote")
    TWO_THIRDS = "two_thirds", gettext_noop("Two thirds of those who vote")
    THREE_QUARTERS = "three_quarters", gettext_noop("Three quarters of those who vote")
    ALL = "all", gettext_noop("Everyone who votes")


class AnalysisTime(LabeledEnum):
    """When screens and the report show the analysis of a turn.

    Values:
        off: Never. The turns are not analyzed.
        match: Once the match is over.
        turn: As soon as the turn is analyzed, but never during a match with secret sides.
    """

    OFF = "off", gettext_noop("Never")
    MATCH = "match", gettext_noop("After the match")
    TURN = "turn", gettext_noop("After each turn")


class Nicknames(LabeledEnum):
    """Nicknames that voters can have.

    Values:
        off: None.
        suggested: One that the server suggests.
        typed: Also one that the voter types. Others see it once an organizer has allowed it.
    """

    OFF = "off", gettext_noop("No nicknames")
    SUGGESTED = "suggested", gettext_noop("Only suggested ones")
    TYPED = "typed", gettext_noop("Suggested ones, and others that you allow one by one")


class SpecialRule(LabeledEnum):
    """A rule that screens announce before the first turn.

    Values:
        secret_sides: Sides are secret, and voters may change theirs.
        single_selector: The token's holder picks first, in secret. The other side then votes in public.
        captains: Captains decide ties.
        resigning: A team can resign.
        time_banks: Each side has a clock for the whole match.
    """

    SECRET_SIDES = "secret_sides"  # noqa: S105
    SINGLE_SELECTOR = "single_selector"
    CAPTAINS = "captains"
    RESIGNING = "resigning"
    TIME_BANKS = "time_banks"


class MatchState(LabeledEnum):
    """Whether a match is being played.

    `ended` has a result. `aborted` was stopped by an organizer, or imported unfinished.
    """

    PLAYING = "playing"
    ENDED = "ended"
    ABORTED = "aborted"


class Ending(LabeledEnum):
    """How a match ended.

    Values:
        board: By the rules of the game.
        forfeit: A side had no ballots, and `no_ballot_rule` is `forfeit`.
        time: A side ran out of time.
        resign: A side resigned by its ballots.
        deserted: Everyone left a side in a match with secret sides.
        conceded: The player of a one-on-one game resigned. No ballot says so.
        agreed: Both teams, or the players of a one-on-one game, agreed to a draw.
    """

    BOARD = "board"
    FORFEIT = "forfeit"
    TIME = "time"
    RESIGN = "resign"
    DESERTED = "deserted"
    CONCEDED = "conceded"
    AGREED = "agreed"


class VoidReason(LabeledEnum):
    """Why a turn is void.

    `taken_back`: it was counted, and organizers or both players took it back. `superseded`: it was open when
    an earlier turn was taken back. `stopped`: it was open or concealed when the match was stopped.
    """

    TAKEN_BACK = "taken_back", "Taken back"
    SUPERSEDED = "superseded"
    STOPPED = "stopped"


class OfferKind(LabeledEnum):
    """What a player of a one-on-one game can offer to the other.

    Values:
        draw: The match ends in a draw.
        takeback: The last turn is voted again.
    """

    DRAW = "draw"
    TAKEBACK = "takeback"


class EndReason(LabeledEnum):
    """Why a match ended, as all screens say it. It follows from `Ending` and the last turn.

    Values:
        line: The winner has four in a row.
        holder: Both sides have four in a row. The winner held the initiative token.
        other: Both sides have four in a row. By the rules of this match, the token's holder loses.
        full: The board is full.
        game: By the rules of another game.
        forfeit: A side had no ballots, and `no_ballot_rule` is `forfeit`.
        time: A side ran out of time.
        resign: A side resigned by its ballots.
        deserted: Everyone left a side in a match with secret sides.
        conceded: The player of a one-on-one game resigned.
        agreed: Both teams, or the players of a one-on-one game, agreed to a draw.
    """

    LINE = "line", gettext_noop("Four in a row")
    HOLDER = "holder", gettext_noop("Both had four in a row; the winner held the token")
    OTHER = "other", gettext_noop("Both had four in a row; the loser held the token")
    FULL = "full", gettext_noop("Board full")
    GAME = "game", gettext_noop("Played to the end")
    FORFEIT = "forfeit", gettext_noop("No votes")
    TIME = "time", gettext_noop("Out of time")
    RESIGN = "resign", gettext_noop("Resigned")
    DESERTED = "deserted", gettext_noop("Everyone left")
    CONCEDED = "conceded", gettext_noop("Resigned")
    AGREED = "agreed", gettext_noop("Draw agreed")
