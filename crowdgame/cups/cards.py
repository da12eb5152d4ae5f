"""A pairing as it is shown: who sits where, how it stands, and what it is called."""

from dataclasses import dataclass
from typing import Literal

from crowdgame.cups.cups import Course, Played
from crowdgame.cups.standings import Meeting
from crowdgame.cups.words import name_pairing, name_seats

State = Literal["open", "due", "on", "over"]


@dataclass(frozen=True, slots=True)
class Seat:
    """`number` is the team's in its event, `seed` None while nobody is known; `fate` is `won` or `lost`."""

    number: int
    seed: int | None
    name: str
    wins: int
    fate: str = ""

    @property
    def side(self) -> str:
        return "red" if self.number == 1 else "yellow"


@dataclass(frozen=True, slots=True)
class Card:
    """A pairing. `code` is its event's, `reports` the numbers of its finished matches that count.

    `rehearsed`: a simulated crowd has played another one.
    """

    number: int
    title: str
    state: State
    word: str
    seats: tuple[Seat, Seat]
    scored: bool = False
    walkover: bool = False
    overtaken: bool = False
    code: str = ""
    reports: tuple[int, ...] = ()
    rehearsed: bool = False


def draw_card(course: Course, meeting: Meeting) -> Card:
    number = meeting.pairing.number
    played = course.played.get(number) if meeting.held else None
    seats = name_seats(course.kind, course.draw, course.names, meeting)
    state = _state(meeting, played)
    return Card(
        number=number,
        title=name_pairing(course.kind, course.draw, meeting.pairing),
        state=state,
        word=_word(meeting, state, played),
        seats=(_seat(meeting, 1, seats[0]), _seat(meeting, 2, seats[1])),
        scored=not meeting.outcome.walkover and (meeting.outcome.over or any(meeting.outcome.won)),
        walkover=meeting.outcome.walkover,
        overtaken=meeting.overtaken,
        code=played.event.code if played else "",
        reports=tuple(match.number for match in played.counted) if played else (),
        rehearsed=bool(played and played.rehearsed),
    )


def _state(meeting: Meeting, played: Played | None) -> State:
    if meeting.outcome.over:
        return "over"
    if played:
        return "on"
    return "due" if meeting.due else "open"


def _word(meeting: Meeting, state: State, played: Played | None) -> str:
    if meeting.outcome.walkover:
        return "Walkover"
    if state == "over":
        return "Played" if meeting.outcome.winner else "Drawn"
    if state == "on":
        return "Playing now" if played and played.playing else "Doors open"
    return "To be played" if state == "due" else "Not known yet"


def _seat(meeting: Meeting, number: int, named: str) -> Seat:
    outcome = meeting.outcome
    fate = ""
    if outcome.over and outcome.winner:
        fate = "won" if outcome.winner == number else "lost"
    return Seat(number, meeting.teams[number - 1], named, outcome.won[number - 1], fate)
