"""What a page's heap holds, kind by kind, from a snapshot of it."""

import json
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession

# The engine compiles what is hot as long as it gets hotter: that is its own, and not kept by the page.
MACHINE_CODE = "code"
# With it come the lists of what it depends on.
BESIDE_CODE = ("system / WeakArrayList", "system / ProtectedFixedArray", "system / SharedFunctionInfoWrapper")
# The browser keeps a record of fixed length of what was slow, for whoever asks.
RECORDS = ("Performance", "LayoutShift", "TaskAttribution", "blink::ScriptTimingInfo")


@dataclass(frozen=True, slots=True)
class Heap:
    """Bytes: of the page's own objects, its nodes and styles among them, and of machine code."""

    own: int
    code: int


def heap_of(cdp: CDPSession) -> Heap:
    """Its garbage is collected before."""
    chunks: list[str] = []

    def keep(event: dict[str, str]) -> None:
        chunks.append(event["chunk"])

    cdp.on("HeapProfiler.addHeapSnapshotChunk", keep)
    cdp.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    cdp.remove_listener("HeapProfiler.addHeapSnapshotChunk", keep)
    return weigh(json.loads("".join(chunks)))


def weigh(snapshot: dict[str, Any]) -> Heap:
    meta, strings, nodes = snapshot["snapshot"]["meta"], snapshot["strings"], snapshot["nodes"]
    fields, kinds = meta["node_fields"], meta["node_types"][0]
    step = len(fields)
    kind, name, size = (nodes[fields.index(field) :: step] for field in ("type", "name", "self_size"))
    own = code = 0
    for of, called, weighs in zip(kind, name, size, strict=True):
        if kinds[of] == MACHINE_CODE or strings[called] in BESIDE_CODE:
            code += weighs
        elif not strings[called].startswith(RECORDS):
            own += weighs
    return Heap(own, code)
