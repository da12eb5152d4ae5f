"""Chromium's developer tools: memory readings and throttling."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Page

# The browser's "Slow 3G": nominally 400 ms and 500 kbit/s, in application-level values.
SLOW_3G = {"offline": False, "latency": 2000, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
SLOW_CPU = 4
# A phone re-renders every second; for a moment both old and new nodes exist.
READINGS, BETWEEN_READINGS_MS = 8, 250
# Make time in a page run `rate` times as fast: clocks, timers and frames.
FASTER = """(rate) => {
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


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """A page's memory after garbage collection."""

    heap: int
    nodes: int
    listeners: int


class DevTools:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.cdp: CDPSession = page.context.new_cdp_session(page)

    def slow_down(self, cpu: int = SLOW_CPU, network: dict[str, Any] | None = None) -> None:
        self.cdp.send("Emulation.setCPUThrottlingRate", {"rate": cpu})
        if network:
            self.cdp.send("Network.enable")
            self.cdp.send("Network.emulateNetworkConditions", network)

    def speed_up(self, rate: float) -> None:
        """Effective from the next page load."""
        self.page.add_init_script(f"({FASTER})({rate})")
        self.cdp.send("Animation.setPlaybackRate", {"playbackRate": rate})

    def memory_use(self) -> MemoryUse:
        self.cdp.send("HeapProfiler.enable")
        for _ in range(3):
            self.cdp.send("HeapProfiler.collectGarbage")
        heap = self.cdp.send("Runtime.getHeapUsage")["usedSize"]
        counters = self.cdp.send("Memory.getDOMCounters")
        return MemoryUse(int(heap), counters["nodes"], counters["jsEventListeners"])

    def idle_nodes(self) -> int:
        """The minimum over two seconds: nodes that a page keeps are in every reading."""
        readings = []
        for _ in range(READINGS):
            readings.append(self.memory_use().nodes)
            self.page.wait_for_timeout(BETWEEN_READINGS_MS)
        return min(readings)
