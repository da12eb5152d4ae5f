"""Cups for tests, and pairings decided without playing a match."""

from typing import Any

from crowdgame.organizer.cups.cups import create_cup, start_pairing
from crowdgame.organizer.cups.models import Cup
from tests.voting.match_helpers import organizer
from voting.models import Event, Match
from voting.terms import MatchState

THREE, COMPUTER = ("4a", "4b", "5a"), "Computer 2"  # the first pairing of 4a is against the computer


def new_cup(teams: tuple[str, ...] = ("4a", "4b", "5a", "5b"), **choices: Any) -> Cup:
    return create_cup(organizer(), "Spring cup", teams, **choices)


def sources(of: Cup | Event) -> list[tuple[str, str]]:
    return list(of.teams.order_by("pk").values_list("name", "source"))


def let_win(event: Event, place: int, by: str = "board", *, rehearsed: bool = False) -> Match:
    """Create an ended match of this event, as if it had been played."""
    red, yellow = event.teams.order_by("number")
    return Match.objects.create(
        event=event,
        number=event.matches.count() + 1,
        red=red,
        yellow=yellow,
        started_at=1,
        ended_at=2,
        state=MatchState.ENDED,
        result={0: "draw", 1: "red", 2: "yellow"}[place],
        ended_by=by,
        rehearsed=rehearsed,
    )


def decide(cup: Cup, number: int, place: int) -> Event:
    event = start_pairing(cup.pk, number)
    let_win(event, place)
    return event
