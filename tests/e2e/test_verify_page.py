"""`/verify` in a browser: a match of this server, a file, a forged file and other files."""

import json
from hashlib import sha256
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from games.bots.bots import VERSION, pick_action
from games.engine.record import GameRecord, replay
from tests.e2e import axe
from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import WON
from tests.e2e.screens import SMALL_PHONE
from tests.server import Server
from tests.voting.records.test_dishonest_server import seal_again
from tests.voting.sample_matches import Record

DROP_JS = """([text, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data });
  document.querySelector(".picker").dispatchEvent(drop);
}"""


@pytest.fixture(scope="module")
def code(server: Server) -> str:
    """The code of an event with a finished match."""
    event = server.ask("event", lobby="open")
    server.ask("play_to", event_id=event["id"], picks=[list(pick) for pick in WON])
    return str(event["code"])


@pytest.fixture(scope="module")
def text(server: Server, code: str) -> str:
    with urlopen(f"{server.http}/record/{code}/1.json") as answer:  # noqa: S310
        return str(answer.read().decode())


@pytest.fixture
def record(text: str) -> Record:
    record: Record = json.loads(text)
    return record


@pytest.fixture
def page(open_at: OpenScreen) -> Page:
    return open_at(SMALL_PHONE, "/verify").page


def expect_verdict(page: Page, verdict: str, dropped: Record | None = None) -> None:
    if dropped:
        page.evaluate(DROP_JS, [json.dumps(dropped), "match.json"])
    expect(page.get_by_role("status")).to_have_text(verdict)
    assert not axe.check(page, "verify")


def test_report_leads_to_the_verified_match(code: str, page: Page) -> None:
    page.goto(f"/report/{code}/1")
    page.get_by_role("link", name="Verify in the browser").click()
    expect_verdict(page, "The record is valid")
    expect(page.get_by_role("heading", name="Turn 1 of 4")).to_be_visible()
    page.get_by_role("button", name="Last turn").click()
    expect(page.get_by_role("heading", name="Turn 4 of 4")).to_be_visible()
    expect(page.locator('.cabinet [data-owner="red"]')).to_have_count(4)


def test_file_is_verified_without_a_request(page: Page, text: str, tmp_path: Path) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    path = tmp_path / "match.json"
    path.write_text(text)
    page.get_by_label("Drop a match record here, or choose a file.").set_input_files(path)
    expect_verdict(page, "The record is valid")
    assert not requests


def test_forgery_is_invalid_at_its_turn_and_other_file_is_refused(page: Page, record: Record) -> None:
    record["counts"][2]["red"]["ballots"][0][0] = 7
    expect_verdict(page, "The record is not valid", record)
    expect(page.get_by_role("heading", name="Turn 3 of 4")).to_be_visible()
    expect(page.locator(".turn [data-outcome=failed]").first).to_be_visible()
    page.evaluate(DROP_JS, ["no JSON", "cat.json"])
    expect(page.locator(".note.error")).to_contain_text("This file is not a match record.")


def test_history_of_a_match_is_shown(page: Page, record: Record) -> None:
    first, at = record["counts"][0], 1_800_000_000_000
    cause = {"reason": "box_lost", "at": at, "epoch": 2}
    lost = {"at": at, "red": "a" * 64, "yellow": "b" * 64, "void": cause}
    first |= {"epoch": 3, "restored": "database", "seals": [lost, first["seals"][0] | {"epoch": 3}]}
    void = {"turn": record["counts"][-1]["turn"] + 1, "number": 5, "voided_at": at, "reason": "stopped"}
    seed = "5" * 32
    lot = sha256(f"crowdgame lot:{seed}".encode()).hexdigest()
    seals = [{"at": at, "turn_commitment": "c" * 64}]
    record["voided"] = [void | {"seed": seed, "lot": lot, "seals": seals}]
    expect_verdict(page, "The record is valid", record)
    expect(page.locator(".verdict")).to_contain_text("The match is over")
    for part, texts in {
        ".turn": (
            "The votes came back from the database. Epoch of the ballot box: 3",
            *("a" * 64, "b" * 64),
            "The ballot box was lost after this seal, so it",
            "A seal was replaced. Only phones that were connected saw why.",
        ),
        ".voided": (f"Turn 5, id {void['turn']}", "The match was stopped.", "c" * 64),
    }.items():
        for text in texts:
            expect(page.locator(part)).to_contain_text(text)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture
def against_computer(record: Record) -> Record:
    """The first turns of a match in which yellow's votes are those of the computer."""
    turns = len(record["turns"]) - 1
    record |= {"turns": record["turns"][:turns], "counts": record["counts"][:turns]}
    record |= {"state": "playing", "result": "open", "ended_by": None}
    record["bots"] = {"version": VERSION, "yellow": 3}
    for number in range(turns):
        replayed = replay(GameRecord(record["game"], record["options"], tuple(record["turns"][:number])))
        seed = record["counts"][number]["seed"]
        pick = pick_action(replayed.game, replayed.state, "yellow", 3, seed)
        vote_yellow(record, number, pick)
    return record


def vote_yellow(record: Record, number: int, column: int) -> None:
    """Replace yellow's vote in a turn, as a server could, and seal it."""
    [ballot] = record["counts"][number]["yellow"]["ballots"]
    ballot[0] = column
    seal_again(record)


def test_picks_of_the_computer_are_recomputed(page: Page, against_computer: Record) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.rpartition("/")[2].partition("-")[0]))
    expect_verdict(page, "The record is valid", against_computer)
    expect(page.locator(".turn [data-outcome=passed]", has_text="Choice of the computer")).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("operator knew the seed")
    assert sorted(requests) == ["7", "pickWorker", "solver"]
    vote_yellow(against_computer, 1, against_computer["turns"][1]["yellow"] % 7 + 1)
    expect_verdict(page, "The record is not valid", against_computer)
    expect(page.get_by_role("heading", name="Turn 2 of 3")).to_be_visible()
    expect(page.locator("[data-outcome=failed]")).to_have_count(1)
    expect(page.locator("[data-outcome=failed]")).to_contain_text("Choice of the computer")


@pytest.mark.parametrize("missing", ["Worker", "network"])
def test_picks_that_cannot_be_recomputed_are_no_fault(
    open_at: OpenScreen, against_computer: Record, missing: str
) -> None:
    screen = open_at(SMALL_PHONE, "/verify")
    page = screen.page
    if missing == "network":
        page.context.set_offline(True)
    else:
        page.evaluate("delete window.Worker")
    expect_verdict(page, "The record is valid", against_computer)
    unchecked = page.locator("[data-outcome=unchecked]", has_text="Choice of the computer")
    expect(unchecked).to_contain_text("Try again with a connection")
    expect(page.locator(".verdict")).not_to_contain_text("operator knew the seed")
    screen.errors.clear()
