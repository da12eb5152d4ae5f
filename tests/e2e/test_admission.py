"""Admission with a key: the display's rotating code, tickets and class lists."""

import json
from typing import Any

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen, wait_until
from tests.e2e.test_console import open_console, open_wall
from tests.server import Server

WRONG = "BBBBB"


def make_event(server: Server, **choices: Any) -> dict[str, Any]:
    made: dict[str, Any] = server.ask("event", lobby="open", **choices)
    return made


def ask_for(phone: Screen, code: str, label: str) -> None:
    phone.page.goto(f"/{code}")
    expect(phone.page.get_by_label(label)).to_be_visible(timeout=TIMEOUT_MS)


def show(phone: Screen, key: str) -> None:
    phone.page.locator("#code").fill(key)
    phone.page.keyboard.press("Enter")


def test_rotating_code_admits_typed_and_scanned_key(server: Server, open_at: OpenScreen) -> None:
    code = make_event(server, admission="rotating")["code"]
    display = open_wall(open_console(server, open_at, code), server, open_at)
    shown = display.page.locator(".rotating-code b")
    expect(shown).to_be_visible(timeout=TIMEOUT_MS)
    typing, scanning = (open_at(server, f"door-{name}", PHONE) for name in ("typing", "scanning"))
    ask_for(typing, code, "Type the code from the screen")
    typing.shoot("asked")
    privacy = typing.page.get_by_role("link", name="Privacy")
    assert privacy.get_attribute("href") == "/privacy"
    show(typing, WRONG)
    expect(typing.page.get_by_role("alert")).to_have_text(
        "That code is wrong or has changed. Check the screen again.", timeout=TIMEOUT_MS
    )
    key = shown.inner_text()
    show(typing, f" {key[:2].lower()} - {key[2:].lower()} ")
    typing.wait_for(phase="lobby")
    scanning.page.goto(f"/{code}#{key}")
    scanning.wait_for(phase="lobby")
    assert scanning.page.url == f"{server.http}/{code}"
    typing.page.reload()
    typing.wait_for(phase="lobby")
    assert typing.errors == scanning.errors == display.errors == []


# Read both at once, since the code may change between two reads.
KEY_AND_SYMBOL = """() => [document.querySelector(".rotating-code b").innerText,
  document.querySelector(".qr path").getAttribute("d")]"""


@pytest.mark.nightly
def test_rotating_code_changes_on_display(server: Server, open_at: OpenScreen) -> None:
    """The next code replaces the first one, with a new QR code; a reload keeps the display's key."""
    code = make_event(server, admission="rotating")["code"]
    console = open_console(server, open_at, code)
    display = open_wall(console, server, open_at)
    stage = console.page.get_by_role("link", name="Open big screen").get_attribute("href") or ""
    address = stage.replace("/stage/", "/display/")
    expect(display.page.locator(".rotating-code b")).to_be_visible(timeout=TIMEOUT_MS)
    key, before = display.page.evaluate(KEY_AND_SYMBOL)
    display.page.evaluate("document.querySelector('.qr').dataset.kept = 'yes'")
    display.shoot("before")
    expect(display.page.locator(".rotating-code b")).not_to_have_text(key, timeout=31_000)
    expect(display.page.locator(".qr path")).not_to_have_attribute("d", before)
    expect(display.page.locator(".qr")).to_have_attribute("data-kept", "yes")
    path = address.partition("#")[0]
    assert display.page.url.endswith(path)
    display.page.reload()
    expect(display.page.locator(".rotating-code b")).to_be_visible(timeout=TIMEOUT_MS)
    display.page.goto(f"{path}#{'0' * 24}")
    needed = display.page.locator(".needed")
    expect(needed).to_have_text("Open this screen from the console", timeout=TIMEOUT_MS)
    display.page.goto(address)
    expect(display.page.locator(".rotating-code b")).to_be_visible(timeout=TIMEOUT_MS)
    assert display.page.url.endswith(path)
    assert display.errors == []


def test_ticket_admits_only_one_phone(server: Server, open_at: OpenScreen) -> None:
    event = make_event(server, admission="tickets")
    (ticket,) = server.ask("tickets", event_id=event["id"], count=1)
    first, second = (open_at(server, f"door-{name}", PHONE) for name in ("first", "second"))
    first.page.goto("/")
    show(first, f"{server.http}/{event['code']}#{ticket[:4]}-{ticket[4:]}".lower())
    first.wait_for(phase="lobby")
    ask_for(second, f"{event['code'][:2]}\u2013{event['code'][2:]}.", "Type the code from your ticket")
    show(second, f"\u200e{ticket[:4]}\uff0d{ticket[4:]}")
    expect(second.page.get_by_role("alert")).to_have_text(
        "This code is in use on another phone. Ask the organizers.", timeout=TIMEOUT_MS
    )
    second.shoot("used")
    first.page.reload()
    first.wait_for(phase="lobby")


@pytest.mark.parametrize(
    ("admission", "said"),
    [("tickets", "You need your ticket"), ("roster", "You need your code from the class list")],
)
def test_lobby_shows_which_code_is_needed(
    server: Server, open_at: OpenScreen, admission: str, said: str
) -> None:
    code = make_event(server, admission=admission)["code"]
    display = open_at(server, f"door-{admission}", PROJECTOR)
    display.page.goto(f"/display/{code}")
    expect(display.page.locator(".needed")).to_have_text(said, timeout=TIMEOUT_MS)


def test_shared_device_asks_which_seat_to_use(server: Server, open_at: OpenScreen) -> None:
    event = make_event(server, admission="roster")
    ada, bea = server.ask("roster", event_id=event["id"], text="Ada, 1\nBea, 2")
    tablet = open_at(server, "door-shared", PHONE)
    page = tablet.page
    ask_for(tablet, event["code"], "Type your code from the class list")
    show(tablet, ada)
    tablet.wait_for(phase="lobby", team="1")
    page.goto("about:blank")
    page.goto(f"/{event['code']}#{ada}")
    tablet.wait_for(phase="lobby", team="1")
    page.goto(f"/{event['code']}#{bea}")
    expect(page.get_by_role("heading")).to_have_text("Keep your seat or use this code?", timeout=TIMEOUT_MS)
    tablet.shoot("asked")
    page.get_by_role("button", name="Keep seat").click()
    tablet.wait_for(phase="lobby", team="1")
    page.goto(f"/{event['code']}#{bea}")
    page.get_by_role("button", name=f"Use {bea}").click(timeout=TIMEOUT_MS)
    tablet.wait_for(phase="lobby", team="2")
    page.reload()
    tablet.wait_for(phase="lobby", team="2")
    assert tablet.errors == []


def test_rotating_code_scanned_again_asks_nothing(server: Server, open_at: OpenScreen) -> None:
    code = make_event(server)["code"]
    phone = open_at(server, "door-again", PHONE)
    for key in (WRONG, WRONG[1:]):
        phone.page.goto("about:blank")
        phone.page.goto(f"/{code}#{key}")
        phone.wait_for(phase="lobby", team="1")


class JoinProxy:
    """Record a phone's join messages; connections numbered in `swallowed` lose the answer."""

    def __init__(self, phone: Screen, *swallowed: int) -> None:
        self.joins: list[dict[str, Any]] = []
        self.lines: list[WebSocketRoute] = []
        self.held: list[WebSocketRoute] = []
        self._swallowed = swallowed
        phone.page.route_web_socket("**/ws/phone", self._meet)

    def _meet(self, line: WebSocketRoute) -> None:
        self.lines.append(line)
        server = line.connect_to_server()

        def pass_on(frame: str | bytes) -> None:
            message = json.loads(frame)
            if message["type"] == "phone.join":
                self.joins.append(message)
            server.send(frame)

        line.on_message(pass_on)
        if len(self.lines) in self._swallowed:
            self.held.append(server)
            server.on_message(lambda _: line.close(code=1001))
            line.on_close(lambda code, reason: None)


def test_wrong_code_is_sent_only_once(server: Server, open_at: OpenScreen) -> None:
    code = make_event(server, admission="rotating")["code"]
    phone = open_at(server, "door-stale", PHONE)
    join_proxy = JoinProxy(phone)
    phone.page.goto(f"/{code}#{WRONG}")
    label = phone.page.get_by_label("Type the code from the screen")
    expect(label).to_be_visible(timeout=TIMEOUT_MS)
    join_proxy.lines[0].close(code=1001)
    wait_until(phone, lambda: len(join_proxy.joins) > 1)
    assert [join["key"] for join in join_proxy.joins] == [WRONG, None]
    expect(label).to_be_visible()


def test_phone_at_key_form_joins_when_admission_opens(server: Server, open_at: OpenScreen) -> None:
    event = make_event(server, admission="rotating")
    phone = open_at(server, "door-opened", PHONE)
    ask_for(phone, event["code"], "Type the code from the screen")
    server.ask("edit", event_id=event["id"], admission="open")
    phone.wait_for(phase="lobby", team="1")


def test_ticket_readmits_phone_after_lost_welcome(server: Server, open_at: OpenScreen) -> None:
    """The first connection died unnoticed: the server holds the ticket until it notices."""
    event = make_event(server, admission="tickets")
    (ticket,) = server.ask("tickets", event_id=event["id"], count=1)
    phone = open_at(server, "door-lost", PHONE)
    join_proxy = JoinProxy(phone, 1)
    phone.page.goto(f"/{event['code']}#{ticket}")
    wait_until(phone, lambda: len(join_proxy.joins) > 1)
    phone.page.wait_for_timeout(1_000)
    expect(phone.page.locator("#code")).to_have_count(0)
    join_proxy.held[0].close(code=1000)
    phone.wait_for(phase="lobby")
    assert {join["key"] for join in join_proxy.joins} == {ticket}
