"""Mutmut, but also for functions that a decorator only registers, such as console actions.

python -m tests.mutants.decorated run …     # arguments of mutmut

Mutmut skips decorated functions, because each copy of one would be decorated again. Here the copies have no
decorator.
"""

from typing import Any

import libcst
from mutmut.mutation import file_mutation

REGISTERING = {"action", "undone_by"}
cst: Any = libcst
mutation: Any = file_mutation
skip_node_and_children = mutation.MutationVisitor._skip_node_and_children
arrange_function = mutation.function_trampoline_arrangement


def is_registered(node: Any) -> bool:
    """Whether the node is a function with decorators, all of which only register it."""
    return (
        isinstance(node, cst.FunctionDef)
        and bool(node.decorators)
        and all(_decorator_name(one) in REGISTERING for one in node.decorators)
    )


def _decorator_name(node: Any) -> str:
    call = node.decorator
    return str(call.func.value) if isinstance(call, cst.Call) and isinstance(call.func, cst.Name) else ""


def _skip(visitor: Any, node: Any) -> bool:
    return not is_registered(node) and bool(skip_node_and_children(visitor, node))


def _arrange(function: Any, *others: Any, **more: Any) -> Any:
    """Keep the decorators at the first function only, which calls the original or the mutant."""
    declared, [called, *copies], assigned, names = arrange_function(function, *others, **more)
    if is_registered(function):
        copies = [copy.with_changes(decorators=()) for copy in copies]
    return declared, [called, *copies], assigned, names


if __name__ == "__main__":
    from mutmut.__main__ import cli

    mutation.MutationVisitor._skip_node_and_children = _skip
    mutation.function_trampoline_arrangement = _arrange
    cli()
