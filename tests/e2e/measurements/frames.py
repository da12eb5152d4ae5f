"""Animation smoothness: the compositor's record of shown and dropped frames."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Page

from tests.e2e.screens import TIMEOUT_MS

CATEGORIES = ("cc", "benchmark", "blink.user_timing", "disabled-by-default-devtools.timeline.frame")
POLL_MS = 50
BEGUN = "begun"
DROPPED = "STATE_DROPPED"
SHOWN = ("STATE_PRESENTED_ALL", "STATE_PRESENTED_PARTIAL")
# The machine's best case: one ball, moved by the compositor, on an empty page.
ONE_BALL = """<body style="margin: 0; overflow: hidden; background: #0b1020">
<div style="width: 8vw; height: 8vw; border-radius: 50%; background: #e8334a; will-change: transform"></div>
<script>document.querySelector("div").animate(
  [{transform: "translate(40vw, 0)"}, {transform: "translate(40vw, 70vh)"}],
  {duration: 900, iterations: Infinity, easing: "ease-in"})</script>"""
Event = dict[str, Any]


def traced(page: Page, act: Callable[[], None]) -> list[Event]:
    """The browser's trace events during `act`."""
    browser = page.context.browser
    assert browser is not None
    cdp = browser.new_browser_cdp_session()
    events: list[Event] = []
    over: list[Any] = []

    def end(event: Any) -> None:
        over.append(event)

    cdp.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    cdp.on("Tracing.tracingComplete", end)
    config = {"includedCategories": list(CATEGORIES)}
    cdp.send("Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"})
    act()
    cdp.send("Tracing.end")
    for _ in range(TIMEOUT_MS // POLL_MS):
        if over:
            break
        page.wait_for_timeout(POLL_MS)
    cdp.detach()
    assert over, "the browser's tracing did not end"
    return events


def late(events: list[Event], span_s: tuple[float, float]) -> float:
    """The share of dropped frames among all due frames, in a span of seconds since `begin`."""
    states = frame_states(events, span_s)
    due = states[DROPPED] + sum(states[state] for state in SHOWN)
    assert due, "the trace has no frames"
    return states[DROPPED] / due


def presented_per_s(events: list[Event], span_s: tuple[float, float]) -> float:
    """Frames shown per second, in a span of seconds since `begin`.

    A frame that the compositor shows before the page's own changes are ready is reported twice.
    """
    shown = {
        (report["frame_source"], report["frame_sequence"])
        for report in reports(events, span_s)
        if report["state"] in SHOWN
    }
    return len(shown) / (span_s[1] - span_s[0])


def frame_states(events: list[Event], span_s: tuple[float, float]) -> Counter[str]:
    return Counter(report["state"] for report in reports(events, span_s))


def reports(events: list[Event], span_s: tuple[float, float]) -> Iterator[dict[str, Any]]:
    """What the browser reports of each frame in this span."""
    mark = next(event["ts"] for event in events if event["name"] == BEGUN)
    begins, ends = (mark + at * 1e6 for at in span_s)
    for event in events:
        if event["name"] != "PipelineReporter" or not begins <= event["ts"] <= ends:
            continue
        if report := event.get("args", {}).get("frame_reporter"):
            yield report


def begin(page: Page) -> None:
    """Mark the start of the span in the trace."""
    page.evaluate("(name) => { performance.mark(name); }", BEGUN)
