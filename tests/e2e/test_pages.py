"""The organizer's and the public pages: axe finds nothing wrong on any, in light and in dark."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.e2e import axe
from tests.e2e.conftest import OpenFace
from tests.e2e.faces import TABLET
from tests.e2e.prompter import Prompter
from tests.e2e.rooms import PAGES, Visit, furnished_house, visit
from tests.e2e.scenes import PHONE_SCENES, look_at
from tests.stack import House


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with furnished_house(tmp_path_factory.mktemp("axe")) as house:
        yield house


@pytest.mark.parametrize("visited", PAGES, ids=[visited.name for visited in PAGES])
def test_the_organizers_pages(house: House, open_at: OpenFace, visited: Visit) -> None:
    face = open_at(house, f"axe-{visited.name}", TABLET)
    visit(visited, face.page, house)
    assert axe.check(face.page, visited.name) == []


def test_axe_finds_what_is_wrong(prompter: Prompter, window: Page) -> None:
    """Else the others would prove nothing."""
    look_at("phone", PHONE_SCENES[0], window, prompter)
    window.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert "button-name" in axe.check(window, "spoilt", ("light",))[0]
