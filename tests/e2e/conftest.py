"""A whole running crowdgame and a browser in front of it.

The pages come from a Daphne process of its own; this process never touches the database, as Playwright's
event loop runs in it.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from deploy.laptop import browser as browsers
from deploy.laptop.network import LOOPBACK, free_port
from deploy.laptop.stack import MANAGE, Stack
from deploy.laptop.startup import collect_static, running
from tests.e2e.faces import QUIET, Face, open_face
from tests.e2e.prompter import Prompter, prompting
from tests.stack import House, running_house

PASSWORD = "only-for-tests"
OpenFace = Callable[[House, str, dict[str, int]], Face]
SHOTS = Path(__file__).parents[2] / "test-output" / "screens"


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    data = tmp_path_factory.mktemp("evening")
    stack = Stack(data=data, secret_key="only-for-tests", port=free_port(), valkey_port=free_port())
    collect_static(stack)
    with running(stack):
        yield stack


@pytest.fixture(scope="session")
def base_url(stack: Stack) -> str:
    return f"http://{LOOPBACK}:{stack.port}"


@pytest.fixture(scope="session")
def organizer(stack: Stack) -> str:
    """The name of an organizer whose password is PASSWORD."""
    name = "organizer"
    env = {**os.environ, **stack.env, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    argv = [*MANAGE, "createsuperuser", "--noinput", "--username", name, "--email", "o@example.org"]
    subprocess.run(argv, env=env, check=True)
    return name


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": browsers.find(), "args": list(QUIET)}


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where screenshots of each face are kept, to be looked at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return SHOTS


@pytest.fixture(scope="session")
def one_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house that makes events without clicking."""
    with running_house(tmp_path_factory.mktemp("one-gateway")) as house:
        yield house


@pytest.fixture
def open_at(browser: Browser, shots: Path) -> Iterator[OpenFace]:
    """Opens a browser at a house; it is closed after the test."""
    faces: list[Face] = []

    def open_one(house: House, name: str, size: dict[str, int]) -> Face:
        faces.append(open_face(browser, house.http, shots, name, size))
        return faces[-1]

    yield open_one
    for face in faces:
        face.page.context.close()


@pytest.fixture(scope="session")
def prompter() -> Iterator[Prompter]:
    """Tells phones and projectors whatever a test wants."""
    with prompting() as prompter:
        yield prompter


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    """A page in a browser of its own, at no house yet."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
