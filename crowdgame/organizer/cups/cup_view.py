"""View model of a cup: rounds of cards, sheets for the big screen, and each team's status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from crowdgame.organizer.cups.cards import PairingCard, build_card
from crowdgame.organizer.cups.cups import CupProgress
from crowdgame.organizer.cups.pairing import CupFormat
from crowdgame.organizer.cups.pairing_names import name_round
from crowdgame.organizer.cups.pairing_status import PairingStatus, next_pairing, rounds
from crowdgame.organizer.cups.sheets import (
    RoundColumn,
    Sheet,
    TableRow,
    bracket_sheets,
    league_sheets,
    table_rows,
)
from voting.positions import load_end_reasons


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """A team's status in words. `link` leads to its pairing if that is live, where it plays `side`."""

    seed: int
    name: str
    status: str
    link: str = ""
    side: str = ""


@dataclass(frozen=True, slots=True)
class CupView:
    """A cup as its pages show it. `now` is the current or next pairing, `left` the number of unfinished ones.

    `teams` are those that people play for.

    `side` is the side on which the champion won the final; empty for a league.
    """

    rounds: tuple[RoundColumn, ...]
    sheets: tuple[Sheet, ...]
    table: tuple[TableRow, ...]
    teams: tuple[TeamStatus, ...]
    champions: tuple[str, ...]
    side: str
    now: PairingCard | None
    left: int

    @property
    def several_live(self) -> bool:
        """Whether several pairings are open, so that the organizer may choose the one on the stage."""
        return sum(card.state == "on" for column in self.rounds for card in column.cards if card) > 1


def view_cup(progress: CupProgress) -> CupView:
    reasons = load_end_reasons(played.counted[-1] for played in progress.played.values() if played.counted)
    cards = {meeting.pairing.number: build_card(progress, meeting, reasons) for meeting in progress.meetings}
    columns = tuple(
        RoundColumn(
            name_round(progress.kind, progress.draw, number), tuple(cards[m.pairing.number] for m in met)
        )
        for number, met in rounds(progress.meetings)
    )
    now = next_pairing(progress.meetings)
    rows = table_rows(progress) if progress.kind == CupFormat.LEAGUE else ()
    sheets = league_sheets(progress, rows, columns) if rows else bracket_sheets(progress, cards)
    champions = tuple(progress.names[seed] for seed in progress.champions)
    return CupView(
        rounds=columns,
        sheets=tuple(sheets),
        table=rows,
        teams=tuple(
            _team_status(progress, cards, seed) for seed in progress.names if seed != progress.filler
        ),
        champions=champions,
        side=_champion_side(progress) if champions else "",
        now=cards[now.pairing.number] if now else None,
        left=sum(not meeting.outcome.over for meeting in progress.meetings),
    )


def _champion_side(progress: CupProgress) -> str:
    """Return the side on which the final of a knock-out was won, else an empty string."""
    final = progress.meetings[-1].outcome.winner
    if progress.kind == CupFormat.LEAGUE or final is None:
        return ""
    return "red" if final == 1 else "yellow"


def _team_status(progress: CupProgress, cards: Mapping[int, PairingCard], seed: int) -> TeamStatus:
    """Describe the team's live pairing, else its next one, else its final result."""
    ours = [meeting for meeting in progress.meetings if seed in meeting.teams]
    ahead = [meeting for meeting in ours if not meeting.outcome.over]
    meeting = next((meeting for meeting in ahead if meeting.held), ahead[0] if ahead else None)
    name = progress.names[seed]
    if meeting is None:
        return TeamStatus(seed, name, _final_status(progress, seed, ours))
    card = cards[meeting.pairing.number]
    place = 1 if meeting.red == seed else 2
    other = card.seats[2 - place]
    if card.state == "on":
        status = _("%(pairing)s, against %(team)s") % {"pairing": card.title, "team": other.name}
        return TeamStatus(seed, name, status, f"/{card.code}/{place}", card.seats[place - 1].side)
    if other.seed:
        status = _("Next: %(pairing)s, against %(team)s") % {"pairing": card.title, "team": other.name}
    else:
        # Translators: %(opponent)s is "Winner of semi-final 1", for example.
        text = _("Next: %(pairing)s. Opponent: %(opponent)s")
        status = text % {"pairing": card.title, "opponent": other.name}
    return TeamStatus(seed, name, status)


def _final_status(progress: CupProgress, seed: int, ours: Sequence[PairingStatus]) -> str:
    if seed in progress.champions:
        return _("Won the cup") if len(progress.champions) == 1 else _("Tied for first place")
    if progress.kind == CupFormat.LEAGUE:
        return _("All matches played")
    last = ours[-1] if ours else None
    if last and last.winner == seed:
        return _("Waiting for other teams")
    return _("Eliminated") if last else _("Waiting for other teams")
