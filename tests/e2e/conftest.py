"""A complete running stack and a browser.

A separate Daphne process serves the pages; this process never accesses the database, since Playwright's
event loop runs in it.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from deploy.laptop.system_tools import find_browser
from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway
from tests.e2e.page_visits import WON, running_server_with_static
from tests.e2e.scene_setup import Scene, Show, State, show_scene
from tests.e2e.screens import BROWSER_ARGS, PAUSE_ANIMATIONS_JS, OpenScreen, Screen
from tests.server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One stack for the whole run; it can also create events without clicking."""
    with running_server_with_static(tmp_path_factory.mktemp("event")) as server:
        yield server


@pytest.fixture(scope="module")
def won(server: Server) -> str:
    """The code of an event whose only match has been won by red after four turns."""
    event = server.ask("event", lobby="open")
    server.ask("play_to", event_id=event["id"], picks=WON)
    return str(event["code"])


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Rendering without GPU emulation halves the work."""
    args = [*BROWSER_ARGS, "--disable-gpu", "--disable-software-rasterizer"]
    return browser_type_launch_args | {"executable_path": find_browser(), "args": args}


@pytest.fixture
def open_at(browser: Browser, server: Server) -> Iterator[OpenScreen]:
    """Open the stack in a browser of its own. No page may have logged an error at the end of the test.

    Pages have reduced motion, since without a GPU motion doubles the processor time. A test of motion calls
    `animate`.
    """
    screens: list[Screen] = []

    def open_one(size: ViewportSize, path: str = "") -> Screen:
        context = browser.new_context(base_url=server.http, viewport=size, reduced_motion="reduce")
        context.add_init_script(PAUSE_ANIMATIONS_JS)
        page, errors = context.new_page(), list[str]()
        page.on("console", lambda message: errors.extend([message.text] * (message.type == "error")))
        page.on("pageerror", lambda error: errors.append(str(error)))
        screens.append(Screen(page, errors))
        if path:
            page.goto(path)
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.page.context.close()
    assert [screen.errors for screen in screens] == [[]] * len(screens)


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


@pytest.fixture
def show(window: Page, fake_gateway: FakeGateway) -> Show:
    """Open a phone or display in a state that the fake gateway sends. `scene`: other fields of Scene."""

    def show_one(screen: str, state: State, phase: str = "voting", **scene: Any) -> Page:
        show_scene(screen, Scene("", state, phase, **scene), window, fake_gateway)
        return window

    return show_one
