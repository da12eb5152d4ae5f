"""Pairing cards: a pairing's title, its state and its teams, as shown."""

from dataclasses import dataclass
from typing import Literal

from django.utils.translation import pgettext

from crowdgame.cups.cups import CupProgress, PlayedPairing
from crowdgame.cups.pairing_names import name_entrants, name_pairing
from crowdgame.cups.pairing_status import PairingStatus
from voting.admission.admission import projector_key

CardState = Literal["open", "due", "on", "over"]


@dataclass(frozen=True, slots=True)
class CardTeam:
    """A team on a card. `number` is its number in the event. `seed` is None while the team is undecided.

    `result` is `won`, `lost` or empty.
    """

    number: int
    seed: int | None
    name: str
    wins: int
    result: str = ""

    @property
    def side(self) -> str:
        return "red" if self.number == 1 else "yellow"


@dataclass(frozen=True, slots=True)
class PairingCard:
    """A pairing. `reports` are the numbers of its finished matches that count.

    `code` and `display_key` are those of its event. Only the organizer may see the key.

    `rehearsed`: at least one of its matches was a dry run.
    """

    number: int
    title: str
    state: CardState
    word: str
    seats: tuple[CardTeam, CardTeam]
    scored: bool = False
    walkover: bool = False
    superseded: bool = False
    code: str = ""
    display_key: str = ""
    reports: tuple[int, ...] = ()
    rehearsed: bool = False

    @property
    def won_by_playing(self) -> bool:
        """Whether a team has won, and not by walkover."""
        return bool(self.seats[0].result) and not self.walkover


def build_card(progress: CupProgress, meeting: PairingStatus) -> PairingCard:
    number = meeting.pairing.number
    played = progress.played.get(number) if meeting.held else None
    seats = name_entrants(progress.draw, progress.names, meeting)
    state = _state(meeting, played)
    return PairingCard(
        number=number,
        title=name_pairing(progress.kind, progress.draw, meeting.pairing),
        state=state,
        word=_label(meeting, state, played),
        seats=(_card_team(meeting, 1, seats[0]), _card_team(meeting, 2, seats[1])),
        scored=not meeting.outcome.walkover and (meeting.outcome.over or any(meeting.outcome.won)),
        walkover=meeting.outcome.walkover,
        superseded=meeting.superseded,
        code=played.event.code if played else "",
        display_key=projector_key(played.event.code, played.event.display_key_version) if played else "",
        reports=tuple(match.number for match in played.counted) if played else (),
        rehearsed=bool(played and played.rehearsed),
    )


def _state(meeting: PairingStatus, played: PlayedPairing | None) -> CardState:
    if meeting.outcome.over:
        return "over"
    if played:
        return "on"
    return "due" if meeting.due else "open"


def _label(meeting: PairingStatus, state: CardState, played: PlayedPairing | None) -> str:
    if meeting.outcome.walkover:
        return pgettext("pairing", "Walkover")
    if state == "over":
        return pgettext("pairing", "Played") if meeting.outcome.winner else pgettext("pairing", "Drawn")
    if state == "on":
        return (
            pgettext("pairing", "Live") if played and played.playing else pgettext("pairing", "Open to join")
        )
    return pgettext("pairing", "Not started") if state == "due" else pgettext("pairing", "Teams not decided")


def _card_team(meeting: PairingStatus, number: int, named: str) -> CardTeam:
    outcome = meeting.outcome
    result = ""
    if outcome.over and outcome.winner:
        result = "won" if outcome.winner == number else "lost"
    return CardTeam(number, meeting.teams[number - 1], named, outcome.won[number - 1], result)
