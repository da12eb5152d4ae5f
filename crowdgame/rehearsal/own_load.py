"""How much of its core a crowd takes: near the whole, its own waiting is what it measures."""

import time

TOO_MUCH = 0.7
A_LOOK_S = 0.9


class OwnLoad:
    """`share` of the last second or so, `most` of the busiest; `busy_s` were beyond what leaves room."""

    def __init__(self) -> None:
        self.share = 0.0
        self.most = 0.0
        self.busy_s = 0.0
        self._began = self._looked = (time.perf_counter(), time.process_time())

    def look(self) -> None:
        now = (time.perf_counter(), time.process_time())
        elapsed = now[0] - self._looked[0]
        if elapsed < A_LOOK_S:
            return
        self.share = (now[1] - self._looked[1]) / elapsed
        self.most = max(self.most, self.share)
        self.busy_s += elapsed if self.share > TOO_MUCH else 0.0
        self._looked = now

    @property
    def cpu_s(self) -> float:
        return time.process_time() - self._began[1]

    @property
    def mean(self) -> float:
        return self.cpu_s / max(0.001, time.perf_counter() - self._began[0])
