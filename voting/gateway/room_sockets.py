"""The sockets of an event at one gateway process."""

from dataclasses import dataclass, field
from typing import Any

from voting.gateway.voters import ConsoleSocket, Socket


@dataclass(slots=True, eq=False)
class RoomSockets:
    """The phones and screens of an event.

    Attributes:
        phones: the phones, with and without a seat.
        unseated: the phones without a seat.
        screens: the displays and consoles.
        consoles: the sockets of organizers, also among the screens.
        displays: the displays without and with the display key, also among the screens, the oldest first.
        role_changes: how many role changes of organizers this process has been notified of.
    """

    phones: set[Socket] = field(default_factory=set)
    unseated: set[Socket] = field(default_factory=set)
    screens: set[Socket] = field(default_factory=set)
    consoles: set[ConsoleSocket] = field(default_factory=set)
    displays: tuple[dict[Socket, None], dict[Socket, None]] = field(default_factory=lambda: ({}, {}))
    role_changes: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.phones or self.screens)

    def all(self) -> list[Socket]:
        """All sockets, screens first."""
        return [*self.screens, *self.phones]

    def watching(self) -> int:
        """How many only watch: the displays and the phones without a seat."""
        return len(self.screens) - len(self.consoles) + len(self.unseated)

    def add_seated(self, socket: Socket) -> None:
        """Add a phone that has a seat, or has got one."""
        self.phones.add(socket)
        self.unseated.discard(socket)

    def add_unseated(self, socket: Socket) -> None:
        """Add a phone without a seat. It receives the event's changes, and so learns when it can join."""
        self.phones.add(socket)
        self.unseated.add(socket)

    def add_console(self, socket: ConsoleSocket) -> None:
        self.screens.add(socket)
        self.consoles.add(socket)

    def add_display(self, socket: Socket, at_most: int, *, has_key: bool) -> Socket | None:
        """Add a display. Beyond `at_most`, with the key or without it, remove and return the oldest one."""
        displays = self.displays[has_key]
        oldest = next(iter(displays)) if len(displays) >= at_most else None
        if oldest is not None:
            self.remove(oldest)
        displays[socket] = None
        self.screens.add(socket)
        return oldest

    def remove(self, socket: Socket) -> None:
        """Remove a socket. Idempotent."""
        everywhere: tuple[set[Any], ...] = (self.phones, self.unseated, self.screens, self.consoles)
        for sockets in everywhere:
            sockets.discard(socket)
        for displays in self.displays:
            displays.pop(socket, None)

    def change_role(self, user_id: int) -> None:
        """Close the consoles of a user whose role or account has changed."""
        self.role_changes += 1
        for console in tuple(self.consoles):
            console.change_role(user_id)
