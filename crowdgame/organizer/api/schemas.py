"""Bodies and answers of the API. Those of actions and settings derive from where they are declared."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, cast, get_type_hints

import msgspec
from django import forms
from django.utils.translation import override
from msgspec import UNSET, Meta, Struct, UnsetType

from crowdgame.events.durations import DurationField
from crowdgame.events.forms import EventForm
from crowdgame.events.game_options import option_fields
from crowdgame.events.presets import PRESETS_BY_SLUG
from crowdgame.organizer.api.webhooks import TYPES
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.actions.registry import OrganizerAction
from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn
from crowdgame.server.web.outgoing_request import MAX_URL_LENGTH
from games.engine.registry import all_games
from voting.counting.tally import SideTally
from voting.protocol import ActionAsk

ASK_TYPES = get_type_hints(ActionAsk, include_extras=True)
# An action's parameter with the field of `ActionAsk` that it has another name than.
RENAMED = {"turn_id": "turn"}


class EventRow(Struct, frozen=True, kw_only=True):
    """An event in the list. `created_at` is in UTC."""

    code: str
    name: str
    created_at: str


class EventPage(Struct, frozen=True, kw_only=True):
    """Some events, the newest first. `after` is the argument for the next ones; null if there are none."""

    items: list[EventRow]
    after: int | None


class MatchRow(Struct, frozen=True, kw_only=True):
    """A match of an event. `result` is null until it has ended; `ended_at` is in milliseconds since 1970."""

    match: int
    state: str
    result: str | None
    ended_by: str | None
    ended_at: int | None
    rehearsed: bool


class Turn(Struct, frozen=True, kw_only=True):
    """A revealed turn: what the sides picked, and how they voted. `resolved_at`: milliseconds since 1970."""

    number: int
    resolved_at: int
    red_pick: int | None
    yellow_pick: int | None
    red: SideTally | None
    yellow: SideTally | None


class Match(MatchRow, frozen=True, kw_only=True):
    """A match with its revealed turns, in order. While its sides are secret, it has no turns."""

    turns: list[Turn]


class TurnAnalysis(Struct, frozen=True, kw_only=True):
    """What best play was in a turn. As on the report page, withheld for the position that is voted on."""

    number: int
    analysis: AnalyzedTurn


class CupRow(Struct, frozen=True, kw_only=True):
    """A cup in the list."""

    code: str
    name: str
    format: str


class CupTeam(Struct, frozen=True, kw_only=True):
    """A team of a cup. `seed` is its place in the draw, from 1.

    `source` is `phones`, or for example `bot:3` for the computer that fills a free place.
    """

    seed: int
    name: str
    source: str


class CupPairing(Struct, frozen=True, kw_only=True):
    """A pairing that has started: the seeds of its teams, and its event, unless that was deleted."""

    number: int
    red: int
    yellow: int
    event: str | None
    walkover: int | None


class Cup(CupRow, frozen=True, kw_only=True):
    """A cup with its teams and the pairings that have started."""

    teams: list[CupTeam]
    pairings: list[CupPairing]


class WebhookRow(Struct, frozen=True, kw_only=True):
    """A webhook in the list. It is paused after failures since `paused_at`; null while it runs."""

    id: int
    url: str
    types: list[str]
    paused_at: datetime | None


class AddedWebhook(WebhookRow, frozen=True, kw_only=True):
    """A new webhook with the secret of its signatures, which can't be read again."""

    secret: str


class Resend(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The message to send again."""

    message_id: str


class DeliveryRow(Struct, frozen=True, kw_only=True):
    """A message to a webhook. `message_id` is its header `webhook-id`.

    `status` is the HTTP status of the last attempt: null before the first one, 0 without an answer; `reason`
    says why. `due_at` is the next attempt, null if there is none.
    """

    message_id: str
    type: str
    created_at: datetime
    due_at: datetime | None
    attempts: int
    status: int | None
    reason: str
    duration_ms: int | None


class Refusal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a request was refused (RFC 9457). `errors` has the messages by setting."""

    title: str
    status: int
    errors: Mapping[str, list[str]] | None = None


def offered_actions() -> dict[str, OrganizerAction]:
    """The actions of the console, without those that only a gateway can run."""
    return {name: one for name, one in ACTIONS.items() if "host" not in one.parameters}


def action_body(one: OrganizerAction) -> type[Struct]:
    """The arguments of an action: the fields of `ActionAsk` that it takes."""
    names = [RENAMED.get(name, name) for name in one.parameters]
    fields = [(name, ASK_TYPES[name], None) for name in names if name in ASK_TYPES]
    title = "".join(map(str.capitalize, re.split(r"[._]", one.name)))
    return msgspec.defstruct(title, fields, frozen=True, forbid_unknown_fields=True, kw_only=True)


def new_webhook_body() -> type[Struct]:
    """The body that adds a webhook. Without types, it receives all."""
    kind: Any = Literal[TYPES]
    fields: list[Any] = [("url", Annotated[str, Meta(max_length=MAX_URL_LENGTH)]), ("types", list[kind], [])]
    return msgspec.defstruct("NewWebhook", fields, frozen=True, forbid_unknown_fields=True, kw_only=True)


def new_event_body() -> type[Struct]:
    """The body that creates an event: the fields of the event form. What it omits is as in the preset."""
    with override("en"):
        return _new_event_body(EventForm())


def _new_event_body(form: EventForm) -> type[Struct]:
    options = {name for game in all_games().values() for name in option_fields(game, {})}
    kinds = {name: _field_type(field) for name, field in form.fields.items() if name not in options}
    kinds["options"] = Annotated[dict[str, Any], Meta(description="Options of the game")]
    fields: list[Any] = [(name, kind | UnsetType, UNSET) for name, kind in kinds.items()]
    fields.append(("preset", Literal[tuple(PRESETS_BY_SLUG)], "empty"))
    return msgspec.defstruct("NewEvent", fields, frozen=True, forbid_unknown_fields=True, kw_only=True)


def _offered(field: forms.ChoiceField) -> Iterator[Any]:
    """The values of a choice, apart from "none"."""
    for value, _label in cast("list[tuple[Any, str]]", field.choices):
        if value != "":
            coerced = field.coerce(value) if isinstance(field, forms.TypedChoiceField) else value
            yield coerced if isinstance(coerced, int) else str(coerced)


def _field_type(field: forms.Field) -> Any:
    """The type of a form field's value."""
    kind: Any
    may_be_null = not field.required
    if isinstance(field, DurationField):
        kind = Annotated[int, Meta(ge=field.limits[0], le=field.limits[1])]
    elif isinstance(field, forms.ChoiceField):
        kind = Literal[tuple(_offered(field))]
    elif isinstance(field, forms.BooleanField):
        kind, may_be_null = bool, False
    elif isinstance(field, forms.IntegerField):
        kind = Annotated[int, Meta(ge=cast(int, field.min_value), le=cast(int, field.max_value))]
    else:
        kind = Annotated[str, Meta(max_length=getattr(field, "max_length", None))]
    text = ". ".join(str(part).rstrip(".") for part in (field.label, field.help_text) if part)
    return Annotated[kind | None if may_be_null else kind, Meta(description=text)]
