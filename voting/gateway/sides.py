"""Who changed over in the present match, as a gateway knows it: each voter is told its own."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from voting.counting.sides import Crossing


@dataclass(slots=True, eq=False)
class Sides:
    """Of the match of this id, up to row `last` of the database; a match begins with none."""

    match: int = 0
    last: int = 0
    _of_voter: dict[str, dict[int, Crossing]] = field(default_factory=dict)

    def begin(self, match: int) -> None:
        if match != self.match:
            self.match, self.last = match, 0
            self._of_voter.clear()

    def advance(self, asked: int, last: int) -> None:
        """What was read after row `asked` is known now, unless all is to be read anew since."""
        if self.last == asked:
            self.last = last

    def read_anew(self) -> None:
        """Rows have changed: with a turn taken back, who had changed over after it did so before it."""
        self.last = 0

    def learn(self, crossings: Iterable[Crossing]) -> set[str]:
        """The voters of whom something is new."""
        news = set()
        for crossing in crossings:
            own = self._of_voter.setdefault(crossing.voter, {})
            if own.get(crossing.number) != crossing:
                own[crossing.number] = crossing
                news.add(crossing.voter)
        return news

    def of(self, voter: str) -> list[Crossing]:
        own = self._of_voter.get(voter, {})
        return [own[number] for number in sorted(own)]
