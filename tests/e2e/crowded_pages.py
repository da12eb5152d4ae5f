"""Pages of an event with connected phones that vote differently."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Page

from tests.e2e.page_states import Event, rehearse
from tests.e2e.page_visits import DESKTOPS, TABLET_AND_PHONE, Action, Visit
from tests.e2e.scripted_match import LONG_MATCH
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients, open_clients

OWNER = "evening-owner"
PHONES = 24
CHOICES = {"lobby": "open", "window_s": 90, "pace": "brisk"}
HALF_WAY = 6
# How many of the twelve voters agree, by turn.
AGREED = (12, 9, 7, 8, 5, 6, 9)
CONSOLE_PATH = "/console/{code}/"
Pages = Iterator[tuple[Visit, Event | None]]


class Crowd:
    """Phones at an event, half of them in each team."""

    def __init__(self, server: Server, event: Event, clients: SocketClients) -> None:
        self.server, self.event = server, event
        self.seats = [clients.phone(event["code"]) for _ in range(PHONES)]

    @property
    def voter_code(self) -> str:
        """The voter code of the first phone."""
        voter_code: str = self.seats[0][1]["you"]["voter_code"]
        return voter_code

    def vote(self, number: int, picks: tuple[int, int], absent: int = 0) -> None:
        """Vote in turn `number`; the last `absent` voters of each team abstain."""
        self.server.ask("open_turn_now", event_id=self.event["id"])
        for team, pick in enumerate(picks, 1):
            voters = self.team(team)
            for place, phone in enumerate(voters[: len(voters) - absent]):
                choice = pick if place < AGREED[number] else 1 + (pick + place) % 7
                self.cast(phone, number + 1, choice)

    def cast(self, phone: SocketClient, number: int, choice: int) -> None:
        message = phone.receive_until(lambda message: is_open(message, number))
        turn = message["state"]["match"]["turn"]
        phone.say("ballot.cast", turn=turn["id"], epoch=turn["epoch"], choice=choice, sequence=1)
        phone.receive("ballot.counted")

    def team(self, number: int) -> Sequence[SocketClient]:
        return [phone for phone, welcome in self.seats if welcome["you"]["team"] == number]

    def play(self, turns: int) -> None:
        for number in range(turns):
            self.vote(number, LONG_MATCH[number], absent=number % 3)
            self.server.ask("close_after", event_id=self.event["id"], ms=200)
            self.seats[0][0].receive("turn.revealed")


def is_open(message: Message, number: int) -> bool:
    """Whether the message announces the manually opened window of this turn."""
    match = (message.get("state") or {}).get("match") or {}
    return message["type"] == "turn.moved" and (match.get("turn") or {}).get("number") == number


@contextmanager
def crowd_at(server: Server) -> Iterator[Crowd]:
    event: Event = server.ask("event", owner=OWNER, **CHOICES) | {"owner": OWNER}
    with open_clients(server) as clients:
        yield Crowd(server, event, clients)


def search(voter_code: str) -> Action:
    def action(page: Page) -> None:
        people = page.get_by_role("region", name="People")
        people.get_by_role("searchbox").fill(voter_code)
        people.get_by_role("button", name="Remove").wait_for()

    return action


def crowded_event(server: Server) -> Pages:
    """Yield each page when the event is in the right state."""
    yield Visit("console-rehearsal", CONSOLE_PATH, action=rehearse, phase="lobby", frames=DESKTOPS), None
    with crowd_at(server) as crowd:
        event = crowd.event
        by_voter_code = search(crowd.voter_code)
        yield (
            Visit("console-crowd-lobby", CONSOLE_PATH, action=by_voter_code, phase="lobby", frames=DESKTOPS),
            event,
        )
        server.ask("begin", event_id=event["id"])
        crowd.play(HALF_WAY)
        crowd.vote(HALF_WAY, LONG_MATCH[HALF_WAY], absent=4)
        yield Visit("console-crowd-voting", CONSOLE_PATH, phase="voting", frames=DESKTOPS), event
        yield Visit("report-crowd", "/report/{code}/1", by="nobody", frames=TABLET_AND_PHONE), event
