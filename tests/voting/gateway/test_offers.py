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


class OfferingEvent:
    """An event whose pages contain a preload, because a display has joined it."""

    def __init__(self, server: Server, clients: SocketClients, **choices: Any) -> None:
        self.server, self.clients = server, clients
        self.code = server.ask("event", **{"lobby": "open", "window_s": 600, **choices})["code"]
        assert embedded(server, self.code) is None
        _, self.welcome = clients.display(self.code)

    def preload(self, path: str = "") -> PagePreload:
        return msgspec.json.decode(embedded(self.server, self.code + path) or "", type=PagePreload)

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


@pytest.mark.parametrize("admission", ["open", "rotating"])
def test_pages_preload_same_state_as_welcome_without_key(
    admission: str, server: Server, clients: SocketClients
) -> None:
    made = OfferingEvent(server, clients, admission=admission)
    found = made.preload()
    assert json.loads(msgspec.json.encode(found.state)) == made.welcome["state"]
    assert found.seq == made.welcome["seq"]
    assert abs(found.now_at - made.welcome["now_at"]) < 30_000
    page = json.loads(embedded(server, f"display/{made.code}") or "")
    assert page | {"now_at": 0} == made.welcome | {"now_at": 0}
    assert embedded(server, "display/ZZZZ") is None


def test_offered_seats_are_unique_and_balanced_and_assigned_on_join(made: OfferingEvent) -> None:
    found = [made.preload() for _ in range(10)]
    assert sorted(preload.team for preload in found) == [1] * 5 + [2] * 5
    assert len({preload.offer for preload in found}) == 10
    token = made.join(offer=found[0].offer)
    assert token_fields(token) == token_fields(found[0].offer)
    assert token_fields(token)[2] == str(found[0].team)
    assert made.join(offer=found[0].offer) == token


def test_seat_token_or_offer_of_another_event_is_no_offer(
    made: OfferingEvent, server: Server, clients: SocketClients
) -> None:
    elsewhere = OfferingEvent(server, clients).preload().offer
    for offer in (made.join(), elsewhere):
        token = token_fields(made.join(offer=offer))
        assert token[:2] != token_fields(offer)[:2]
        assert token[0] == token_fields(made.preload().offer)[0]
    forger = clients.open("phone").say("phone.join", code=made.code, token=made.preload().offer)
    assert forger.closed() == CloseCode.BAD_TOKEN


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
