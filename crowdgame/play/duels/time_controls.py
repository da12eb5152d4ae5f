"""Time controls of duels."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from voting.terms import Pace

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 24 * 3600


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A player's time bank of `bank_s`, plus `increment_s` after each turn.

    A duel with a free seat is listed for `listed_s`. After that its creator is probably gone. Against a crowd
    there is no time bank; each turn has a window of `window_s`. All times are in seconds.
    """

    slug: str
    title: "StrPromise"
    turn_label: "StrPromise"
    bank_s: int
    increment_s: int = 0
    pace: Pace = Pace.BRISK
    listed_s: int = 15 * MINUTE_S
    window_s: int = 30


TIME_CONTROLS = (
    TimeControl("1-min", _("1 minute"), _("15 seconds per turn"), MINUTE_S, pace=Pace.INSTANT, window_s=15),
    TimeControl("5-min", _("5 minutes + 5 s"), _("30 seconds per turn"), 5 * MINUTE_S, 5),
    TimeControl(
        "3-days", _("3 days"), _("8 hours per turn"), 3 * DAY_S, listed_s=7 * DAY_S, window_s=8 * HOUR_S
    ),
    TimeControl(
        "30-days", _("30 days"), _("1 day per turn"), 30 * DAY_S, listed_s=30 * DAY_S, window_s=DAY_S
    ),
)
DEFAULT_TIME_CONTROL = TIME_CONTROLS[1]
TIME_CONTROLS_BY_SLUG = {time_control.slug: time_control for time_control in TIME_CONTROLS}
_BY_BANK = {(time_control.bank_s, time_control.increment_s): time_control for time_control in TIME_CONTROLS}
_BY_WINDOW = {time_control.window_s: time_control for time_control in TIME_CONTROLS}


def time_label(bank_s: int | None, increment_s: int, window_s: int) -> str:
    """Return the label of the time bank, or of the turn's window against a crowd (`bank_s` is None)."""
    if bank_s is None:
        return str(_BY_WINDOW.get(window_s, DEFAULT_TIME_CONTROL).turn_label)
    return str(_BY_BANK.get((bank_s, increment_s), DEFAULT_TIME_CONTROL).title)
