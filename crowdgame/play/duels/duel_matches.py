"""The matches of duels and their turns, for lists of many duels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from crowdgame.play.duels.models import Duel
from games.engine.game import SIDES
from voting.models import Match, StoredBallot, Turn
from voting.terms import MatchState

HAS_STORED_BALLOT = {
    f"{side}_stored": Exists(StoredBallot.objects.filter(turn=OuterRef("pk"), side=side)) for side in SIDES
}


class FinishedGame(NamedTuple):
    """A finished match of a duel. `winner` is a name, empty after a draw."""

    number: int
    winner: str


class DuelMatches(NamedTuple):
    """The matches of each duel by event, the latest last, and the turns of those that lists show.

    Turns are by the match's primary key.
    """

    by_event: Mapping[int, list[Match]]
    turns: Mapping[int, list[Turn]]

    def latest(self, duel: Duel) -> Match | None:
        matches = self.by_event.get(duel.event_id)
        return matches[-1] if matches else None

    def latest_ended(self, duel: Duel) -> Match | None:
        return _last_ended(self.by_event.get(duel.event_id, ()))

    def ended_numbers(self, duel: Duel) -> list[int]:
        matches = self.by_event.get(duel.event_id, ())
        return [match.number for match in matches if match.state == MatchState.ENDED]


def _last_ended(matches: Iterable[Match]) -> Match | None:
    ended = [match for match in matches if match.state == MatchState.ENDED]
    return ended[-1] if ended else None


def load_matches(duels: Iterable[Duel]) -> DuelMatches:
    """Load the matches of these duels, and the turns of each one's latest and latest finished match."""
    events = {duel.event_id for duel in duels}
    matches: dict[int, list[Match]] = {}
    for match in Match.objects.filter(event__in=events).select_related("red", "yellow").order_by("number"):
        matches.setdefault(match.event_id, []).append(match)
    shown = {match for played in matches.values() for match in (played[-1], _last_ended(played)) if match}
    return DuelMatches(matches, load_turns(shown) if shown else {})


def list_series(matches: Sequence[Match]) -> list[FinishedGame]:
    """Return a duel's finished matches, or none if it has only one match."""
    games = [
        FinishedGame(
            match.number, str({"red": match.red, "yellow": match.yellow}.get(match.result or "", ""))
        )
        for match in matches
        if match.state == MatchState.ENDED
    ]
    return games if len(matches) > 1 else []


def load_turns(matches: Iterable[Match]) -> dict[int, list[Turn]]:
    turns: dict[int, list[Turn]] = {match.pk: [] for match in matches}
    for turn in Turn.objects.filter(match__in=turns).annotate(**HAS_STORED_BALLOT).order_by("number"):
        turns[turn.match_id].append(turn)
    return turns
