"""The `action` decorator. The console, permissions, undo, audit log and docs derive from it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from crowdgame.events.audit_text import LogText
from crowdgame.events.permissions import EventPermission
from voting.protocol import EventState, Pressed

# What an action acts on, and the argument that names it.
TARGETS = {"event": "", "match": "", "turn": "turn", "part": "part", "voter": "voter_code"}
Target = Literal["event", "match", "turn", "part", "voter"]


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What was done, for the audit log.

    `arguments` are those of the action as recorded, fields of `Pressed`. `undo` are those of its inverse, if
    they differ. With `final`, no action restores the state before.
    """

    what: LogText
    arguments: Mapping[str, Any] = field(default_factory=dict)
    undo: Mapping[str, Any] | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class CurrentState:
    """What decides whether an action can be undone: the event, and whether simulated phones are playing.

    `at` is ballot box time in milliseconds.
    """

    event: EventState
    at: int
    rehearsing: bool


Run = TypeVar("Run", bound=Callable[..., ActionResult])


@dataclass(frozen=True, slots=True)
class Undo:
    """How an action is undone: by the action `inverse`, while its effect `holds` and nothing has replaced it.

    If `cumulative`, it can be undone although it was repeated or reverted since. With `only_last`, the same
    action on any other target replaces it too.
    """

    inverse: str
    holds: Callable[[Pressed, CurrentState], bool]
    cumulative: bool
    only_last: bool


@dataclass(frozen=True, slots=True)
class OrganizerAction:
    """An action of the console.

    `run` is called with the arguments that its parameters name: `event_id`, `box`, `turn` (the live turn),
    `turn_id`, `host` (`DryRunHost`), or fields of `ActionAsk`. Its docstring's first paragraph documents the
    action. It raises MatchError if the action isn't possible now.

    Attributes:
        label: the button, where it never changes.
        done: the text after success. `%(time)s` stands for the argument `seconds`.
        confirm: the button's text between the first and the confirming second click, if it needs one.
        keys: shortcuts in the console and their descriptions.
        with_clocks: whether it is possible in a match with clocks.
    """

    name: str
    run: Callable[..., ActionResult]
    permission: EventPermission
    target: Target
    done: str
    label: str = ""
    confirm: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    with_clocks: bool = True
    undo: Undo | None = None

    @property
    def meaning(self) -> str:
        return " ".join((inspect.getdoc(self.run) or "").split("\n\n")[0].split())

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.run).parameters)


ACTIONS: dict[str, OrganizerAction] = {}
_undos: dict[Callable[..., ActionResult], Undo] = {}


def action(
    name: str, *, target: Target, done: str, permission: EventPermission = "run", **more: Any
) -> Callable[[Run], Run]:
    """Register the decorated function as the action `name`, with the attributes of OrganizerAction."""

    def register(run: Run) -> Run:
        ACTIONS[name] = OrganizerAction(name, run, permission, target, done, undo=_undos.get(run), **more)
        return run

    return register


def undone_by(
    inverse: str,
    holds: Callable[[Pressed, CurrentState], bool] = lambda _pressed, _now: True,
    *,
    cumulative: bool = False,
    only_last: bool = False,
) -> Callable[[Run], Run]:
    """Declare how the action below `action` is undone. Without it, it can't be undone."""

    def declare(run: Run) -> Run:
        _undos[run] = Undo(inverse, holds, cumulative, only_last)
        return run

    return declare
