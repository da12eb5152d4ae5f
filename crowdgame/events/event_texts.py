"""Labels, help texts and custom fields of the event form."""

from typing import Any

from django import forms

from games.engine.registry import all_games
from voting.counting.methods import METHODS
from voting.models import Team
from voting.names import clean_name
from voting.terms import Admission, Pace

RADIO_FIELDS = ("tie_rule", "no_ballot_rule", "resign", "team_choice", "admission")
TEAM_FIELDS = ("team_1", "team_2")
HANDS_FIELDS = ("hands_1", "hands_2")
LIVE_FIELDS = ("hide_code", "hide_turnout", "hide_tally", "hide_drops")
SECTIONS = {
    "joining": ("team_choice", "admission"),
    "seen": ("peek", "own_counts", "hide_code", "hide_turnout", "hide_tally", "hide_drops"),
    "series": ("best_of", "next_match_after_s"),
    "sides": ("max_side_changes", "turn_points"),
    "study": ("consent",),
    "fine": ("tally_method", "tie_rule", "no_ballot_rule", "resign"),
}
HELP_TEXTS = {
    "tie_rule": "You appoint captains in the console, under People. Their votes are public.",
    "team_choice": "A team's link or QR code leads straight to that team. It is not secret: anyone can "
    "use it, and the join page offers both teams. For fixed teams, use a class list with teams.",
    "consent": "Name the study, its purpose and a contact. Leave empty for no study.",
}
SIDE_CHANGES_CONFLICT = (
    "Secret sides cannot be combined with shows of hands, clocks, captains or votes before the reveal."
)
SERIES_LABELS = {3: "Best of three", 5: "Best of five", 7: "Best of seven"}
LABELS = {
    "tie_rule": "If columns tie",
    "no_ballot_rule": "If nobody on a team votes",
    "resign": "Votes needed for a team to resign",
    "close_early": "Close as soon as everyone connected has voted",
    "max_side_changes": "Times each voter may secretly change sides",
    "turn_points": "At the end, score a point for each turn spent voting with the winner",
    "consent": "Text that voters read before their first vote",
    "team_choice": "How voters join a team",
    "admission": "Admission",
    "peek": "Show the votes in the console before the reveal (all screens say so)",
    "own_counts": "Show each team its own votes so far on its phones (all screens say so)",
    "hide_code": "Hide the join code on the projector",
    "hide_turnout": "Hide the turnout on the projector",
    "hide_tally": "Reveal only the moves, without vote counts",
    "hide_drops": "Don't let voters mark their own drop on the projector",
}
ADMISSION_TEXTS = {
    Admission.OPEN: "One vote per device. Someone with two phones has two votes. "
    "For audiences that you trust.",
    Admission.ROTATING: "Voters must see the screen when they join, so a shared link alone is not enough. "
    "Two phones still have two votes. Open the projector from “My events” or the console.",
    Admission.TICKETS: "One vote per ticket, and each ticket admits one phone. "
    "Create, print and release tickets on the event's codes page.",
    Admission.ROSTER: "One vote per name on your list, on any number of devices. People can pass their code "
    "on. No account or password is needed.",
}
NAME_LENGTH = Team._meta.get_field("name").max_length


def game_choices() -> list[tuple[str, str]]:
    return [(slug, game.title) for slug, game in all_games().items()]


def pace_choices(own: str = Pace.NORMAL) -> list[tuple[str, str]]:
    """Return the paces for an audience, and the event's own."""
    return [(pace, label) for pace, label in Pace.choices() if pace != Pace.INSTANT or pace == own]


def method_choices() -> list[tuple[str, str]]:
    return [(name, method.label) for name, method in METHODS.items()]


class NameField(forms.CharField):
    """A display name: one line, without invisible characters (see `clean_name`)."""

    def to_python(self, value: Any) -> str:
        return clean_name(super().to_python(value) or "")


class HandsField(forms.BooleanField):
    def __init__(self) -> None:
        super().__init__(label="No phones: I count raised hands", required=False)
