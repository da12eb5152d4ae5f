"""What the API does on POST: create an event, and act in one."""

from functools import cache
from typing import Any

import msgspec
from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import get_language, override

from crowdgame.events.durations import DurationWidget
from crowdgame.events.forms import EventForm
from crowdgame.events.presets import PRESETS_BY_SLUG
from crowdgame.organizer.api.models import ApiToken
from crowdgame.organizer.api.reads import find_event
from crowdgame.organizer.api.tokens import access_to
from crowdgame.organizer.console.control import perform
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.protocol import ActionAsk, EventState

ballot_box = cache(BallotBox)


class InvalidSettings(Exception):
    """The event form refuses the settings. `errors` has its messages by field."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__("The event can't have these settings.")
        self.errors = errors


def create_event(token: ApiToken, body: msgspec.Struct) -> EventState:
    """Create an event through the organizers' form, so that the same rules apply.

    Raises InvalidSettings, or PermissionDenied if the token is for one event only.
    """
    if token.event_id:
        raise PermissionDenied("The token is for one event only.")
    chosen = msgspec.to_builtins(body)  # without what is unset
    preset = PRESETS_BY_SLUG[chosen.pop("preset")]
    with override(chosen.get("language") or get_language()):
        names = preset.team_names()
    blank = EventForm(instance=preset.build_event(), names=names, sources=preset.sources)
    game, options = chosen.get("game", blank.instance.game), chosen.pop("options", {})
    values = {name: blank.get_initial_for_field(field, name) for name, field in blank.fields.items()}
    values |= chosen | {f"{game}-{name}": value for name, value in options.items()}
    if chosen.get("bank_s"):
        values["clock"] = "bank"
    unknown = [name for name in options if f"{game}-{name}" not in blank.fields]
    if unknown:
        raise InvalidSettings({"options": [f"The game has no option `{name}`." for name in unknown]})
    posted: dict[str, Any] = {}
    for name, field in blank.fields.items():
        posted |= _as_posted(field, name, values.get(name))
    form = EventForm(posted, instance=preset.build_event(), sources=preset.sources, solo=preset.solo)
    if not form.is_valid():
        refused = form.errors.items()
        raise InvalidSettings({name: [str(error) for error in errors] for name, errors in refused})
    return load_snapshot(form.create(token.user))


def _as_posted(field: forms.Field, name: str, value: Any) -> dict[str, Any]:
    """A value as a browser would send it: a duration has several parts."""
    widget = field.widget
    return widget.as_posted(name, value) if isinstance(widget, DurationWidget) else {name: value}


def act(token: ApiToken, body: msgspec.Struct, code: str, *, action: str) -> EventState:
    """Perform an action as the console does, with its checks and its entry in the audit log.

    Raises NotPermitted, or another MatchError if it isn't possible now.
    """
    event = find_event(token, code)
    who = access_to(token, event)
    if who is None:
        raise Http404("There is no such event.")
    perform(who, event.pk, ActionAsk(id=1, action=action, **msgspec.structs.asdict(body)), ballot_box())
    return load_snapshot(Event.objects.get(pk=event.pk))
