"""Registry of the voting methods. A module of this package with a METHOD is one method.

It holds everything about the method on the server. If ballots have several choices, the phone's control is in
`frontend/src/phone/ballot/methods.ts`. `docs/verify.py` and `frontend/src/verify/` count each method again.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Literal, get_args

from voting.counting.methods.voting_method import DEFAULT_METHOD, METHODS, VotingMethod
from voting.counting.types import RuleDecision


def _load_methods() -> Mapping[str, VotingMethod]:
    """Return the methods by name: the default one, then by label."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found: list[VotingMethod] = [module.METHOD for module in modules if hasattr(module, "METHOD")]
    found.sort(key=lambda method: (method.name != DEFAULT_METHOD, method.label))
    return {method.name: method for method in found}


METHODS.update(_load_methods())

if TYPE_CHECKING:
    TallyMethod = str
    Deciding = str
else:
    TallyMethod = Literal[tuple(METHODS)]
    Deciding = Literal[(*(method.decided_by for method in METHODS.values()), *get_args(RuleDecision))]
