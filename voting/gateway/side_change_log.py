"""The side changes of the current match known to a gateway. Each voter receives only its own."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from voting.counting.side_changes import SideChange


@dataclass(slots=True, eq=False)
class SideChangeLog:
    """Side changes by voter in the match with id `match`, read up to database row `last`. Starts empty."""

    match: int = 0
    last: int = 0
    _by_voter: dict[str, dict[int, SideChange]] = field(default_factory=dict)

    def reset_for_match(self, match: int) -> None:
        """Clear the log if the match is another one."""
        if match != self.match:
            self.match, self.last = match, 0
            self._by_voter.clear()

    def advance(self, asked: int, last: int) -> None:
        """Advance the cursor from `asked`, where a read began, to `last`. Ignored if reset meanwhile."""
        if self.last == asked:
            self.last = last

    def invalidate(self) -> None:
        """Reset the cursor to read all rows again: taking a turn back rewrites the side changes after it."""
        self.last = 0

    def observe(self, side_changes: Iterable[SideChange]) -> set[str]:
        """Add side changes. Returns the voters with new or altered ones."""
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
