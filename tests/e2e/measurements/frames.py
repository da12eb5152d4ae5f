"""Animation smoothness: the compositor's record of shown and dropped frames."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

CATEGORIES = ("cc", "benchmark", "blink.user_timing", "disabled-by-default-devtools.timeline.frame")
DROPPED = "STATE_DROPPED"
SHOWN = ("STATE_PRESENTED_ALL", "STATE_PRESENTED_PARTIAL")
Frame = dict[str, Any]


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
    frames = [
        event for event in events if event["name"] == "PipelineReporter" and begins <= event["ts"] <= ends
    ]
    return [frame["args"]["frame_reporter"] for frame in frames if "frame_reporter" in frame.get("args", {})]


def dropped_share(frames: list[Frame]) -> float:
    due = [frame["state"] for frame in frames if frame["state"] in (DROPPED, *SHOWN)]
    return due.count(DROPPED) / len(due)


def count_shown(frames: list[Frame]) -> int:
    """A frame that the compositor shows before the page's own changes are ready is reported twice."""
    shown = [frame for frame in frames if frame["state"] in SHOWN]
    return len({(frame["frame_source"], frame["frame_sequence"]) for frame in shown})
