"""The base class of voting methods, and their lookup by name.

By default there is one column on each ballot, and the column with the most votes wins.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import ClassVar, NamedTuple, Protocol

from voting.counting.ballots import (
    RESIGN,
    Columns,
    asks_for_draw,
    decode_columns,
    encode_ranking,
    encode_set,
    largest_set,
    resigns,
)
from voting.counting.ties import TieBreaker
from voting.counting.types import MAX_COLUMN

#: The votes of each column, column 1 first.
Counts = tuple[int, ...]

DEFAULT_METHOD = "plurality"
MAX_SAMPLED = 3


class UnknownMethod(Exception):
    """There is no voting method with this name; the message can be shown to users."""


class RandomNumbers(Protocol):
    """The part of `random.Random` that sample ballots need."""

    def randrange(self, stop: int, /) -> int: ...


class Pick(NamedTuple):
    """The column that wins, what decided it (a `Deciding`), and the counts of each round of a runoff."""

    column: int
    decided_by: str
    rounds: tuple[Counts, ...] = ()


class VotingMethod:
    """How a side's ballots become its pick.

    `name` is the value on the wire, in records and in the database. `decided_by` is that of a pick without a
    tie.

    Texts: `label` and `hint` are the choice in the event form. `meaning` and `decision` document `name` and
    `decided_by` in the message reference. `report` is a sentence of the match report, with {team} and {pick}.
    `caption` stands under the pick on the projector, and `rounds_caption` replaces it after several rounds of
    a runoff: one text, or the singular and plural of the number of ballots. They may contain the placeholders
    `%(count)s` (the ballots), `%(share)s` and `%(round)s`. Empty: the count explains itself.
    """

    name: ClassVar[str]
    decided_by: ClassVar[str]
    label: ClassVar[str]
    hint: ClassVar[str]
    meaning: ClassVar[str]
    decision: ClassVar[str]
    report: ClassVar[str] = ""
    caption: ClassVar[tuple[str, ...]] = ()
    rounds_caption: ClassVar[tuple[str, ...]] = ()

    #: Whether the counts alone decide, so that a small difference is a close call.
    counts_decide: ClassVar[bool] = True

    #: The most votes that one ballot can give a column.
    max_votes = 1

    #: The most columns that a ballot can tell apart.
    max_columns = MAX_COLUMN

    def decode(self, choice: int) -> Columns:
        """Return the columns of a ballot's choice, each as often as it gets a vote, or in order of rank."""
        return decode_columns(choice)

    def encode(self, columns: Columns) -> int:
        """Return the choice with these columns, without a wish."""
        return encode_ranking(columns)

    def encode_single(self, column: int) -> int:
        """Return the choice that gives a single column all that a ballot can give it."""
        return self.encode((column,) * self.max_votes)

    def allows(self, columns: Columns) -> bool:
        """Return whether a ballot may name these columns, if all are legal."""
        return len(columns) == 1

    def accepts(
        self, choice: int, legal: Collection[int], *, may_resign: bool, draw_offers: bool = False
    ) -> bool:
        """Return whether the choice can be counted and is encoded canonically.

        `legal` are the columns that the side may choose.
        """
        if 0 < choice <= MAX_COLUMN:
            return choice in legal
        if not 0 < choice < 3 * RESIGN or (resigns(choice) and not may_resign):
            return False
        if asks_for_draw(choice) and not draw_offers:
            return False
        columns = self.decode(choice)
        if not columns or not set(columns) <= set(legal) or not self.allows(columns):
            return False
        return choice % RESIGN == self.encode(columns)

    def counted(self, columns: Columns) -> Columns:
        """Return which columns of a ballot the counts include."""
        return columns

    def count(self, ballots: Iterable[tuple[Columns, int]], columns: int) -> Counts:
        """Count the votes for each column. `ballots` are the columns of a ballot, and how many are alike."""
        counts = [0] * columns
        for named, number in ballots:
            for column in self.counted(named):
                counts[column - 1] += number
        return tuple(counts)

    def pick(self, legal: Sequence[int], counts: Counts, breaker: TieBreaker) -> Pick:
        """Pick a column from the ballots `breaker.named`, of which there is at least one."""
        most = max(counts)
        leaders = [column for column in legal if counts[column - 1] == most]
        if len(leaders) == 1:
            return Pick(leaders[0], self.decided_by)
        return Pick(*breaker.pick_leader(leaders))

    def sample(self, choose: Callable[[], int], rng: RandomNumbers) -> int:
        """Return the choice of a simulated voter. `choose` draws a column that the voter likes."""
        return self.encode((choose(),))


class SetMethod(VotingMethod):
    """A method with sets of columns on the ballots, in which a column may get up to `max_votes` votes."""

    def __init__(self) -> None:
        self.max_columns = largest_set(self.max_votes)

    def decode(self, choice: int) -> Columns:
        return decode_columns(choice, self.max_votes)

    def encode(self, columns: Columns) -> int:
        return encode_set(columns, self.max_votes)

    def allows(self, columns: Columns) -> bool:
        return True

    def sample(self, choose: Callable[[], int], rng: RandomNumbers) -> int:
        return self.encode(sample_columns(choose, rng))


def sample_columns(choose: Callable[[], int], rng: RandomNumbers) -> Columns:
    """Draw one to MAX_SAMPLED different columns, the one that was drawn first in front."""
    first = choose()
    return tuple(dict.fromkeys([first, *(choose() for _ in range(rng.randrange(MAX_SAMPLED)))]))


#: All methods by name, the default one first. The package loads them.
METHODS: dict[str, VotingMethod] = {}


def find_method(name: str | None) -> VotingMethod:
    """Return the voting method with this name. None: the default method. Raises UnknownMethod."""
    method = METHODS.get(name or DEFAULT_METHOD)
    if method is None:
        raise UnknownMethod(f"There is no voting method “{name}”.")
    return method
