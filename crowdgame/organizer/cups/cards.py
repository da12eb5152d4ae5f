"""Pairing cards: a pairing's title, its state and its teams, as shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from crowdgame.organizer.cups.cups import CupProgress, PlayedPairing
from crowdgame.organizer.cups.pairing_names import name_entrants, name_pairing
from crowdgame.organizer.cups.pairing_status import PairingStatus
from voting.admission.admission import projector_key
from voting.terms import EndReason

EndReasons = Mapping[int, EndReason | None]
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


def build_card(progress: CupProgress, meeting: PairingStatus, reasons: EndReasons) -> PairingCard:
    """Build a pairing's card. `reasons` are those of the matches that were counted last, by primary key."""
    number = meeting.pairing.number
    played = progress.played.get(number) if meeting.held else None
    seats = name_entrants(progress.draw, progress.names, meeting)
    state = _state(meeting, played)
    return PairingCard(
        number=number,
        title=name_pairing(progress.kind, progress.draw, meeting.pairing),
        state=state,
        word=_label(meeting, state, played, reasons),
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


def _label(
    meeting: PairingStatus, state: CardState, played: PlayedPairing | None, reasons: EndReasons
) -> str:
    if meeting.outcome.walkover:
        return pgettext("pairing", "Walkover")
    if state == "over":
        reason = reasons.get(played.counted[-1].pk) if played and meeting.outcome.winner else None
        return _(reason.label) if reason else pgettext("pairing", "Drawn")
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
