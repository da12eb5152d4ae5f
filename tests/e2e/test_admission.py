import json
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.e2e.screens import PHONE, PROJECTOR, OpenScreen, Screen, open_console, vote, wait_until
from tests.server import Server

WRONG = "BBBBB"
CONSENT = "We take pictures of the hall for the school's newspaper."
# Read both at once, since the code may change between two reads.
KEY_AND_SYMBOL_JS = """() => [document.querySelector(".rotating-code b").innerText,
  document.querySelector(".qr path").getAttribute("d")]"""


def type_key(phone: Screen, key: str) -> None:
    phone.page.locator("#code").fill(key)
    phone.page.keyboard.press("Enter")


def test_rotating_code_admits_typed_and_scanned_key(server: Server, open_at: OpenScreen) -> None:
    code = server.ask("event", owner="olga", lobby="open", admission="rotating")["code"]
    stage = open_console(server, open_at, code).page.get_by_role("link", name="Open big screen")
    path, _, display_key = str(stage.get_attribute("href")).replace("/stage/", "/display/").partition("#")
    display = open_at(PROJECTOR, f"{path}#{display_key}").page
    shown = display.locator(".rotating-code b")
    expect(shown).to_be_visible()
    assert display.url.endswith(path)
    typing, scanning = open_at(PHONE, f"/{code}"), open_at(PHONE)
    expect(typing.page.get_by_label("Type the code from the screen")).to_be_visible()
    expect(typing.page.get_by_role("link", name="Privacy")).to_have_attribute("href", "/privacy")
    type_key(typing, WRONG)
    wrong = "That code is wrong or has changed. Check the screen again."
    expect(typing.page.get_by_role("alert")).to_have_text(wrong)
    key = shown.inner_text()
    type_key(typing, f" {key[:2].lower()} - {key[2:].lower()} ")
    scanning.page.goto(f"/{code}#{key}")
    for phone in (typing, scanning):
        phone.wait_for(phase="lobby")
        assert phone.page.url == f"{server.http}/{code}"
    typing.page.reload()
    typing.wait_for(phase="lobby")

    key, before = display.evaluate(KEY_AND_SYMBOL_JS)
    expect(shown).not_to_have_text(key, timeout=31_000)
    expect(display.locator(".qr path")).not_to_have_attribute("d", before)
    display.reload()
    expect(shown).to_be_visible()
    display.goto(f"{path}#{'0' * 24}")
    expect(display.locator(".needed")).to_have_text("Open this screen from the console")


def test_shared_device_asks_which_seat_to_use(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", admission="roster")
    path = f"/{event['code']}"
    ada, bea = server.ask("roster", event_id=event["id"], text="Ada, 1\nBea, 2")
    tablet = open_at(PHONE, path)
    page = tablet.page
    expect(page.get_by_label("Type your code from the class list")).to_be_visible()
    type_key(tablet, ada)
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
    server.ask("edit", event_id=event["id"], admission="open")
    page.goto("about:blank")
    page.goto(f"{path}#{WRONG}")  # not needed, so the seat stays
    tablet.wait_for(phase="lobby", team="2")


@pytest.mark.parametrize("admission", ["rotating", "tickets"])
def test_phone_repeats_only_unanswered_ticket(server: Server, open_at: OpenScreen, admission: str) -> None:
    """A wrong code is sent once. A ticket whose welcome was lost is sent until the server releases it."""
    event = server.ask("event", lobby="open", admission=admission)
    key, lost = WRONG, admission == "tickets"
    if lost:
        (key,) = server.ask("tickets", event_id=event["id"], count=1)
    keys: list[str | None] = []
    lines: list[tuple[WebSocketRoute, WebSocketRoute]] = []

    def pass_on(line: WebSocketRoute) -> None:
        gateway = line.connect_to_server()
        lines.append((line, gateway))

        def send(frame: str | bytes) -> None:
            message: dict[str, Any] = json.loads(frame)
            if message["type"] == "phone.join":
                keys.append(message["key"])
            gateway.send(frame)

        line.on_message(send)
        if lost and len(lines) == 1:  # the server doesn't notice that this connection died
            gateway.on_message(lambda _: line.close(code=1001))
            line.on_close(lambda code, reason: None)

    phone = open_at(PHONE)
    phone.page.route_web_socket("**/ws/phone", pass_on)
    phone.page.goto(f"/{event['code']}#{key}")
    form = phone.page.locator("#code")
    if lost:
        wait_until(phone, lambda: len(keys) > 1)
        phone.page.wait_for_timeout(1_000)
        expect(form).to_have_count(0)
        lines[0][1].close(code=1000)
    else:
        expect(form).to_be_visible()
        lines[0][0].close(code=1001)
        wait_until(phone, lambda: len(keys) > 1)
        expect(form).to_be_visible()
        server.ask("edit", event_id=event["id"], admission="open")
    phone.wait_for(phase="lobby")
    assert {*keys} == {key} if lost else keys[:2] == [key, None]


@pytest.mark.parametrize("in_study", [False, True])
def test_consent_is_asked_once_before_voting(server: Server, open_at: OpenScreen, in_study: bool) -> None:
    """Until the deferred part, which shows the text, has loaded, all columns are disabled."""
    event = server.ask("event", lobby="open", window_s=90, consent=CONSENT, in_study=in_study)
    server.ask("begin", event_id=event["id"])
    phone, held = open_at(PHONE), list[Route]()
    page, dialog = phone.page, phone.page.get_by_role("dialog")
    page.route("**/app/deferred.*", partial(held.append), times=1)
    page.goto(f"/{event['code']}")
    phone.wait_for(phase="voting")
    expect(page.locator("[data-column]").first).to_be_visible()
    expect(page.locator("[data-column]:enabled")).to_have_count(0)
    expect(dialog).to_have_count(0)
    held[0].continue_()
    expect(dialog).to_contain_text(CONSENT)
    with page.expect_popup() as opened:
        dialog.get_by_role("link", name="Privacy").click()
    expect(opened.value.locator("blockquote")).to_have_text(CONSENT)
    for _ in range(3):  # no consent
        page.keyboard.press("Escape")
        expect(dialog).to_be_visible()
    page.reload()
    dialog.get_by_role("button", name="I agree").click()
    expect(dialog).to_have_count(0)
    vote(phone, 3)
    page.reload()
    expect(page.locator('[data-column="3"][aria-pressed="true"]')).to_be_visible()
    expect(page.locator(".corner .name").first).to_be_visible()
    expect(dialog).not_to_be_visible()
