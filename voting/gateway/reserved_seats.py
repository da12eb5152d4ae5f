"""Reserved seats: offered with a page, not taken yet. They keep teams balanced when many join at once."""

import time

from voting.admission.seats import Seat

KEPT_S = 10.0


class ReservedSeats:
    """The seats of one event offered in the last KEPT_S seconds."""

    def __init__(self) -> None:
        self._until: dict[str, tuple[Seat, float]] = {}  # the oldest first
        self._teams = [0, 0, 0]

    def add(self, seat: Seat) -> None:
        self._until[seat.voter] = (seat, time.monotonic() + KEPT_S)
        self._teams[seat.team] += 1

    def take(self, voter: str) -> None:
        """Remove a reserved seat. Does nothing if it is unknown or has expired."""
        if found := self._until.pop(voter, None):
            self._teams[found[0].team] -= 1

    def smaller(self, connected: tuple[int, int]) -> int:
        """The team with fewer connected voters and reserved seats; 1 if they are even."""
        self._drop_expired()
        return 1 if connected[0] + self._teams[1] <= connected[1] + self._teams[2] else 2

    def _drop_expired(self) -> None:
        now = time.monotonic()
        while self._until and next(iter(self._until.values()))[1] <= now:
            self.take(next(iter(self._until)))
