"""Forms of the tickets page: make tickets, or codes for a roster (class list)."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from voting.admission.roster import Roster, RosterError, read_roster
from voting.admission.tickets import MAX_TICKETS, TooManyTickets, check_roster
from voting.models import Event

MAX_ROSTER_LENGTH = 200_000


class TicketsForm(forms.Form):
    count = forms.IntegerField(
        label=_("Number of tickets"),
        min_value=1,
        max_value=MAX_TICKETS,
        initial=30,
        error_messages={
            "required": _("Enter a number."),
            "invalid": _("Enter a whole number."),
            "min_value": _("Enter at least 1."),
            "max_value": _("Enter at most %(limit_value)s."),
        },
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class RosterForm(forms.Form):
    """A roster, one name per line. `roster` is what was read, None if the list is invalid."""

    names = forms.CharField(
        label=_("Names, one per line"),
        max_length=MAX_ROSTER_LENGTH,
        strip=False,  # so that errors name the lines as they were typed
        help_text=_(
            "You can add the team's name or number after a comma: “Ada Lovelace, 1”. "
            "You can also paste two columns of a spreadsheet."
        ),
        error_messages={
            "required": _("Paste the names, one per line."),
            "max_length": _("This list is too long."),
        },
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, event: Event, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.roster: Roster | None = None
        self._event = event

    def clean_names(self) -> str:
        teams = dict(self._event.teams.values_list("number", "name"))
        try:
            roster = read_roster(self.cleaned_data["names"], teams)
            check_roster(self._event, roster.pupils)
        except (RosterError, TooManyTickets) as refusal:
            raise forms.ValidationError(list(refusal.args)) from refusal
        self.roster = roster
        return str(self.cleaned_data["names"])
