"""Generator of what the screens need to know of each voting method.

`render` turns the registry of `voting.counting.methods` into the text of `frontend/src/methods.ts`.
"""

import json
from collections.abc import Mapping

from voting.counting.methods.voting_method import DEFAULT_METHOD, METHODS

TEXT = """\
// Generated from voting/counting/methods/ by `manage.py generate_protocol`. Edits here are lost.
import type {{ Deciding, TallyMethod }} from "./protocol";

export const DEFAULT_METHOD = {default};

/** The most votes that one ballot can give a choice. */
export const MAX_VOTES: {{ readonly [method in TallyMethod]: number }} = {max_votes};

/** Decisions by the counts alone. */
export const COUNTED_DECISIONS: readonly Deciding[] = {counted};

/** Captions under a pick. */
export const CAPTIONS: {{ readonly [decision in Deciding]?: string }} = {captions};

/** Captions under a pick after several rounds of a runoff. */
export const ROUNDS_CAPTIONS: {{ readonly [decision in Deciding]?: string }} = {rounds_captions};
"""


def render() -> str:
    """Return the whole module. Deterministic."""
    methods = METHODS.values()
    return TEXT.format(
        default=_literal(DEFAULT_METHOD),
        max_votes=_table({method.name: method.max_votes for method in methods}),
        counted=_literal([method.decided_by for method in methods if method.counts_decide]),
        captions=_table({method.decided_by: method.caption for method in methods if method.caption}),
        rounds_captions=_table(
            {method.decided_by: method.rounds_caption for method in methods if method.rounds_caption}
        ),
    )


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _table(values: Mapping[str, object]) -> str:
    rows = [f"  {name}: {_literal(value)},\n" for name, value in values.items()]
    return f"{{\n{''.join(rows)}}}"
