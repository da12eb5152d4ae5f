"""Time control fields of the event form: a fixed voting window, or a time bank (clock) per side."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crowdgame.events.setting_fields import duration

WINDOW, BANK = "window", "bank"
DEFAULT_BANK_S = 300
BANK_FIELDS = ("bank_s", "increment_s", "cap_s")


class ClockFields(forms.Form):
    """Part of the event form. With a time bank, `window_s` equals the bank: no vote can take longer."""

    clock = forms.ChoiceField(
        label=_("Time control"),
        choices=[
            (WINDOW, _("The same time for every vote")),
            (BANK, _("A clock for each side, for the whole match")),
        ],
        initial=WINDOW,
        required=False,
        widget=forms.RadioSelect,
    )
    bank_s = duration("bank_s", (60, 180, 300, 900, 3600, 86400))
    increment_s = duration("increment_s", (2, 5, 10, 30), empty=_("No extra time"))
    cap_s = duration("cap_s", (10, 20, 30, 60), empty=_("No limit"))

    def init_clock_fields(self, bank_s: int | None) -> None:
        """Set initial values from the event. `bank_s` is required only if the time bank is chosen."""
        self.fields["bank_s"].required = False
        self.initial["clock"] = BANK if bank_s else WINDOW
        self.initial["bank_s"] = bank_s or DEFAULT_BANK_S

    def clean_clocks(self, cleaned: dict[str, Any]) -> bool:
        """Validate the chosen time control and return whether it is the time bank.

        Fields of the other time control are reset and their errors dropped.
        """
        if cleaned.get("clock") != BANK:
            self._drop_errors(*BANK_FIELDS)
            cleaned |= {"bank_s": None, "increment_s": 0, "cap_s": None}
            return False
        self._drop_errors("window_s")
        bank_s, cap_s = cleaned.get("bank_s"), cleaned.get("cap_s")
        if bank_s is None and "bank_s" not in self.errors:
            self.add_error("bank_s", gettext("Choose a duration."))
        elif bank_s and cap_s and cap_s > bank_s:
            self.add_error("cap_s", gettext("One turn cannot use more than the whole clock."))
        cleaned |= {"window_s": bank_s, "increment_s": cleaned.get("increment_s") or 0}
        return True

    def _drop_errors(self, *names: str) -> None:
        for name in names:
            self.errors.pop(name, None)
