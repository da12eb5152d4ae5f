"""Who is connected to this process: sockets, and the voters behind them."""

from dataclasses import dataclass, field
from typing import Protocol

from voting.admission.seats import Seat


class Socket(Protocol):
    """Neither waits, and neither raises for a client that is gone or slow."""

    def write(self, frame: str) -> None: ...

    def end(self, code: int, within_ms: int | None = None) -> None:
        """Say goodbye, and if `within_ms` is given when to come back."""


class SeatedSocket(Socket, Protocol):
    """A socket with a seat."""

    def welcome_again(self) -> None:
        """Its voter is in the other team from now on."""


@dataclass(slots=True, eq=False)
class ConnectedVoter:
    """A voter connected here; `voted_in` is the occasion (turn and epoch) of the last ballot for this team.

    `team` is where the voter is, whatever the seat says.
    """

    seat: Seat
    voter_code: str
    team: int
    sockets: list[SeatedSocket] = field(default_factory=list)
    voted_in: tuple[int, int] | None = None
