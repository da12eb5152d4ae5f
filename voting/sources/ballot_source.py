"""Ballot sources, whose ballots don't come from phones but are cast, sealed and published like all others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from games.engine.game import Game, Side


class Choice(NamedTuple):
    """What an account of a source chooses. It has one ballot: that with the highest `sequence`."""

    account: str
    choice: int
    sequence: int = 1


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """An open turn in which a source votes for `side`.

    `state` is the game's, before the turn. `seed` is the turn's. Both may contain what nobody is to know
    before the reveal, so a source sends them nowhere.
    """

    id: int
    side: Side
    legal: tuple[int, ...]
    game: Game[Any]
    state: Any
    seed: str
    opens_at: int
    closes_at: int


@runtime_checkable
class BallotSource(Protocol):
    """`addresses` are what an organizer can choose, with labels in English.

    A source that votes `once` is not asked again after its ballots have been cast.
    """

    @property
    def slug(self) -> str:
        """The part of a team's source before the colon; the name of the entry point."""

    @property
    def addresses(self) -> Mapping[str, str]:
        """The parts after the colon."""

    @property
    def once(self) -> bool:
        """Whether the first answer to a turn is complete."""

    def choices(self, address: str, turn: SourceTurn) -> Iterable[Choice]:
        """Return the choices so far. Called about once a second while the window is open.

        The same account and sequence must always have the same choice, because a call is repeated after a
        crash. Illegal choices are ignored. Return at once: turns of other events wait.
        """


@runtime_checkable
class TypedSource(BallotSource, Protocol):
    """A ballot source whose address an organizer types, such as a channel. It has no `addresses`."""

    @property
    def label(self) -> str:
        """The name of the source, in English."""

    @property
    def address_error(self) -> str:
        """What to type instead of a wrong address, in English."""

    def parse_address(self, typed: str) -> str | None:
        """Return the address as it is stored; None if it is wrong. Returns a stored address unchanged."""
