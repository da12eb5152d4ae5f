"""Event form: names, game and its options, voting rules, time control, series."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.forms import BoundField
from django.utils.translation import gettext, gettext_noop, override, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from crowdgame.events.audit_text import LogText
from crowdgame.events.clocks import ClockFields
from crowdgame.events.durations import DurationField
from crowdgame.events.event_texts import (
    ADMISSION_TEXTS,
    NAME_LENGTH,
    SERIES_LABELS,
    SOURCE_FIELDS,
    TEAM_FIELDS,
    NameField,
    game_choices,
    method_choices,
    pace_choices,
)
from crowdgame.events.form_conflicts import conflicts
from crowdgame.events.game_options import add_option_fields, apply_options, game_rows, stored_options
from crowdgame.events.presets import PRESETS, default_event_name, make_solo, random_team_names
from crowdgame.events.setting_fields import duration, language_field, texts
from crowdgame.events.sites_field import SitesField
from crowdgame.events.source_field import SourceField
from games.engine.registry import all_games
from voting.counting.methods.voting_method import METHODS
from voting.events import create_event
from voting.matches import locked_event
from voting.models import Event
from voting.models.settings import choices, column_of, list_hidden_parts, list_settings
from voting.terms import PHONES, Admission, MatchState, ResignShare

SETTINGS = list_settings(Event)
HIDING = list(list_hidden_parts(Event))
# What most people change. The other settings are folded.
FIRST_FIELDS = {"name", *TEAM_FIELDS, *SOURCE_FIELDS, "window_s", "talk_s", "team_choice"}
NO_SOURCES: Mapping[int, str] = {}
DERIVED_FIELDS = ("options", "crowd_clocks")  # computed from other fields

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    EventModelForm = forms.ModelForm[Event]
else:
    EventModelForm = forms.ModelForm


class EventForm(ClockFields, EventModelForm):
    name = NameField(
        label=_("Event name"),
        required=False,
        max_length=Event._meta.get_field("name").max_length,
        help_text=_("Leave empty to use the team names."),
    )
    team_1 = NameField(
        label=_("First team, red"),
        max_length=NAME_LENGTH,
        error_messages={"required": _("Enter a team name.")},
    )
    team_2 = NameField(
        label=_("Second team, yellow"),
        max_length=NAME_LENGTH,
        error_messages={"required": _("Enter a team name.")},
    )
    source_1 = SourceField()
    source_2 = SourceField()
    language = language_field()
    game = forms.ChoiceField(
        choices=game_choices, widget=forms.RadioSelect, error_messages={"required": _("Choose a game.")}
    )
    window_s = duration("window_s", (12, 20, 30, 60, 300, 3600, 86400))
    talk_s = duration("talk_s", (15, 30, 60, 120), empty=pgettext_lazy("duration", "None"))
    host_wait_s = duration("host_wait_s", (30, 60, 120), empty=_("Never"))
    pace = forms.ChoiceField(
        **texts("pace"),
        choices=pace_choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a pace.")},
    )
    tally_method = forms.ChoiceField(
        **texts("tally_method"),
        choices=method_choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a voting method.")},
    )
    best_of = forms.TypedChoiceField(
        **texts("best_of"), coerce=int, empty_value=None, required=False, widget=forms.RadioSelect
    )
    embed_sites = SitesField()
    next_match_after_s = duration("next_match_after_s", (10, 30, 60, 300), empty=_("When I start it"))

    class Meta:
        model = Event
        fields = ["name", "language", "game", *SETTINGS]
        widgets = {name: forms.RadioSelect for name in SETTINGS if column_of(Event, name).choices} | {
            "consent": forms.Textarea({"rows": 4})
        }

    def __init__(
        self,
        *args: Any,
        names: Sequence[str] = (),
        sources: Mapping[int, str] = NO_SOURCES,
        solo: bool = False,
        **kwargs: Any,
    ) -> None:
        """`names`, `sources` and `solo` apply to new events only.

        `names` are the team names, random if omitted. `sources` are those of the teams without phones, by
        number. With `solo`, the first team is one person.
        """
        self._solo = solo
        kwargs.setdefault("instance", Event())
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["max_side_changes"].required = False
        if settings.MAX_SHARDS == 1:
            del self.fields["shards"]
        if self.instance.pk:
            for name in (*HIDING, "team_discussion"):  # console switches; a stale form would revert them
                del self.fields[name]
        named = enumerate(names or random_team_names(), 1)
        teams = [(name, sources.get(number, PHONES)) for number, name in named]
        if self.instance.pk:
            teams = list(self.instance.teams.order_by("number").values_list("name", "source"))
        for name_field, source_field, (name, source) in zip(TEAM_FIELDS, SOURCE_FIELDS, teams, strict=True):
            self.initial.update({name_field: name, source_field: source})
        self.init_clock_fields(self.instance.bank_s)
        self._initial_values = self._current_values()
        self.fields["resign"].choices = [("", gettext("Teams cannot resign")), *choices(ResignShare)]  # type: ignore[attr-defined]
        self.fields["pace"].choices = pace_choices(self.instance.pace)  # type: ignore[attr-defined]
        self._offer_series()
        add_option_fields(self)

    def _offer_series(self) -> None:
        """Offer the usual series lengths, and the event's own if it is another one."""
        own = self.instance.best_of
        offered = dict(SERIES_LABELS)
        if own is not None and own not in offered:
            offered[own] = gettext("Best of %(count)d") % {"count": own}
        self.fields["best_of"].choices = [("", gettext("No series")), *offered.items()]  # type: ignore[attr-defined]

    @property
    def games(self) -> list[tuple[Any, str, list[BoundField]]]:
        return game_rows(self)

    @property
    def open_sections(self) -> set[str]:
        """Names of the collapsible sections that have an error or a non-default value."""
        shown = {name: declared.section for name, declared in SETTINGS.items() if name in self.fields}
        return {
            fold
            for name, fold in shown.items()
            if fold != "vote" and name not in FIRST_FIELDS and self._is_notable(name)
        }

    @property
    def differs_from_presets(self) -> bool:
        """Whether a folded setting has an error, or the settings are those of no preset."""
        own = _folded_values(self.instance)
        known = any(own == _folded_values(preset.build_event()) for preset in PRESETS)
        return bool(self.errors.keys() - FIRST_FIELDS) or not known

    @property
    def hiding(self) -> list[BoundField]:
        """The fields that hide parts of the projector. Later they are switches in the console."""
        return [self[name] for name in HIDING if name in self.fields]

    def _is_notable(self, name: str) -> bool:
        return bool(self[name].errors) or getattr(self.instance, name) != getattr(Event(), name)

    @property
    def admissions(self) -> "list[tuple[Any, StrOrPromise]]":
        """Each admission mode's radio button and its explanation."""
        return [(button, ADMISSION_TEXTS[Admission(button.data["value"])]) for button in self["admission"]]

    @property
    def methods(self) -> list[tuple[Any, str]]:
        """Each voting method's radio button and its explanation."""
        hints = [(button, METHODS[button.data["value"]].hint) for button in self["tally_method"]]
        return [(button, gettext(hint)) for button, hint in hints]

    def clean_language(self) -> str:
        return self.cleaned_data["language"] or self.instance.language

    def clean_talk_s(self) -> int:
        return self.cleaned_data["talk_s"] or 0

    def clean_max_side_changes(self) -> int:
        return self.cleaned_data["max_side_changes"] or 0

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        names = [cleaned.get(field, "").casefold() for field in TEAM_FIELDS]
        if names[0] and names[0] == names[1]:
            self.add_error("team_2", gettext("Enter two different team names."))
        elif all(names) and not cleaned.get("name"):
            cleaned["name"] = default_event_name(self._team_names())
        apply_options(self, cleaned)
        self.instance.crowd_clocks = self.clean_clocks(cleaned)
        switches = {"team_discussion": self.instance.team_discussion}
        for name, error in conflicts(switches | cleaned, self.instance.crowd_clocks):
            self.add_error(name, error)
        if cleaned.get("in_study") and not cleaned.get("consent"):
            self.add_error("consent", gettext("Enter a text that names the study and its purpose."))
        return cleaned

    def create(self, owner: User) -> Event:
        named = [name for name in self.Meta.fields if name in self.fields and name != "name"]
        choices = {name: self.cleaned_data[name] for name in named}
        choices |= {name: getattr(self.instance, name) for name in DERIVED_FIELDS}
        with transaction.atomic():
            event = create_event(owner, self.cleaned_data["name"], self._team_names(), **choices)
            self._write_teams(event)
            if self._solo:
                make_solo(event)
        return event

    def save_changes(self) -> bool:
        """Save the changes under the event lock and return whether that worked. False: the form has errors.

        Writes only the form's own columns, because others may have changed meanwhile. Refuses to change the
        source of a team's ballots during a match.
        """
        with locked_event(self.instance.pk) as event:
            held = self._changed_sources(event)
            if held and event.matches.filter(state=MatchState.PLAYING).exists():
                text = gettext("A match is live. Change this when the match is over.")
                self.add_error(held[0], text)
                return False
            named = [name for name in self.Meta.fields if name in self.fields]
            self.instance.save(update_fields=[*named, *DERIVED_FIELDS])
            self._write_teams(self.instance)
        return True

    @property
    def changes(self) -> list[LogText]:
        """Describe the changes for the audit log: labels of changed fields, with short values."""
        now = self._current_values() | {
            name: self.cleaned_data[name] for name in (*TEAM_FIELDS, *SOURCE_FIELDS)
        }
        changed = [name for name, value in now.items() if value != self._initial_values[name]]
        with override(None):  # labels as messages, untranslated
            return [self._describe(name) for name in changed]

    def _current_values(self) -> dict[str, Any]:
        """Return the initial values of the team fields, and the instance's values of all other fields."""
        teams = {name: self.initial[name] for name in (*TEAM_FIELDS, *SOURCE_FIELDS)}
        own = {name: getattr(self.instance, name) for name in self.Meta.fields if name in self.fields}
        game = all_games().get(self.instance.game)
        options = stored_options(game, self.instance.options) if game else None
        return teams | own | {gettext_noop("Game options"): options}

    def _describe(self, name: str) -> LogText:
        if name not in self.fields:
            return LogText(name)
        field, value = self.fields[name], self.cleaned_data.get(name)
        label = LogText(
            str(field.label if isinstance(field, NameField) else _labels().get(name, field.label))
        )
        if isinstance(field, DurationField) and value:
            return LogText(gettext_noop("%(label)s: %(duration)s"), {"label": label, "duration": value})
        if isinstance(field, NameField):
            return LogText(gettext_noop("%(label)s: %(name)s"), {"label": label, "name": value})
        return label

    def _write_teams(self, event: Event) -> None:
        event.teams.update(source=PHONES)  # so that two teams can swap their channels
        for number, name in enumerate(self._team_names(), 1):
            source = self.cleaned_data[SOURCE_FIELDS[number - 1]]
            event.teams.filter(number=number).update(name=name, source=source)

    def _changed_sources(self, event: Event) -> list[str]:
        sources = event.teams.order_by("number").values_list("source", flat=True)
        pairs = zip(SOURCE_FIELDS, sources, strict=True)
        return [field for field, source in pairs if self.cleaned_data[field] != source]

    def _team_names(self) -> tuple[str, str]:
        return self.cleaned_data["team_1"], self.cleaned_data["team_2"]


def _folded_values(event: Event) -> dict[str, Any]:
    """Return the values of the folded settings. The sound and other parts are switched during events."""
    names = SETTINGS.keys() - FIRST_FIELDS - set(HIDING)
    game = all_games().get(event.game)
    options = stored_options(game, event.options) if game else None
    return {name: getattr(event, name) for name in names} | {"game": event.game, "options": options}


def _labels() -> dict[str, str]:
    return {column.name: str(column.verbose_name) for column in Event._meta.concrete_fields}
