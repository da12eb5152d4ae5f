"""Connected voters of a gateway process, and the interface of their sockets."""

from dataclasses import dataclass, field
from typing import Protocol

from voting.admission.seats import Seat
from voting.counting.ballots import Ballot


class Socket(Protocol):
    """A socket that frames are written to. No method blocks, or raises if the client is gone or slow."""

    def write(self, wire: bytes) -> None:
        """Write encoded frames."""

    def end(self, code: int, within_ms: int | None = None) -> None:
        """Close the socket with `code`. `within_ms` is the time to reconnect within, if any."""


class SeatedSocket(Socket, Protocol):
    """A socket with a seat."""

    def welcome_again(self, ballot: Ballot | None = None) -> None:
        """Send a new welcome: the voter was moved, or the `ballot` of the current turn was cast elsewhere."""


class ConsoleSocket(Socket, Protocol):
    """The socket of an organizer."""

    def change_role(self, user_id: int) -> None:
        """Send nothing more and close if it belongs to this user, whose role has changed."""


@dataclass(slots=True, eq=False)
class ConnectedVoter:
    """A voter with at least one socket here. Multiple tabs or devices have one each.

    `team` is the current team; it overrides the seat's. `voted_in` is the turn (id and epoch) of the last
    ballot for this team.
    """

    seat: Seat
    voter_code: str
    team: int
    sockets: list[SeatedSocket] = field(default_factory=list)
    voted_in: tuple[int, int] | None = None
