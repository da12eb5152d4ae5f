"""Chromium's developer tools: throttling, faster time, and the memory of an idle page, dropped frames."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.e2e.scripts import page_script

# The browser's "Slow 3G": nominally 400 ms and 500 kbit/s, in application-level values.
SLOW_3G = {"offline": False, "latency": 2000, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
SLOW_CPU = 4
# What grows without belonging to the page: compiled code, and performance records of limited length.
CODE = ("system / WeakArrayList", "system / ProtectedFixedArray", "system / SharedFunctionInfoWrapper")
RECORDS = ("Performance", "LayoutShift", "TaskAttribution", "blink::ScriptTimingInfo")
# The compositor's record of shown and dropped frames.
CATEGORIES = ("cc", "benchmark", "blink.user_timing", "disabled-by-default-devtools.timeline.frame")
DROPPED = "STATE_DROPPED"
SHOWN = ("STATE_PRESENTED_ALL", "STATE_PRESENTED_PARTIAL")
Frame = dict[str, Any]


def slow_down(page: Page, cpu: int = SLOW_CPU, network: dict[str, Any] | None = None) -> None:
    cdp = page.context.new_cdp_session(page)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": cpu})
    if network:
        cdp.send("Network.enable")
        cdp.send("Network.emulateNetworkConditions", network)


def speed_up(page: Page, rate: float) -> None:
    """Effective from the next page load."""
    page.add_init_script(f"({page_script('faster')})({rate})")
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


def traced_frames(page: Page, act: Callable[[], None], span_s: tuple[float, float]) -> list[Frame]:
    """What the browser reports of each frame in a span of seconds after the start of `act`."""
    browser = page.context.browser
    assert browser is not None
    cdp = browser.new_browser_cdp_session()
    events: list[dict[str, Any]] = []
    over: list[bool] = []
    cdp.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    cdp.on("Tracing.tracingComplete", lambda _: over.append(True))
    config = {"includedCategories": list(CATEGORIES)}
    cdp.send("Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"})
    page.evaluate("performance.mark('begun')")
    act()
    cdp.send("Tracing.end")
    while not over:
        page.wait_for_timeout(50)
    cdp.detach()
    begun = next(event["ts"] for event in events if event["name"] == "begun")
    begins, ends = (begun + at * 1e6 for at in span_s)
    frames = [one for one in events if one["name"] == "PipelineReporter" and begins <= one["ts"] <= ends]
    return [frame["args"]["frame_reporter"] for frame in frames if "frame_reporter" in frame.get("args", {})]


def dropped_share(frames: list[Frame]) -> float:
    due = [frame["state"] for frame in frames if frame["state"] in (DROPPED, *SHOWN)]
    return due.count(DROPPED) / len(due)


def count_shown(frames: list[Frame]) -> int:
    """A frame that the compositor shows before the page's own changes are ready is reported twice."""
    shown = [frame for frame in frames if frame["state"] in SHOWN]
    return len({(frame["frame_source"], frame["frame_sequence"]) for frame in shown})
