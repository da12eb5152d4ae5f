import json
from hashlib import sha256
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import FilePayload, Page, expect

from games.bots.bots import VERSION, pick_action
from games.engine.record import GameRecord, replay
from tests.e2e.page_checks import axe_violations
from tests.e2e.screens import SMALL_PHONE, OpenScreen, Screen
from tests.e2e.scripts import page_script
from tests.server import Server
from tests.voting.records.test_dishonest_server import seal_again

DROP_JS = page_script("drop")


@pytest.fixture
def record(server: Server, won: str) -> Any:
    with urlopen(f"{server.http}/record/{won}/1.json") as answer:  # noqa: S310
        return json.loads(answer.read())


@pytest.fixture
def screen(open_at: OpenScreen) -> Screen:
    return open_at(SMALL_PHONE, "/verify")


def expect_verdict(page: Page, verdict: str, dropped: Any = None) -> None:
    if dropped:
        page.evaluate(DROP_JS, [json.dumps(dropped), "match.json"])
    expect(page.get_by_role("status")).to_have_text(verdict)
    assert not axe_violations(page, "verify")


def test_report_leads_to_the_verified_match(won: str, screen: Screen) -> None:
    page = screen.page
    page.goto(f"/report/{won}/1")
    page.get_by_role("link", name="Verify in the browser").click()
    expect_verdict(page, "The record is valid")
    expect(page.get_by_role("heading", name="Turn 1 of 4")).to_be_visible()
    page.get_by_role("button", name="Last turn").click()
    expect(page.get_by_role("heading", name="Turn 4 of 4")).to_be_visible()
    expect(page.locator('.cabinet [data-owner="red"]')).to_have_count(4)


def test_file_is_verified_without_a_request_and_other_files_are_refused(screen: Screen, record: Any) -> None:
    page, requests = screen.page, list[str]()
    page.on("request", lambda request: requests.append(request.url))
    file: FilePayload = {"name": "match.json", "mimeType": "", "buffer": json.dumps(record).encode()}
    picker = page.get_by_label("Drop a match record or report here, or choose a file.")
    picker.set_input_files(files=file)
    expect_verdict(page, "The record is valid")
    report = f'<!doctype html><script id="record" type="application/json">{json.dumps(record)}</script>'
    page.evaluate(DROP_JS, ["no JSON", "cat.json"])
    page.evaluate(DROP_JS, [report, "report.html"])
    expect_verdict(page, "The record is valid")
    record["counts"][2]["red"]["ballots"][0][0] = 7
    expect_verdict(page, "The record is not valid", record)
    expect(page.get_by_role("heading", name="Turn 3 of 4")).to_be_visible()
    expect(page.locator(".turn [data-outcome=failed]").first).to_be_visible()
    page.evaluate(DROP_JS, ["no JSON", "cat.json"])
    expect(page.locator(".note.error")).to_contain_text("This file is not a match record.")
    assert not requests


def test_history_of_a_match_is_shown(screen: Screen, record: Any) -> None:
    page, at = screen.page, 1_800_000_000_000
    first, last = record["counts"][0], record["counts"][-1]
    cause = {"reason": "box_lost", "at": at, "epoch": 2}
    lost = {"at": at, "red": "a" * 64, "yellow": "b" * 64, "void": cause}
    first |= {"epoch": 3, "restored": "database", "seals": [lost, first["seals"][0] | {"epoch": 3}]}
    seed = "5" * 32
    void = {"turn": last["turn"] + 1, "number": 5, "voided_at": at, "reason": "stopped", "seed": seed}
    void |= {"lot": sha256(f"crowdgame lot:{seed}".encode()).hexdigest()}
    record["voided"] = [void | {"seals": [{"at": at, "turn_commitment": "c" * 64}]}]
    expect_verdict(page, "The record is valid", record)
    expect(page.locator(".verdict")).to_contain_text("The match is over")
    turn, voided = page.locator(".turn"), page.locator(".voided")
    expect(turn).to_contain_text("The votes came back from the database. Epoch of the ballot box: 3")
    for text in ("a" * 64, "b" * 64, "The ballot box was lost after this seal", "A seal was replaced."):
        expect(turn).to_contain_text(text)
    for text in (f"Turn 5, id {void['turn']}", "The match was stopped.", "c" * 64):
        expect(voided).to_contain_text(text)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("missing", ["", "Worker", "network"])
def test_picks_of_the_computer_are_recomputed_if_possible(screen: Screen, record: Any, missing: str) -> None:
    """The first turns of a match in which yellow's votes are those of the computer."""
    page, requests, turns = screen.page, list[str](), record["turns"][:3]
    record |= {"turns": turns, "counts": record["counts"][:3], "bots": {"version": VERSION, "yellow": 3}}
    record |= {"state": "playing", "result": "open", "ended_by": None}
    for number, count in enumerate(record["counts"]):
        replayed = replay(GameRecord(record["game"], record["options"], tuple(turns[:number])))
        pick = pick_action(replayed.game, replayed.state, "yellow", 3, count["seed"])
        count["yellow"]["ballots"][0][0] = pick
        seal_again(record)
    if missing == "network":
        page.context.set_offline(True)
    elif missing:
        page.evaluate("delete window.Worker")
    page.on("request", lambda request: requests.append(request.url.rpartition("/")[2].partition("-")[0]))
    expect_verdict(page, "The record is valid", record)
    outcome = "unchecked" if missing else "passed"
    choice = page.locator(f"[data-outcome={outcome}]", has_text="Choice of the computer")
    if missing:
        expect(choice).to_contain_text("Try again with a connection")
        expect(page.locator(".verdict")).not_to_contain_text("operator knew the seed")
        screen.errors.clear()
        return
    expect(choice).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("operator knew the seed")
    assert sorted(requests) == ["7", "pickWorker", "solver"]
    record["counts"][1]["yellow"]["ballots"][0][0] = turns[1]["yellow"] % 7 + 1
    seal_again(record)
    expect_verdict(page, "The record is not valid", record)
    expect(page.get_by_role("heading", name="Turn 2 of 3")).to_be_visible()
    failed = page.locator("[data-outcome=failed]")
    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("Choice of the computer")
