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


def page(server: Server, path: str) -> PagePreload | None:
    with urllib.request.urlopen(f"{server.http}/{path}") as answer:  # noqa: S310
        found = PRELOAD.search(answer.read().decode())
    return msgspec.json.decode(found[1], type=PagePreload) if found else None


def load_preload(server: Server, path: str) -> PagePreload:
    found = page(server, path)
    assert found is not None
    return found


def offer(preload: PagePreload) -> str:
    assert preload.offer is not None
    return preload.offer


def token_fields(token: str) -> list[str]:
    """The event, voter and team in a token."""
    return token.split(":", maxsplit=1)[0].split(".")[:3]


@pytest.fixture
def made(server: Server) -> dict[str, Any]:
    made: dict[str, Any] = server.ask("event", lobby="open", window_s=600)
    return made


def test_page_preloads_same_state_as_welcome(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    assert page(server, made["code"]) is None
    _, welcome = clients.display(made["code"])
    found = load_preload(server, made["code"])
    assert json.loads(msgspec.json.encode(found.state)) == welcome["state"]
    assert (found.seq, abs(found.now_at - welcome["now_at"]) < 30_000) == (welcome["seq"], True)


def test_offered_seat_is_assigned_on_join(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    clients.display(made["code"])
    found = load_preload(server, made["code"])
    _, welcome = clients.phone(made["code"], offer=found.offer)
    assert token_fields(welcome["you"]["token"]) == token_fields(offer(found))
    assert token_fields(offer(found))[::2] == [str(made["id"]), str(found.team)]
    _, again = clients.phone(made["code"], offer=found.offer)
    assert again["you"]["token"] == welcome["you"]["token"]


def test_offered_seats_are_unique_and_balanced(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    clients.display(made["code"])
    found = [load_preload(server, made["code"]) for _ in range(10)]
    assert sorted(preload.team for preload in found) == [1] * 5 + [2] * 5
    assert len({preload.offer for preload in found}) == 10


def test_offer_and_seat_token_are_not_interchangeable(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    clients.display(made["code"])
    offered = offer(load_preload(server, made["code"]))
    _, first = clients.phone(made["code"])
    seat = first["you"]["token"]
    _, second = clients.phone(made["code"], offer=seat)
    assert token_fields(second["you"]["token"]) != token_fields(seat)
    forger = clients.open("phone").say("phone.join", code=made["code"], token=offered)
    assert forger.closed() == CloseCode.BAD_TOKEN


def test_offer_of_another_event_is_ignored(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    other = server.ask("event", lobby="open")
    clients.display(other["code"])
    offered = offer(load_preload(server, other["code"]))
    _, welcome = clients.phone(made["code"], offer=offered)
    assert token_fields(welcome["you"]["token"])[0] == str(made["id"])


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
    made = server.ask("event", **{"lobby": "open", **terms})
    clients.display(made["code"])
    found = load_preload(server, made["code"] + path)
    assert (found.team, found.offer is not None) == (team, bool(team))


def test_preload_escapes_notice_with_script_tag(server: Server, clients: SocketClients) -> None:
    made = server.ask("event", notice="</script><script>alert(1)</script>", lobby="open")
    clients.display(made["code"])
    assert load_preload(server, made["code"]).state.notice == "</script><script>alert(1)</script>"
