"""A complete running stack and a browser.

A separate Daphne process serves the pages; this process never accesses the database, since Playwright's
event loop runs in it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from deploy.laptop.system_tools import find_browser
from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway
from tests.e2e.page_visits import running_server_with_static
from tests.e2e.screens import BROWSER_ARGS, PAUSE_ANIMATIONS_JS, TIMEOUT_MS, Screen, open_screen
from tests.server import Server

expect.set_options(timeout=TIMEOUT_MS)

PASSWORD = "only-for-tests"
OpenScreen = Callable[[Server, str, ViewportSize], Screen]
SHOTS = Path(__file__).parents[2] / "test-output" / "screens"
# Rendering without GPU emulation halves the work.
NO_GPU_ARGS = ("--disable-gpu", "--disable-software-rasterizer")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One stack for the whole run; it can also create events without clicking."""
    with running_server_with_static(tmp_path_factory.mktemp("event")) as server:
        yield server


@pytest.fixture(scope="session")
def base_url(server: Server) -> str:
    return server.http


@pytest.fixture(scope="session")
def organizer(server: Server) -> str:
    """The name of an organizer whose password is PASSWORD."""
    server.ask("set_password", name="organizer", password=PASSWORD)
    return "organizer"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_type_launch_args,
        "executable_path": find_browser(),
        "args": [*BROWSER_ARGS, *NO_GPU_ARGS],
    }


@pytest.fixture(scope="session")
def shots() -> Path:
    """The folder for screenshots of each page."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return SHOTS


@pytest.fixture
def open_at(browser: Browser, shots: Path) -> Iterator[OpenScreen]:
    """Open a browser at a running stack; it is closed after the test."""
    screens: list[Screen] = []

    def open_one(server: Server, name: str, size: ViewportSize) -> Screen:
        screens.append(open_screen(browser, server.http, shots, name, size))
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.page.context.close()


@pytest.fixture(scope="session")
def fake_gateway() -> Iterator[FakeGateway]:
    """A fake gateway that sends phones and projectors whatever a test wants."""
    with running_fake_gateway() as fake_gateway:
        yield fake_gateway


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    """An empty page in its own browser context, with endless animations paused."""
    context = browser.new_context()
    context.add_init_script(PAUSE_ANIMATIONS_JS)
    yield context.new_page()
    context.close()
