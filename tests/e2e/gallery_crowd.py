"""A complete match of 1,000 simulated phones with secret sides: the display and one more phone."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from tests.deploy.processes import wait_until
from tests.server import Server

PHONES = 1_000
TERMS = {"window_s": 5, "pace": "normal", "lobby": "open", "max_side_changes": 2, "turn_points": True}
CROWD = ("--phones", f"{PHONES}", "--side-changes", "0.06", "--seed", "11")
HERE = f"{PHONES} of {PHONES} phones have joined".encode()
# By this turn some voters have changed sides. Time limit for joining and for the match.
TURN, LONG_S = 4, 240
VOTING = "(turn) => document.body.dataset.phase === 'voting' && Number(document.body.dataset.turn) >= turn"
SETTLES_MS = 6_000


def crowd_match(
    browser: Browser, server: Server, sizes: tuple[dict[str, int], dict[str, int]]
) -> Iterator[tuple[str, Page, Page]]:
    """Yield the state's name, display and phone in an open window, at the reveal and at the end."""
    event = server.ask("event", **TERMS)
    display, phone = (_open(browser, server.http, size) for size in sizes)
    display.goto(f"/display/{event['code']}")
    with (
        tempfile.TemporaryDirectory() as kept,
        _start_crowd(server, event["code"], Path(kept) / "said") as crowd,
    ):
        phone.goto(f"/{event['code']}")
        server.ask("begin", event_id=event["id"])
        display.wait_for_function(VOTING, arg=TURN, timeout=LONG_S * 1000)
        phone.wait_for_selector("body[data-phase=voting]", timeout=LONG_S * 1000)
        yield "voting", display, phone
        for phase, settles_ms in (("reveal", 0), ("ended", SETTLES_MS)):
            for page in (display, phone):
                page.wait_for_selector(f"body[data-phase={phase}]", timeout=LONG_S * 1000)
            display.wait_for_timeout(settles_ms)
            yield phase, display, phone
        crowd.wait(LONG_S)
    for page in (display, phone):
        page.context.close()


def _open(browser: Browser, address: str, size: dict[str, int]) -> Page:
    viewport: Any = size
    return browser.new_context(viewport=viewport, base_url=address).new_page()


def _start_crowd(server: Server, code: str, said: Path) -> "subprocess.Popen[bytes]":
    """Start a crowd; return once all phones have joined."""
    argv = [*MANAGE, "rehearse", code, "--url", server.http, *CROWD]
    with said.open("wb") as out:
        env = {**os.environ, **server.stack.env}
        crowd = subprocess.Popen(argv, cwd=ROOT, env=env, stdout=out, stderr=subprocess.STDOUT)
    wait_until(lambda: HERE in said.read_bytes() or crowd.poll() is not None, LONG_S)
    if crowd.poll() is not None:
        raise RuntimeError(f"the crowd process has ended: {said.read_text()}")
    return crowd
