import json
from typing import Any

import pytest
from playwright.sync_api import Route, WebSocket, WebSocketRoute, expect

from tests.e2e.page_checks import axe_violations, resize, text_faults
from tests.e2e.page_visits import WON
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, OpenScreen, open_turn, vote, wait_until
from tests.e2e.scripts import page_script
from tests.server import Server

ELSEWHERE = "0" * 64
ALIKE = ("The Eagles of Mill Lane School", "The Falcons of Mill Lane School")


def test_receipt_is_checked_after_page_reload(server: Server, open_at: OpenScreen) -> None:
    said, seen = list[dict[str, Any]](), list[dict[str, Any]]()

    def record(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: seen.append(json.loads(frame)))
        socket.on("framesent", lambda frame: said.append(json.loads(frame)))

    event, display, red, yellow = open_turn(
        server, open_at, lambda *pages: [page.on("websocket", record) for page in pages], names=ALIKE
    )
    vote(red, 2)
    vote(red, 4)
    vote(yellow, 5)
    red.page.reload()
    red.wait_for(phase="voting")
    server.ask("close_after", event_id=event["id"], ms=300)
    receipts = red.page.locator(".receipts")
    expect(receipts.locator("summary")).to_contain_text("Counted and checked")
    resize(red.page, 320, 568)
    assert red.page.evaluate(page_script("covering")) == []
    expect(receipts.get_by_role("listitem")).to_be_hidden()
    receipts.locator("summary").focus()
    red.page.keyboard.press("Enter")
    casts = [message for message in said if message["type"] == "ballot.cast"]
    assert len({cast["blind"] for cast in casts}) == len({2, 4})
    assert casts[-1]["choice"] == 4
    expect(receipts.get_by_role("listitem")).to_contain_text("Turn 1, column 4: counted and checked")
    expect(receipts.get_by_role("listitem")).to_contain_text(casts[-1]["blind"])
    assert [message["type"] for message in said].count("receipt.ask") == 1

    display.wait_for(phase="reveal")
    sealed = next(message for message in seen if message["type"] == "turn.sealed")
    revealed = next(message for message in seen if message["type"] == "turn.revealed")
    reveal = revealed["state"]["match"]["reveal"]
    assert all(sealed[side]["root"] == reveal[side]["root"] for side in ("red", "yellow"))
    with red.page.expect_popup() as opened:
        receipts.get_by_role("link", name="Find your votes in the full count").click()
    found = opened.value.get_by_role("region", name="Your votes").get_by_role("listitem")
    expect(found).to_have_text(f"Turn 1, column 4in the count{casts[-1]['blind']}")
    assert not axe_violations(opened.value, "verify")
    expect(display.page.locator('.seal[data-broken="true"]')).to_have_count(0)


def test_receipt_check_detects_forged_path(server: Server, open_at: OpenScreen) -> None:
    def forge(line: WebSocketRoute) -> None:
        def pass_on(frame: str | bytes) -> None:
            message = json.loads(frame)
            if message["type"] == "receipt.issued":
                message["path"] = [ELSEWHERE]
            line.send(json.dumps(message))

        line.connect_to_server().on_message(pass_on)

    event, display, red, yellow = open_turn(
        server, open_at, lambda _, phone: phone.route_web_socket("**/ws/phone", forge)
    )
    vote(red, 4)
    vote(yellow, 5)
    server.ask("close_after", event_id=event["id"], ms=300)
    missing = red.page.get_by_role("alert")
    text = "Your vote is missing from the count. Show this to the organizers: turn 1, column 4, code "
    expect(missing).to_contain_text(text)
    expect(red.page.locator(".receipts")).to_have_count(0)
    display.wait_for(phase="voting", turn="2")
    vote(red, 3)
    expect(missing).to_contain_text(text)
    red.page.reload()
    expect(missing).to_contain_text(text)


def test_phone_warns_if_another_record_is_published(server: Server, open_at: OpenScreen) -> None:
    asked: list[str] = []

    def forge(route: Route) -> None:
        roots = route.fetch().json()
        roots["turns"][1]["seals"][-1]["yellow"] = ELSEWHERE
        asked.append(route.request.url)
        route.fulfill(json=roots)

    event, display, *phones = open_turn(server, open_at, lambda _, red: red.route("**/roots.json", forge))
    server.ask("play_to", event_id=event["id"], picks=[[1, 2], [1, 3], [1, 2]])
    display.wait_for(phase="voting", turn="4")
    for phone, column in zip(phones, (1, 3), strict=True):
        phone.wait_for(phase="voting")
        vote(phone, column)
    server.ask("close_after", event_id=event["id"], ms=300)
    red = phones[0]
    red.wait_for(2 * TIMEOUT_MS, phase="ended")
    text = "The published record differs from this phone's seals: turn 2."
    expect(red.page.get_by_role("alert")).to_contain_text(text, timeout=3 * TIMEOUT_MS)
    assert len(asked) == 2
    expect(red.page.locator(".receipts summary")).not_to_contain_text("✓✓")
    assert text_faults(red.page, (320, 568), (667, 375)) == []


@pytest.mark.nightly
def test_phone_warns_only_of_another_history(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", pace="brisk")
    phone = open_at(PHONE, f"/{event['code']}")
    phone.wait_for(phase="lobby")
    warning, restored = phone.page.get_by_role("alert"), phone.page.get_by_text("restored from a backup")

    def checkpoint() -> str:
        return str(phone.page.evaluate("localStorage.getItem('crowdgame:log') ?? ''"))

    def play_match() -> None:
        server.ask("play_to", event_id=event["id"], picks=WON)
        phone.wait_for(2 * TIMEOUT_MS, phase="ended")

    play_match()
    wait_until(phone, lambda: checkpoint() != "")
    first = checkpoint()
    expect(restored.or_(warning)).to_have_count(0)

    server.ask("restore_log")
    play_match()
    expect(restored).to_be_visible()
    assert text_faults(phone.page, (320, 568), (667, 375), (390, 844)) == []
    expect(warning).to_have_count(0)
    second = checkpoint()
    assert first.split("\n")[0] != second.split("\n")[0]

    server.ask("rewrite_log")
    play_match()
    text = "The server's log contradicts what this phone saw."
    expect(warning).to_contain_text(text, timeout=3 * TIMEOUT_MS)
    assert checkpoint() == second
    with phone.page.expect_download() as download:
        warning.get_by_role("link", name="Evidence for the witnesses").click()
    evidence = download.value.path().read_text()
    assert evidence.startswith(f"{second}\n")
    assert evidence.removeprefix(f"{second}\n").split("\n")[:2] != second.split("\n")[:2]
    assert text_faults(phone.page, (320, 568), (667, 375), (390, 844)) == []


@pytest.mark.nightly
def test_display_names_witnesses_that_cosigned(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", pace="brisk")
    display = open_at(PROJECTOR, f"/display/{event['code']}")
    names = ["<b>school</b>", "\u202e" + "w" * 200, "third.example", "fourth.example"]
    for cosigning in ([], names):
        with display.page.expect_response("**/log/0.json", timeout=4 * TIMEOUT_MS) as answer:
            server.ask("play_to", event_id=event["id"], picks=WON)
            server.ask("cosign", names=cosigning)
        assert len(answer.value.json()["witnesses"]) == min(3, len(cosigning))
        expect(display.page.get_by_text("Log confirmed by")).to_have_count(1 if cosigning else 0)
    expect(display.page.get_by_text("Log confirmed by \u2068<b>school</b>\u2069")).to_be_visible()
    assert text_faults(display.page, (1280, 720)) == []
