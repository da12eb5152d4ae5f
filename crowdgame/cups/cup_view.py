"""A cup as its pages show it: rounds of cards, sheets for a big screen, and a line for each team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crowdgame.cups.cards import Card, draw_card
from crowdgame.cups.cups import Course
from crowdgame.cups.sheets import Column, Sheet, TableRow, bracket_sheets, league_sheets, table_rows
from crowdgame.cups.standings import Meeting, next_meeting, rounds
from crowdgame.cups.words import name_round


@dataclass(frozen=True, slots=True)
class TeamLine:
    """What a team has to know: in words, and where it joins if its pairing is on."""

    seed: int
    name: str
    status: str
    link: str = ""
    side: str = ""


@dataclass(frozen=True, slots=True)
class CupView:
    rounds: tuple[Column, ...]
    sheets: tuple[Sheet, ...]
    table: tuple[TableRow, ...]
    teams: tuple[TeamLine, ...]
    champions: tuple[str, ...]
    side: str
    now: Card | None
    left: int


def view_cup(course: Course) -> CupView:
    cards = {meeting.pairing.number: draw_card(course, meeting) for meeting in course.meetings}
    columns = tuple(
        Column(name_round(course.kind, course.draw, number), tuple(cards[m.pairing.number] for m in met))
        for number, met in rounds(course.meetings)
    )
    now = next_meeting(course.meetings)
    rows = table_rows(course) if course.kind == "league" else ()
    sheets = league_sheets(course, rows, columns) if rows else bracket_sheets(course, cards)
    champions = tuple(course.names[seed] for seed in course.champions)
    return CupView(
        rounds=columns,
        sheets=tuple(sheets),
        table=rows,
        teams=tuple(_line(course, cards, seed) for seed in course.names),
        champions=champions,
        side=_side(course) if champions else "",
        now=cards[now.pairing.number] if now else None,
        left=sum(not meeting.outcome.over for meeting in course.meetings),
    )


def _side(course: Course) -> str:
    """The one on which a knock-out's final was won."""
    final = course.meetings[-1].outcome.winner
    if course.kind == "league" or final is None:
        return ""
    return "red" if final == 1 else "yellow"


def _line(course: Course, cards: Mapping[int, Card], seed: int) -> TeamLine:
    """Of the pairing that is on, else the next one; else how it ended."""
    ours = [meeting for meeting in course.meetings if seed in meeting.teams]
    ahead = [meeting for meeting in ours if not meeting.outcome.over]
    meeting = next((meeting for meeting in ahead if meeting.held), ahead[0] if ahead else None)
    name = course.names[seed]
    if meeting is None:
        return TeamLine(seed, name, _ended(course, seed, ours))
    card = cards[meeting.pairing.number]
    place = 1 if meeting.red == seed else 2
    other = card.seats[2 - place]
    against = other.name if other.seed else f"the {other.name[0].lower()}{other.name[1:]}"
    if card.state == "on":
        status = f"{card.title}, against {against}"
        return TeamLine(seed, name, status, f"/{card.code}/{place}", card.seats[place - 1].side)
    return TeamLine(seed, name, f"Next: {card.title}, against {against}")


def _ended(course: Course, seed: int, ours: Sequence[Meeting]) -> str:
    if seed in course.champions:
        return "Has won the cup" if len(course.champions) == 1 else "Shares the first place"
    if course.kind == "league":
        return "Has played everyone"
    last = ours[-1] if ours else None
    if last and last.winner == seed:
        return "Waits for the others"
    return "Is out" if last else "Waits for the others"
