from collections.abc import Iterator
from contextlib import closing
from sqlite3 import Connection, connect
from typing import Any

import pytest

from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, open_console
from voting.admission.admission import WRONG_KEY_BURST
from voting.admission.links import qr_rows
from voting.gateway.phone import MAX_WRONG_KEYS
from voting.protocol import CloseCode


def event(server: Server, admission: str, **choices: Any) -> dict[str, Any]:
    return dict(server.ask("event", **{"admission": admission, "window_s": 600, "lobby": "open", **choices}))


def with_tickets(server: Server, count: int = 1, **choices: Any) -> tuple[dict[str, Any], list[str]]:
    made = event(server, "tickets", **choices)
    return made, server.ask("tickets", event_id=made["id"], count=count)


def refused(client: SocketClient, code: str, **fields: Any) -> str:
    client.say("phone.join", code=code, **fields)
    return str(client.receive("error")["code"])


def join_refusal(clients: SocketClients, code: str, **fields: Any) -> str:
    return refused(clients.open("phone"), code, **fields)


def voter_of(welcome: Message) -> str:
    return str(welcome["you"]["token"]).split(".")[1]


def shown(display: SocketClient) -> Message:
    return display.receive("key.shown")


def display_with_codes(server: Server, clients: SocketClients, code: str) -> SocketClient:
    console = open_console(server, clients, code)
    return clients.display(code, key=console.received[0]["display_key"])[0]


@pytest.fixture
def database(server: Server) -> Iterator[Connection]:
    """A connection without automatic transactions."""
    with closing(connect(server.stack.data / "db.sqlite3", isolation_level=None)) as connection:
        yield connection


def test_rotating_code_admits_only_while_event_requires_it(server: Server, clients: SocketClients) -> None:
    made = event(server, "open")
    code = made["code"]
    display = display_with_codes(server, clients, code)
    server.ask("edit", event_id=made["id"], admission="rotating")
    key = shown(display)["key"]
    client = clients.open("phone")
    for wrong, reason in ((None, "key_needed"), ("  - ", "key_needed"), ("22222", "key_wrong")):
        assert refused(client, code, key=wrong) == reason
    client.say("phone.join", code=code, key=f" {key.lower()[:2]}-{key[2:]}")
    welcome = client.receive("phone.welcomed")
    assert welcome["state"]["admission"] == "rotating"
    _, back = clients.phone(code, token=welcome["you"]["token"])
    assert voter_of(back) == voter_of(welcome)
    server.ask("edit", event_id=made["id"], admission="tickets")
    display.receive_until(lambda message: message.get("state", {}).get("admission") == "tickets")
    assert join_refusal(clients, code, key=key) == "key_wrong"
    assert clients.phone(code, token=welcome["you"]["token"])


def test_new_display_link_closes_displays_with_old_ones(server: Server, clients: SocketClients) -> None:
    code = event(server, "rotating")["code"]
    console = open_console(server, clients, code)
    old = console.received[0]["display_key"]
    projector, other_display = (clients.display(code, key=key)[0] for key in (old, None))
    shown(projector)
    done(console, 1, "display.renew")
    assert projector.closed() == CloseCode.NOT_ALLOWED
    key = console.receive("console.welcomed")["display_key"]
    assert key != old
    reopened, renewed = (clients.display(code, key=one)[0] for one in (old, key))
    rotating = shown(renewed)
    address, link_key = rotating["join_url"].split("#")
    assert address == renewed.received[0]["join_url"]
    assert link_key.startswith(rotating["key"])
    links = [f"{address}/{team}#{link_key}" for team in (1, 2)]
    assert rotating["team_qrs"] == [list(qr_rows(link)) for link in links]
    phone, _ = clients.phone(code, key=rotating["key"])
    for other in (reopened, other_display, phone):
        other.say("clock.ask", sent=1).receive("clock.synced", sent=1)
        assert not any("key.shown" in frame or rotating["key"] in frame for frame in other.frames)


def test_guessing_rotating_codes_is_limited_unless_scanned(server: Server, clients: SocketClients) -> None:
    """Some typed codes are still checked, so a correct one may succeed: try it several times."""
    made = event(server, "rotating")
    display = display_with_codes(server, clients, made["code"])
    _, welcome = clients.phone(made["code"], key=shown(display)["key"])
    assert WRONG_KEY_BURST <= guess(clients, made["code"], "22222") < 2 * WRONG_KEY_BURST
    answers = []
    for _ in range(5):
        message = shown(display_with_codes(server, clients, made["code"]))
        waiting = clients.open("phone")
        guess(clients, made["code"], "22222")
        answers.append(answer(waiting.say("phone.join", code=made["code"], key=message["key"])))
        scanned = message["join_url"].partition("#")[2]
        assert clients.phone(made["code"], key=scanned)
        assert join_refusal(clients, made["code"], key=scanned[:-1] + "A") == "key_wrong"
    assert "retry.after" in answers
    assert clients.phone(made["code"], token=welcome["you"]["token"])
    other = event(server, "rotating")
    assert join_refusal(clients, other["code"], key="22222") == "key_wrong"


def test_guessing_tickets_keeps_no_ticket_holder_out(server: Server, clients: SocketClients) -> None:
    made, keys = with_tickets(server, 20)
    for key in keys:
        guesser = clients.open("phone")
        for _ in range(MAX_WRONG_KEYS):
            assert refused(guesser, made["code"], key="22222222") == "key_wrong"
        guesser.say("phone.join", code=made["code"], key=key[::-1])
        assert guesser.closed() in {CloseCode.CROWDED, CloseCode.TOO_MANY_FRAMES}
        assert clients.phone(made["code"], key=key)
    assert len(keys) * MAX_WRONG_KEYS >= WRONG_KEY_BURST


def test_stale_codes_do_not_count_as_guesses(server: Server, clients: SocketClients) -> None:
    """Phones without a key do not count as guesses, and are asked for one even while somebody guesses."""
    made = event(server, "rotating")
    stale = server.ask("earlier_code", code=made["code"], periods=3)
    for _ in range(50):
        client = clients.open("phone")
        for _ in range(MAX_WRONG_KEYS):
            assert refused(client, made["code"], key=stale) == "key_wrong"
        client.leave()
    key = shown(display_with_codes(server, clients, made["code"]))["key"]
    assert clients.phone(made["code"], key=key)
    for _ in range(5):
        guess(clients, made["code"], "22222")
        assert join_refusal(clients, made["code"]) == "key_needed"


def guess(clients: SocketClients, code: str, wrong: str) -> int:
    """Try wrong keys, ten per socket, until the server checks no more; return how many it checked."""
    checked = 0
    while checked < 4 * WRONG_KEY_BURST:
        client = clients.open("phone")
        for _ in range(MAX_WRONG_KEYS):
            client.say("phone.join", code=code, key=wrong)
            if answer(client) == "retry.after":
                assert client.closed() == CloseCode.CROWDED
                return checked
            checked += 1
        client.leave()
    return checked


def answer(client: SocketClient) -> str:
    kinds = {"phone.welcomed", "error", "retry.after"}
    return str(client.receive_until(lambda message: message["type"] in kinds)["type"])


def used_at(server: Server, made: dict[str, Any]) -> Any:
    [(at,)] = server.rows("SELECT used_at FROM voting_ticket WHERE event_id = ?", made["id"])
    return at


def test_ticket_is_released_if_client_left_before_its_seat(server: Server, clients: SocketClients) -> None:
    made, [ticket] = with_tickets(server)
    gone, welcome = clients.phone(made["code"], key=ticket)
    gone.leave()
    wait_until(lambda: used_at(server, made) is None)
    client, again = clients.phone(made["code"], key=ticket)
    assert voter_of(again) == voter_of(welcome)
    client.say("clock.ask", sent=1).receive("clock.synced")
    client.leave()
    assert join_refusal(clients, made["code"], key=ticket) == "key_used"


@pytest.mark.parametrize(("lobby", "code"), [("closed", "lobby_closed"), ("locked", "joining_locked")])
def test_ticket_needs_open_lobby(lobby: str, code: str, server: Server, clients: SocketClients) -> None:
    made, [ticket] = with_tickets(server, lobby=lobby)
    assert join_refusal(clients, made["code"], key=ticket) == code
    assert used_at(server, made) is None


def test_ticket_admits_once_until_released(server: Server, clients: SocketClients) -> None:
    made, (ticket, other) = with_tickets(server, 2, team_choice="choose")
    code, client = made["code"], clients.open("phone")
    assert refused(client, code, key=ticket) == "team_needed"
    assert refused(client, code, team=2) == "key_needed"
    for wrong in ("BCDFGHJK", "not a ticket"):
        assert refused(client, code, team=2, key=wrong) == "key_wrong"
    client.say("phone.join", code=code, team=2, key=f"{ticket[:4]}\uff0d{ticket[4:].lower()}.")
    welcome = client.receive("phone.welcomed")
    client.say("clock.ask", sent=1).receive("clock.synced")
    assert join_refusal(clients, code, team=2, key=ticket) == "key_used"
    assert voter_of(clients.phone(code, token=welcome["you"]["token"])[1]) == voter_of(welcome)
    assert voter_of(clients.phone(code, team=2, key=other)[1]) != voter_of(welcome)
    assert server.ask("release", event_id=made["id"], code=ticket) == 1
    _, again = clients.phone(code, team=1, key=ticket)
    assert (voter_of(again), again["you"]["team"], welcome["you"]["team"]) == (voter_of(welcome), 2, 2)
    assert join_refusal(clients, code, team=1, key=ticket) == "key_used"


def test_locked_database_delays_tickets(server: Server, clients: SocketClients, database: Connection) -> None:
    open_event, (club, tickets) = event(server, "open"), with_tickets(server, 2)
    _, member = clients.phone(club["code"], key=tickets[0])
    clients.phone(open_event["code"])
    guesser = clients.open("phone")
    assert refused(guesser, club["code"], key="22222222") == "key_wrong"
    database.execute("BEGIN IMMEDIATE")
    assert refused(guesser, club["code"], key="22222223") == "key_wrong"
    waiting = clients.open("phone").say("phone.join", code=club["code"], key=tickets[1])
    for _ in range(5):
        clients.phone(open_event["code"])
        clients.phone(club["code"], token=member["you"]["token"])
    with pytest.raises(TimeoutError):
        waiting.socket.recv(timeout=1)
    database.execute("ROLLBACK")
    assert waiting.receive("phone.welcomed")


def test_failing_database_disconnects(server: Server, clients: SocketClients, database: Connection) -> None:
    made, [ticket] = with_tickets(server)
    when = f"BEFORE UPDATE ON voting_ticket WHEN OLD.event_id = {made['id']}"
    database.execute(f"CREATE TRIGGER refusing {when} BEGIN SELECT RAISE(ABORT, 'not today'); END")
    phone = clients.open("phone").say("phone.join", code=made["code"], key=ticket)
    assert phone.closed() == CloseCode.UNAVAILABLE
    database.execute("DROP TRIGGER refusing")
    assert clients.phone(made["code"], key=ticket)


def test_roster_code_on_two_devices_is_one_voter(server: Server, clients: SocketClients) -> None:
    made = event(server, "roster")
    [key] = server.ask("roster", event_id=made["id"], text="Ada")
    (_, one), (_, two) = (clients.phone(made["code"], key=key) for _ in range(2))
    assert (voter_of(one), one["you"]["team"]) == (voter_of(two), two["you"]["team"])
