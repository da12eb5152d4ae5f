"""Admission with a key: the display's rotating code, tickets and class lists; consent to an event."""

import json
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, Screen, vote, wait_until
from tests.e2e.test_console import open_console, open_wall
from tests.server import Server

WRONG = "BBBBB"
FROM_SCREEN = "Type the code from the screen"
# Read both at once, since the code may change between two reads.
KEY_AND_SYMBOL = """() => [document.querySelector(".rotating-code b").innerText,
  document.querySelector(".qr path").getAttribute("d")]"""
CONSENT = "We take pictures of the hall for the school's newspaper."


def make_event(server: Server, **choices: Any) -> dict[str, Any]:
    made: dict[str, Any] = server.ask("event", lobby="open", **choices)
    return made


def show(phone: Screen, key: str) -> None:
    phone.page.locator("#code").fill(key)
    phone.page.keyboard.press("Enter")


def test_rotating_code_admits_typed_and_scanned_key(server: Server, open_at: OpenScreen) -> None:
    code = make_event(server, admission="rotating")["code"]
    display = open_wall(open_console(server, open_at, code), open_at)
    shown = display.page.locator(".rotating-code b")
    expect(shown).to_be_visible()
    typing, scanning = open_at(PHONE, f"/{code}"), open_at(PHONE)
    expect(typing.page.get_by_label(FROM_SCREEN)).to_be_visible()
    expect(typing.page.get_by_role("link", name="Privacy")).to_have_attribute("href", "/privacy")
    show(typing, WRONG)
    wrong = "That code is wrong or has changed. Check the screen again."
    expect(typing.page.get_by_role("alert")).to_have_text(wrong)
    key = shown.inner_text()
    show(typing, f" {key[:2].lower()} - {key[2:].lower()} ")
    typing.wait_for(phase="lobby")
    scanning.page.goto(f"/{code}#{key}")
    scanning.wait_for(phase="lobby")
    assert scanning.page.url == f"{server.http}/{code}"
    typing.page.reload()
    typing.wait_for(phase="lobby")


@pytest.mark.nightly
def test_rotating_code_changes_on_display(server: Server, open_at: OpenScreen) -> None:
    """The next code replaces the first one, with a new QR code; a reload keeps the display's key."""
    code = make_event(server, admission="rotating")["code"]
    console = open_console(server, open_at, code)
    page = open_wall(console, open_at).page
    stage = console.page.get_by_role("link", name="Open big screen").get_attribute("href") or ""
    path, _, display_key = stage.replace("/stage/", "/display/").partition("#")
    shown = page.locator(".rotating-code b")
    expect(shown).to_be_visible()
    key, before = page.evaluate(KEY_AND_SYMBOL)
    page.evaluate("document.querySelector('.qr').dataset.kept = 'yes'")
    expect(shown).not_to_have_text(key, timeout=31_000)
    expect(page.locator(".qr path")).not_to_have_attribute("d", before)
    expect(page.locator(".qr")).to_have_attribute("data-kept", "yes")
    assert page.url.endswith(path)
    page.reload()
    expect(shown).to_be_visible()
    page.goto(f"{path}#{'0' * 24}")
    expect(page.locator(".needed")).to_have_text("Open this screen from the console")
    page.goto(f"{path}#{display_key}")
    expect(shown).to_be_visible()
    assert page.url.endswith(path)


def test_shared_device_asks_which_seat_to_use(server: Server, open_at: OpenScreen) -> None:
    event = make_event(server, admission="roster")
    path = f"/{event['code']}"
    ada, bea = server.ask("roster", event_id=event["id"], text="Ada, 1\nBea, 2")
    tablet = open_at(PHONE, path)
    page = tablet.page
    expect(page.get_by_label("Type your code from the class list")).to_be_visible()
    show(tablet, ada)
    tablet.wait_for(phase="lobby", team="1")
    page.goto("about:blank")
    page.goto(f"{path}#{ada}")
    tablet.wait_for(phase="lobby", team="1")
    for button, team in (("Keep seat", "1"), (f"Use {bea}", "2")):
        page.goto(f"{path}#{bea}")
        expect(page.get_by_role("heading")).to_have_text("Keep your seat or use this code?")
        page.get_by_role("button", name=button).click()
        tablet.wait_for(phase="lobby", team=team)
    page.reload()
    tablet.wait_for(phase="lobby", team="2")


def test_seated_phone_ignores_a_key_that_is_not_needed(server: Server, open_at: OpenScreen) -> None:
    code = make_event(server)["code"]
    phone = open_at(PHONE)
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


def test_wrong_code_is_sent_once_and_phone_joins_when_admission_opens(
    server: Server, open_at: OpenScreen
) -> None:
    event = make_event(server, admission="rotating")
    phone = open_at(PHONE)
    join_proxy = JoinProxy(phone)
    phone.page.goto(f"/{event['code']}#{WRONG}")
    label = phone.page.get_by_label(FROM_SCREEN)
    expect(label).to_be_visible()
    join_proxy.lines[0].close(code=1001)
    wait_until(phone, lambda: len(join_proxy.joins) > 1)
    assert [join["key"] for join in join_proxy.joins] == [WRONG, None]
    expect(label).to_be_visible()
    server.ask("edit", event_id=event["id"], admission="open")
    phone.wait_for(phase="lobby", team="1")


def test_ticket_readmits_phone_after_lost_welcome(server: Server, open_at: OpenScreen) -> None:
    """The first connection died unnoticed: the server holds the ticket until it notices."""
    event = make_event(server, admission="tickets")
    (ticket,) = server.ask("tickets", event_id=event["id"], count=1)
    phone = open_at(PHONE)
    join_proxy = JoinProxy(phone, 1)
    phone.page.goto(f"/{event['code']}#{ticket}")
    wait_until(phone, lambda: len(join_proxy.joins) > 1)
    phone.page.wait_for_timeout(1_000)
    expect(phone.page.locator("#code")).to_have_count(0)
    join_proxy.held[0].close(code=1000)
    phone.wait_for(phase="lobby")
    assert {join["key"] for join in join_proxy.joins} == {ticket}


def open_phone(server: Server, open_at: OpenScreen, **choices: Any) -> tuple[Screen, str]:
    """An empty phone, and the path of an event with an open turn and a consent text."""
    event = server.ask("event", lobby="open", window_s=90, consent=CONSENT, **choices)
    server.ask("begin", event_id=event["id"])
    return open_at(PHONE), f"/{event['code']}"


@pytest.mark.parametrize("in_study", [False, True])
def test_consent_is_asked_once_before_voting(server: Server, open_at: OpenScreen, in_study: bool) -> None:
    phone, path = open_phone(server, open_at, in_study=in_study)
    dialog = phone.page.get_by_role("dialog")
    phone.page.goto(path)
    expect(dialog).to_contain_text(CONSENT)
    with phone.page.expect_popup() as opened:
        dialog.get_by_role("link", name="Privacy").click()
    expect(opened.value.locator("blockquote")).to_have_text(CONSENT)
    for _ in range(3):  # no consent
        phone.page.keyboard.press("Escape")
        expect(dialog).to_be_visible()
    phone.page.reload()
    dialog.get_by_role("button", name="I agree").click()
    expect(dialog).to_have_count(0)
    phone.wait_for(phase="voting")
    vote(phone, 3)
    phone.page.reload()
    expect(phone.page.locator('[data-column="3"][aria-pressed="true"]')).to_be_visible()
    expect(phone.page.locator(".corner .name").first).to_be_visible()
    expect(dialog).not_to_be_visible()


def test_voting_is_disabled_until_consent_is_shown(server: Server, open_at: OpenScreen) -> None:
    """The deferred part, which shows the text, is late; until then all columns are disabled."""
    phone, path = open_phone(server, open_at)
    held: list[Route] = []
    phone.page.route("**/app/deferred.*", partial(held.append))
    phone.page.goto(path)
    phone.wait_for(phase="voting")
    expect(phone.page.locator("[data-column]").first).to_be_visible()
    expect(phone.page.locator("[data-column]:enabled")).to_have_count(0)
    expect(phone.page.get_by_role("dialog")).to_have_count(0)
    (route,) = held
    route.continue_()
    expect(phone.page.get_by_role("dialog")).to_contain_text(CONSENT)
    expect(phone.page.locator("[data-column]:enabled")).to_have_count(7)
