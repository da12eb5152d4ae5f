"""Labels, help texts and custom fields of the event form."""

from typing import Any

from django import forms

from games.engine.registry import all_games
from games.models import Admission, Team
from games.names import clean_name

RADIO_FIELDS = ("tally_method", "tie_rule", "no_ballot_rule", "resign", "team_choice", "admission")
TEAM_FIELDS = ("team_1", "team_2")
HANDS_FIELDS = ("hands_1", "hands_2")
LIVE_FIELDS = ("hide_code", "hide_turnout", "hide_tally")
SECTIONS = {
    "joining": ("team_choice", "admission"),
    "seen": ("peek", "own_counts", "hide_code", "hide_turnout", "hide_tally"),
    "series": ("best_of", "next_match_after_s"),
    "sides": ("max_side_changes", "turn_points"),
    "study": ("consent",),
    "fine": ("tally_method", "tie_rule", "no_ballot_rule", "resign"),
}
HELP_TEXTS = {
    "tally_method": "Approval and ranking take more taps: give people more time, 20 seconds at least.",
    "tie_rule": "A captain is named in the control room, under People. How captains voted is open to all.",
    "consent": "Who studies what, and whom to ask. All read it before they vote. Empty: no study.",
}
SIDE_CHANGES_CONFLICT = (
    "Secret sides go with no show of hands, clocks or captains, and nobody seeing votes before the reveal."
)
SERIES_LABELS = {3: "Best of three", 5: "Best of five", 7: "Best of seven"}
LABELS = {
    "tally_method": "How votes become a move",
    "tie_rule": "Two columns with the same number of votes",
    "no_ballot_rule": "Nobody of a team votes",
    "resign": "Who can give a match up for a team, by a vote on the phones",
    "close_early": "Close as soon as everyone connected has voted",
    "max_side_changes": "Times each voter may secretly change sides",
    "turn_points": "At the end, a point for each turn in which one voted with the winner",
    "consent": "What voters are told, in their words",
    "team_choice": "How people get into a team",
    "admission": "Who may vote",
    "peek": "The control room sees the votes before the reveal; everybody is told so on the screen",
    "own_counts": "Each team sees on its phones how its own votes stand; everybody is told so",
    "hide_code": "Keep the join code off the projector",
    "hide_turnout": "Keep off the projector how many have voted",
    "hide_tally": "Reveal only what each team picked, and no numbers",
}
ADMISSION_TEXTS = {
    Admission.OPEN: "A device, not proof of a person: who has two phones has two votes. For a friendly hall.",
    Admission.ROTATING: "Who joins sees the screen in that minute: nobody joins from afar by a shared link. "
    "Two phones in the hall still have two votes. Open the projector from “My events” or the control room.",
    Admission.TICKETS: "One vote a ticket, and each opens one phone: as fair as you hand them out. "
    "Make, print and release them on the event's page of codes.",
    Admission.ROSTER: "One vote a name on your list, on however many devices. Who is given a code can pass "
    "it on; no account, no password.",
}
NAME_LENGTH = Team._meta.get_field("name").max_length


def game_choices() -> list[tuple[str, str]]:
    return [(slug, game.title) for slug, game in all_games().items()]


class NameField(forms.CharField):
    """A display name: one line, without invisible characters (see `clean_name`)."""

    def to_python(self, value: Any) -> str:
        return clean_name(super().to_python(value) or "")


class HandsField(forms.BooleanField):
    def __init__(self) -> None:
        super().__init__(label="Without phones: I count its hands", required=False)
