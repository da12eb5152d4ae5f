"""Who changed over in the present match, as a gateway knows it: each voter is told its own."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from voting.counting.side_changes import SideChange


@dataclass(slots=True, eq=False)
class SideChangeLog:
    """Of the match of this id, up to row `last` of the database; a match begins with none."""

    match: int = 0
    last: int = 0
    _by_voter: dict[str, dict[int, SideChange]] = field(default_factory=dict)

    def reset_for_match(self, match: int) -> None:
        if match != self.match:
            self.match, self.last = match, 0
            self._by_voter.clear()

    def advance(self, asked: int, last: int) -> None:
        """What was read after row `asked` is known now, unless all is to be read anew since."""
        if self.last == asked:
            self.last = last

    def invalidate(self) -> None:
        """Rows have changed: with a turn taken back, who had changed over after it did so before it."""
        self.last = 0

    def observe(self, side_changes: Iterable[SideChange]) -> set[str]:
        """The voters of whom something is new."""
        news = set()
        for side_change in side_changes:
            own = self._by_voter.setdefault(side_change.voter, {})
            if own.get(side_change.number) != side_change:
                own[side_change.number] = side_change
                news.add(side_change.voter)
        return news

    def changes_by(self, voter: str) -> list[SideChange]:
        own = self._by_voter.get(voter, {})
        return [own[number] for number in sorted(own)]
