"""Generator of what the screens need to know of each voting method.

From the registry of `voting.counting.methods`, `render` makes `frontend/src/methods.ts`, and
`render_captions` makes `frontend/src/methodCaptions.ts`.
"""

import json
import re
from collections.abc import Mapping, Sequence

from voting.counting.methods.voting_method import DEFAULT_METHOD, METHODS

TEXT = """\
// Generated from voting/counting/methods/ by `manage.py generate_protocol`. Edits here are lost.
import type {{ Deciding, TallyMethod }} from "./protocol";

export const DEFAULT_METHOD = {default};

/** The most votes that one ballot can give a choice. */
export const MAX_VOTES: {{ readonly [method in TallyMethod]: number }} = {max_votes};

/** Decisions by the counts alone. */
export const COUNTED_DECISIONS: readonly Deciding[] = {counted};
"""

CAPTIONS_TEXT = """\
// Generated from voting/counting/methods/ by `manage.py generate_protocol`. Edits here are lost.
import {{ formatNumber }} from "./live/format";
import {{ n, t }} from "./live/i18n";
import type {{ Deciding }} from "./protocol";

/** What the captions under a pick contain. */
interface CaptionValues {{
  ballots: number;
  share: string;
  round: number;
}}

type Captions = {{ readonly [decision in Deciding]?: (values: CaptionValues) => string }};

/** Captions under a pick. */
export const CAPTIONS: Captions = {captions};

/** Captions under a pick after several rounds of a runoff. */
export const ROUNDS_CAPTIONS: Captions = {rounds_captions};
"""


def render() -> str:
    """Return the whole module. Deterministic."""
    methods = METHODS.values()
    return TEXT.format(
        default=_literal(DEFAULT_METHOD),
        max_votes=_table({method.name: method.max_votes for method in methods}),
        counted=_literal([method.decided_by for method in methods if method.counts_decide]),
    )


def render_captions() -> str:
    """Return the whole module of the captions on the projector. Deterministic."""
    methods = METHODS.values()
    return CAPTIONS_TEXT.format(
        captions=_functions({method.decided_by: method.caption for method in methods}),
        rounds_captions=_functions({method.decided_by: method.rounds_caption for method in methods}),
    )


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _table(values: Mapping[str, object]) -> str:
    return _rows({name: _literal(value) for name, value in values.items()})


def _functions(captions: Mapping[str, Sequence[str]]) -> str:
    return _rows({name: _function(texts) for name, texts in captions.items() if texts})


def _function(texts: Sequence[str]) -> str:
    """Return a function that translates a caption, or its singular and plural."""
    literals = ", ".join(map(_literal, texts))
    if len(texts) > 1:
        return f"({{ ballots }}) => n({literals}, ballots, {{ count: formatNumber(ballots) }})"
    fields = ", ".join(re.findall(r"%\((\w+)\)s", texts[0]))
    return f"({{ {fields} }}) => t({literals}, {{ {fields} }})" if fields else f"() => t({literals})"


def _rows(values: Mapping[str, str]) -> str:
    rows = [f"  {name}: {value},\n" for name, value in values.items()]
    return f"{{\n{''.join(rows)}}}"
