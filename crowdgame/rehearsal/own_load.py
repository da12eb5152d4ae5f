"""The crowd's own CPU load. Near a full core, the crowd measures its own delays instead of the server's."""

import time

OVERLOAD_SHARE = 0.7
SAMPLE_S = 0.9


class OwnLoad:
    """CPU shares of a core: `share` in the last second or so, `peak` in the busiest.

    `mean` is that of the whole run. For `busy_s` seconds the share was above OVERLOAD_SHARE.
    """

    def __init__(self) -> None:
        self.share = 0.0
        self.peak = 0.0
        self.busy_s = 0.0
        self._began = self._sampled = (time.perf_counter(), time.process_time())

    def sample(self) -> None:
        """Update the shares. Does nothing within SAMPLE_S of the last sample."""
        now = (time.perf_counter(), time.process_time())
        elapsed = now[0] - self._sampled[0]
        if elapsed < SAMPLE_S:
            return
        self.share = (now[1] - self._sampled[1]) / elapsed
        self.peak = max(self.peak, self.share)
        self.busy_s += elapsed if self.share > OVERLOAD_SHARE else 0.0
        self._sampled = now

    @property
    def cpu_s(self) -> float:
        return time.process_time() - self._began[1]

    @property
    def mean(self) -> float:
        return self.cpu_s / max(0.001, time.perf_counter() - self._began[0])
