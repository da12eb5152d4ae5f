"""`/console/CODE/schedule/`: when the next match starts, and when the event ends."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from crowdgame.events.access import owner_page
from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import announce_page_edit, log_edit
from voting.matches import event_lock
from voting.models import Event
from voting.terms import MatchState

SCHEDULED = gettext_noop("%(by)s planned the start for %(start)s and the end for %(end)s")
ENDING = gettext_noop("%(by)s planned the end for %(end)s")

TIMES = ("starts_at", "ends_at")
LATEST = datetime(3000, 1, 1, tzinfo=UTC)  # the last days of the calendar can't be shown in every time zone


class MinuteInput(forms.DateTimeInput):
    """Shows a time without its seconds."""

    input_type = "datetime-local"

    def __init__(self, attrs: Any = None) -> None:
        super().__init__(attrs, format="%Y-%m-%dT%H:%M")


class HiddenMinuteInput(MinuteInput):
    input_type = "hidden"


class MinuteField(forms.DateTimeField):
    """The page also sends the time that it showed, so `changed_data` has the fields that were edited."""

    widget = MinuteInput
    hidden_widget = HiddenMinuteInput


def _time_field(label: Any, help_text: Any) -> MinuteField:
    return MinuteField(
        label=label,
        help_text=help_text,
        required=False,
        show_hidden_initial=True,
        error_messages={"invalid": _("Enter a date and a time.")},
    )


class ScheduleForm(forms.Form):
    """Times are entered in the browser's time zone, which a script fills in; without it, in UTC.

    A time that was not edited stays as it is now, with its seconds.
    """

    starts_at = _time_field(_("Next match starts"), _("Leave empty to start it yourself."))
    ends_at = _time_field(
        _("Event ends"),
        _("No match starts after this time. A match that is still live then is aborted, without a result."),
    )
    time_zone = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def __init__(self, event: Event, data: Any = None) -> None:
        times = {"starts_at": _to_datetime(event.next_match_at), "ends_at": _to_datetime(event.ends_at)}
        super().__init__(data, initial=times, label_suffix="")
        zone = (data or {}).get("time_zone", "")
        self.zone = ZoneInfo(zone if zone in available_timezones() else "UTC")
        playing = event.matches.filter(state=MatchState.PLAYING).exists()
        if playing or (data is not None and "starts_at" not in data):  # the page was opened during a match
            del self.fields["starts_at"]

    def _check_time(self, name: str, at: datetime, now: datetime) -> None:
        if at <= now:
            self.add_error(name, gettext("This time has passed."))
        elif at >= LATEST:
            self.add_error(name, gettext("Enter a date and a time."))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        untouched = self.fields.keys() - self.changed_data
        cleaned |= {name: self.initial[name] for name in TIMES if name in untouched}
        start, end, now = cleaned.get("starts_at"), cleaned.get("ends_at"), timezone.now()
        for name in TIMES:
            if name in self.changed_data and cleaned.get(name):
                self._check_time(name, cleaned[name], now)
        if start and end and end <= start:
            self.add_error("ends_at", gettext("The event must end after the match starts."))
        return cleaned


def plan_event(event_id: int, chosen: Mapping[str, datetime | None]) -> LogText:
    """Set the end, and the start if it was chosen and no match is live. Returns what was set."""
    end = chosen["ends_at"]
    with event_lock(event_id):
        event = Event.objects.filter(pk=event_id)
        event.update(ends_at=_to_ms(end))
        playing = event.get().matches.filter(state=MatchState.PLAYING).exists()
        if playing or "starts_at" not in chosen:
            return LogText(ENDING, {"end": _log_text(end)})
        start = chosen["starts_at"]
        event.update(next_match_at=_to_ms(start))
    return LogText(SCHEDULED, {"start": _log_text(start), "end": _log_text(end)})


@owner_page("GET", "POST")
def schedule(request: HttpRequest, event: Event) -> HttpResponse:
    form = ScheduleForm(event, request.POST or None)
    with timezone.override(form.zone):
        valid = form.is_valid()
    if valid:
        log_edit(request, event, "event.schedule", plan_event(event.pk, form.cleaned_data))
        if announce_page_edit(request, event):
            messages.success(request, gettext("Saved."))
        return redirect("console:events")
    return render(request, "events/schedule.html", {"event": event, "form": form})


def _to_datetime(ms: int | None) -> datetime | None:
    return datetime.fromtimestamp(ms / 1000, UTC) if ms else None


def _to_ms(at: datetime | None) -> int | None:
    return int(at.timestamp() * 1000) if at else None


def _log_text(at: datetime | None) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if at else "-"
