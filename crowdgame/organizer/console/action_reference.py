"""Generators of `frontend/src/actions.ts` and `docs/generated/actions.md` from the registry of actions."""

import json
from collections.abc import Iterable

from crowdgame.events.permissions import ROLE_PERMISSIONS
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.actions.registry import OrganizerAction
from voting.protocol import ActionAsk

TYPESCRIPT = """\
// Generated from crowdgame/organizer/console/actions/ by `manage.py generate_actions`. Do not edit.
import {{ p, t }} from "./live/i18n";

export type Action = {names};

/** `done`: the text after success. `confirm`: asks for a second click. `withClocks`: possible with clocks. */
export interface ActionText {{
  label: string;
  done: (time: string) => string;
  confirm: string;
  keys: {{ readonly [key: string]: string }};
  withClocks: boolean;
}}

export const ACTIONS: {{ readonly [action in Action]: ActionText }} = {{
{rows}
}};
"""
MARKDOWN = """\
# Organizer actions

<!-- Generated from crowdgame/organizer/console/actions/ by `manage.py generate_actions`. Do not edit. -->

Every action of the [console](../organizing.md#console) and of
[`action.ask`](messages.md#actionask), with the fields that it takes. *Confirmed* actions take two clicks.
Those with *clocks* are also possible in a match with clocks.

| action | effect | acts on | fields | keys | confirmed | clocks | undone by | allowed for |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"""


def render_typescript() -> str:
    """Return the whole module. Deterministic."""
    names = sorted(ACTIONS)
    rows = (f"  {json.dumps(name)}: {_texts(ACTIONS[name])}," for name in names)
    return TYPESCRIPT.format(names=" | ".join(map(json.dumps, names)), rows="\n".join(rows))


def render_markdown() -> str:
    """Return the whole page. Deterministic."""
    return MARKDOWN.format(rows="\n".join(_row(ACTIONS[name]) for name in sorted(ACTIONS)))


def _texts(one: OrganizerAction) -> str:
    button = f'p("button", {_literal(one.label)})' if one.label else '""'
    keys = ", ".join(f"{_literal(key)}: t({_literal(text)})" for key, text in one.keys.items())
    keys = f"{{ {keys} }}" if keys else "{}"
    timed = "%(time)s" in one.done
    done = f"(time) => t({_literal(one.done)}, {{ time }})" if timed else f"() => t({_literal(one.done)})"
    confirm = f"t({_literal(one.confirm)})" if one.confirm else '""'
    clocks = json.dumps(one.with_clocks)
    return f"{{ label: {button}, done: {done}, confirm: {confirm}, keys: {keys}, withClocks: {clocks} }}"


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _row(one: OrganizerAction) -> str:
    fields = [name.replace("turn_id", "turn") for name in one.parameters]
    roles = [role for role, permissions in ROLE_PERMISSIONS.items() if one.permission in permissions]
    cells = (
        _code([one.name]),
        one.meaning,
        one.target,
        _code(name for name in fields if name in ActionAsk.__struct_fields__),
        _code(one.keys),
        "yes" if one.confirm else "",
        "yes" if one.with_clocks else "",
        _code([one.undo.inverse] if one.undo else []),
        ", ".join(roles),
    )
    return f"| {' | '.join(cells)} |"


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
