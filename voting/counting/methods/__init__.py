"""Registry of the voting methods. A module of this package with a METHOD is one method.

It holds everything about the method on the server. The phone's control is in
`frontend/src/phone/ballot/methods.ts`, and `docs/verify.py` counts each method again on its own.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Literal, get_args

from voting.counting.methods.voting_method import VotingMethod
from voting.counting.types import RuleDecision

DEFAULT_METHOD = "plurality"


class UnknownMethod(Exception):
    """There is no voting method with this name; the message can be shown to users."""


def _load_methods() -> Mapping[str, VotingMethod]:
    """Return the methods by name: the default one, then by label."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found: list[VotingMethod] = [module.METHOD for module in modules if hasattr(module, "METHOD")]
    found.sort(key=lambda method: (method.name != DEFAULT_METHOD, method.label))
    return {method.name: method for method in found}


METHODS = _load_methods()

if TYPE_CHECKING:
    TallyMethod = str
    Deciding = str
else:
    TallyMethod = Literal[tuple(METHODS)]
    Deciding = Literal[(*(method.decided_by for method in METHODS.values()), *get_args(RuleDecision))]


def find_method(name: str | None) -> VotingMethod:
    """Return the voting method with this name. None: the default method. Raises UnknownMethod."""
    method = METHODS.get(name or DEFAULT_METHOD)
    if method is None:
        raise UnknownMethod(f"There is no voting method “{name}”.")
    return method
