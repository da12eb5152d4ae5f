"""The contents of a page's heap by kind, from a snapshot."""

import json
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession

# The engine keeps compiling hot code; this memory does not belong to the page.
MACHINE_CODE = "code"
# Lists of the code's dependencies.
CODE_LISTS = ("system / WeakArrayList", "system / ProtectedFixedArray", "system / SharedFunctionInfoWrapper")
# The browser's own performance records of limited length.
RECORDS = ("Performance", "LayoutShift", "TaskAttribution", "blink::ScriptTimingInfo")


@dataclass(frozen=True, slots=True)
class Heap:
    """Bytes of the page's own objects, including nodes and styles, and of machine code."""

    own: int
    code: int


def take_heap_snapshot(cdp: CDPSession) -> Heap:
    """Take a snapshot, which collects garbage first."""
    chunks: list[str] = []

    def keep(event: dict[str, str]) -> None:
        chunks.append(event["chunk"])

    cdp.on("HeapProfiler.addHeapSnapshotChunk", keep)
    cdp.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    cdp.remove_listener("HeapProfiler.addHeapSnapshotChunk", keep)
    return sum_by_kind(json.loads("".join(chunks)))


def sum_by_kind(snapshot: dict[str, Any]) -> Heap:
    meta, strings, nodes = snapshot["snapshot"]["meta"], snapshot["strings"], snapshot["nodes"]
    fields, kinds = meta["node_fields"], meta["node_types"][0]
    step = len(fields)
    kind, name, size = (nodes[fields.index(field) :: step] for field in ("type", "name", "self_size"))
    own = code = 0
    for of, called, weighs in zip(kind, name, size, strict=True):
        if kinds[of] == MACHINE_CODE or strings[called] in CODE_LISTS:
            code += weighs
        elif not strings[called].startswith(RECORDS):
            own += weighs
    return Heap(own, code)
