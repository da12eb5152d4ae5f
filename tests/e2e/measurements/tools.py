"""What Chromium's own tools tell of a page, and how they slow it down."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Page

# As the browser's "Slow 3G": 400 ms and 500 kbit/s of a line, as an application feels it.
SLOW_3G = {"offline": False, "latency": 2000, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
SLOW_CPU = 4
# A phone parses its page anew each second, and lets go of it: for a moment there are both.
READINGS, BETWEEN_READINGS_MS = 8, 250
# Time for a page runs `rate` times as fast: clocks, timers and frames.
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
class Holdings:
    """What a page holds once its garbage is gone."""

    heap: int
    nodes: int
    listeners: int


class Tools:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.cdp: CDPSession = page.context.new_cdp_session(page)

    def slow_down(self, cpu: int = SLOW_CPU, network: dict[str, Any] | None = None) -> None:
        self.cdp.send("Emulation.setCPUThrottlingRate", {"rate": cpu})
        if network:
            self.cdp.send("Network.enable")
            self.cdp.send("Network.emulateNetworkConditions", network)

    def speed_up(self, rate: float) -> None:
        """From the next page on."""
        self.page.add_init_script(f"({FASTER})({rate})")
        self.cdp.send("Animation.setPlaybackRate", {"playbackRate": rate})

    def holdings(self) -> Holdings:
        self.cdp.send("HeapProfiler.enable")
        for _ in range(3):
            self.cdp.send("HeapProfiler.collectGarbage")
        heap = self.cdp.send("Runtime.getHeapUsage")["usedSize"]
        counters = self.cdp.send("Memory.getDOMCounters")
        return Holdings(int(heap), counters["nodes"], counters["jsEventListeners"])

    def nodes_at_rest(self) -> int:
        """The fewest in two seconds: nodes that a page keeps are in every look."""
        readings = []
        for _ in range(READINGS):
            readings.append(self.holdings().nodes)
            self.page.wait_for_timeout(BETWEEN_READINGS_MS)
        return min(readings)
