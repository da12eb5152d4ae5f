"""Memory for request bodies in flight: limited in each process, and for each network of clients.

A request reserves its body's length before the first byte is read, and until its response is complete. If
there is no room, the unfinished request that waits longest gives way. So requests that never finish cannot
keep out those that do.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from crowdgame.server.config.networks import network_name

TOTAL_BYTES = 16_777_216
NETWORK_BYTES = TOTAL_BYTES // 2
REQUEST_BYTES = 4_096  # that a request takes besides its body


@dataclass(eq=False, slots=True)
class Reservation:
    """The share of one request. `abort` closes its connection."""

    budget: "BodyBudget"
    network: str
    size: int
    abort: Callable[[], object]
    is_released: bool = False

    def finish(self) -> None:
        """The body is complete, so the request does not give way anymore."""
        self.budget.unfinished[self.network].pop(self, None)

    def release(self) -> None:
        """Return the share. Idempotent."""
        if not self.is_released:
            self.is_released = True
            self.budget.release(self)


class BodyBudget:
    """The reservations of a process. `unfinished` are those that wait for their bodies, oldest first."""

    def __init__(self, total_bytes: int = TOTAL_BYTES, network_bytes: int = NETWORK_BYTES) -> None:
        self._total_bytes = total_bytes
        self._network_bytes = network_bytes
        self._reserved = 0
        self._by_network: Counter[str] = Counter()
        self.unfinished: defaultdict[str, dict[Reservation, None]] = defaultdict(dict)

    def reserve(self, address: str, size: int, abort: Callable[[], object]) -> Reservation | None:
        """Reserve `size` bytes for a client. Returns None if all requests in the way are complete."""
        network = network_name(address)
        needed = size + REQUEST_BYTES
        while self._by_network[network] + needed > self._network_bytes:
            if not self._displace(network):
                return None
        while self._reserved + needed > self._total_bytes:
            if not self._displace(max(self.unfinished, key=self._unfinished_bytes, default=network)):
                return None
        reservation = Reservation(self, network, needed, abort)
        self._reserved += needed
        self._by_network[network] += needed
        self.unfinished[network][reservation] = None
        return reservation

    def release(self, reservation: Reservation) -> None:
        network = reservation.network
        reservation.finish()
        self._reserved -= reservation.size
        self._by_network[network] -= reservation.size
        if not self._by_network[network]:
            del self._by_network[network], self.unfinished[network]

    def _displace(self, network: str) -> bool:
        oldest = next(iter(self.unfinished[network]), None)
        if oldest is None:
            return False
        oldest.release()
        oldest.abort()
        return True

    def _unfinished_bytes(self, network: str) -> int:
        return self._by_network[network] if self.unfinished[network] else 0
