"""Preloaded pages on a running server: the event's state, and a seat offered to a new visitor."""

import json
import re
import urllib.request
from typing import Any

import msgspec
import pytest

from tests.server import Server
from tests.socket_clients import SocketClients
from voting.protocol import CloseCode, PagePreload

PRELOAD = re.compile(r'<script type="application/json" id="preload">(.*?)</script>', re.DOTALL)


def embedded(server: Server, path: str) -> str | None:
    """The JSON embedded in a page."""
    with urllib.request.urlopen(f"{server.http}/{path}") as answer:  # noqa: S310
        found = PRELOAD.search(answer.read().decode())
    return found[1] if found else None


def preload(server: Server, path: str) -> PagePreload | None:
    found = embedded(server, path)
    return msgspec.json.decode(found, type=PagePreload) if found else None


class OfferingEvent:
    """An event whose pages contain a preload, because a display has joined it."""

    def __init__(self, server: Server, clients: SocketClients, **choices: Any) -> None:
        self.server, self.clients = server, clients
        self.code = server.ask("event", **{"lobby": "open", "window_s": 600, **choices})["code"]
        assert preload(server, self.code) is None
        _, self.welcome = clients.display(self.code)

    def preload(self, path: str = "") -> PagePreload:
        found = preload(self.server, self.code + path)
        assert found is not None
        return found

    def join(self, **fields: Any) -> str:
        """The seat token of a new phone."""
        return str(self.clients.phone(self.code, **fields)[1]["you"]["token"])


def token_fields(token: str | None) -> list[str]:
    """The event, voter and team in a token."""
    assert token
    return token.split(":", maxsplit=1)[0].split(".")[:3]


@pytest.fixture
def made(server: Server, clients: SocketClients) -> OfferingEvent:
    return OfferingEvent(server, clients)


def test_page_preloads_same_state_as_welcome(made: OfferingEvent) -> None:
    found = made.preload()
    assert json.loads(msgspec.json.encode(found.state)) == made.welcome["state"]
    assert found.seq == made.welcome["seq"]
    assert abs(found.now_at - made.welcome["now_at"]) < 30_000


@pytest.mark.parametrize("admission", ["open", "rotating"])
def test_display_page_preloads_welcome_of_display_without_key(
    admission: str, server: Server, clients: SocketClients
) -> None:
    made = OfferingEvent(server, clients, admission=admission)
    page = json.loads(embedded(server, f"display/{made.code}") or "")
    assert page | {"now_at": 0} == made.welcome | {"now_at": 0}
    assert embedded(server, "display/ZZZZ") is None


def test_offered_seat_is_assigned_on_join(made: OfferingEvent) -> None:
    found = made.preload()
    token = made.join(offer=found.offer)
    assert token_fields(token) == token_fields(found.offer)
    assert token_fields(token)[2] == str(found.team)
    assert made.join(offer=found.offer) == token


def test_offered_seats_are_unique_and_balanced(made: OfferingEvent) -> None:
    found = [made.preload() for _ in range(10)]
    assert sorted(preload.team for preload in found) == [1] * 5 + [2] * 5
    assert len({preload.offer for preload in found}) == 10


def test_offer_and_seat_token_are_not_interchangeable(made: OfferingEvent, clients: SocketClients) -> None:
    seat = made.join()
    assert token_fields(made.join(offer=seat)) != token_fields(seat)
    forger = clients.open("phone").say("phone.join", code=made.code, token=made.preload().offer)
    assert forger.closed() == CloseCode.BAD_TOKEN


def test_offer_of_another_event_is_ignored(
    made: OfferingEvent, server: Server, clients: SocketClients
) -> None:
    offered = OfferingEvent(server, clients).preload().offer
    assert token_fields(made.join(offer=offered))[:2] != token_fields(offered)[:2]
    assert token_fields(made.join(offer=offered))[0] == token_fields(made.preload().offer)[0]


@pytest.mark.parametrize(
    ("terms", "path", "team"),
    [
        ({"lobby": "closed"}, "", 0),
        ({"lobby": "locked"}, "", 0),
        ({"admission": "rotating"}, "", 0),
        ({"admission": "tickets"}, "", 0),
        ({"team_choice": "choose"}, "/1", 0),
        ({"team_choice": "link"}, "", 0),
        ({"team_choice": "link"}, "/2", 2),
    ],
)
def test_seat_is_offered_only_if_page_can_admit(
    terms: dict[str, str], path: str, team: int, server: Server, clients: SocketClients
) -> None:
    found = OfferingEvent(server, clients, **terms).preload(path)
    assert (found.team, found.offer is not None) == (team, bool(team))


def test_preload_escapes_notice_with_script_tag(server: Server, clients: SocketClients) -> None:
    notice = "</script><script>alert(1)</script>"
    assert OfferingEvent(server, clients, notice=notice).preload().state.notice == notice
