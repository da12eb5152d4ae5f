"""Chromium's developer tools: throttling, faster time, and the memory of an idle page."""

import json
from typing import Any

from playwright.sync_api import Page

# The browser's "Slow 3G": nominally 400 ms and 500 kbit/s, in application-level values.
SLOW_3G = {"offline": False, "latency": 2000, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
SLOW_CPU = 4
# Make time in a page run `rate` times as fast: clocks, timers and frames.
FASTER_JS = """(rate) => {
  const [date, time] = [Date.now, performance.now.bind(performance)];
  const [timer, ticker, frame] = [setTimeout, setInterval, requestAnimationFrame];
  const [at, since] = [date(), time()];
  const faster = (stamp) => since + (stamp - since) * rate;
  Date.now = () => Math.round(at + (date() - at) * rate);
  performance.now = () => faster(time());
  window.setTimeout = (act, ms = 0, ...rest) => timer(act, ms / rate, ...rest);
  window.setInterval = (act, ms = 0, ...rest) => ticker(act, ms / rate, ...rest);
  window.requestAnimationFrame = (draw) => frame((stamp) => draw(faster(stamp)));
}"""
# What grows without belonging to the page: compiled code, and performance records of limited length.
CODE = ("system / WeakArrayList", "system / ProtectedFixedArray", "system / SharedFunctionInfoWrapper")
RECORDS = ("Performance", "LayoutShift", "TaskAttribution", "blink::ScriptTimingInfo")


def slow_down(page: Page, cpu: int = SLOW_CPU, network: dict[str, Any] | None = None) -> None:
    cdp = page.context.new_cdp_session(page)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": cpu})
    if network:
        cdp.send("Network.enable")
        cdp.send("Network.emulateNetworkConditions", network)


def speed_up(page: Page, rate: float) -> None:
    """Effective from the next page load."""
    page.add_init_script(f"({FASTER_JS})({rate})")
    page.context.new_cdp_session(page).send("Animation.setPlaybackRate", {"playbackRate": rate})


def idle_memory(page: Page) -> tuple[int, int]:
    """The bytes of the page's own objects, and its nodes: the least number within two seconds.

    A page re-renders every second; for a moment both old and new nodes exist.
    """
    cdp = page.context.new_cdp_session(page)
    nodes = []
    for _ in range(8):
        cdp.send("HeapProfiler.collectGarbage")
        nodes.append(cdp.send("Memory.getDOMCounters")["nodes"])
        page.wait_for_timeout(250)
    chunks: list[str] = []
    cdp.on("HeapProfiler.addHeapSnapshotChunk", lambda event: chunks.append(event["chunk"]))
    cdp.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    cdp.detach()
    return own_bytes(json.loads("".join(chunks))), min(nodes)


def own_bytes(snapshot: dict[str, Any]) -> int:
    meta, strings, nodes = snapshot["snapshot"]["meta"], snapshot["strings"], snapshot["nodes"]
    fields, kinds = meta["node_fields"], meta["node_types"][0]
    parts = (nodes[fields.index(field) :: len(fields)] for field in ("type", "name", "self_size"))
    return sum(
        size
        for kind, name, size in zip(*parts, strict=True)
        if kinds[kind] != "code" and strings[name] not in CODE and not strings[name].startswith(RECORDS)
    )
