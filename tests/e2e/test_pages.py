import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.page_checks import axe_violations, english_on, faults, resize, visible_lines
from tests.e2e.page_visits import ADMIN, OWN_TEXTS, PAGES, Visit, running_server_with_static, visit
from tests.e2e.screens import TABLET
from tests.e2e.scripts import page_script
from tests.server import Server

LANGUAGES = ("de", "es", "fr", "pt", "zh-hans", "ar")
TRANSLATED = [visited for visited in PAGES if visited not in ADMIN]
LATIN_WORDS = re.compile(r"[A-Za-z]{2,}(?:[ ,\u2019'-]+[A-Za-z]{2,})+")
# Names and texts of the tests, and names that stay the same in every language.
NAMES = (
    *OWN_TEXTS,
    *["Red should take column 4", "nobody of that name", "An evening", "Spring cup", "Rooks", "Doves"],
    *["Crowdgame", "Ada Lovelace", "Bea Potter", "Carl Gauss", "Dora Maar"],
    *["Simultaneous Captain\u2019s Mistress", "Simultaneous Captain's Mistress", "Simultaneous Connect Four"],
    *["Connect 4", "Richard Hutnik", "Milton Bradley", "Merrill Flood", "IAGO World Tour", "Damian Walker"],
    *["Traditional Board Game Series", "Games to Play", "Michael Joseph", "David Parlett"],
    *["The Oxford History of Board Games", "Oxford University Press", "Barlow Condensed", "Noto Sans"],
    "SIL Open Font License",
)
UNTRANSLATED = r"crowdgame (?:verify|witness) .*|Guest \d+|https?://\S+|\S+@\S+|[a-z-]+-(?:owner|viewer)|\b[A-Z0-9]{4,5}\b"
NOT_TRANSLATED = re.compile("|".join((*map(re.escape, NAMES), UNTRANSLATED)))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server_with_static(tmp_path_factory.mktemp("translated")) as server:
        yield server


def check_page(page: Page, language: str) -> list[str]:
    # A single word may be a name, or the same in both languages.
    english = [text for text in english_on(page, language, "django", "djangojs") if " " in text]
    if language in ("zh-hans", "ar"):
        lines = dict.fromkeys(page.evaluate(page_script("read_lines")))
        english += [line for line in lines if LATIN_WORDS.search(NOT_TRANSLATED.sub("", line))]
    wrong = [f"English: {line}" for line in english]
    for screen_width, screen_height in ((320, 568), (1280, 800)):
        resize(page, screen_width, screen_height)
        page.evaluate("scrollTo(0, 0)")
        width, height = page.evaluate(
            "(({scrollWidth, scrollHeight}) => [scrollWidth, scrollHeight])(document.documentElement)"
        )
        cut = [*faults(visible_lines(page), screen_width, height), *page.evaluate(page_script("spilled"))]
        cut += ["the page is wider"] * (width > screen_width)
        wrong += [f"at {screen_width} px: {fault}" for fault in cut]
    return wrong + axe_violations(page, "axe", ("light",))


@pytest.mark.nightly
@pytest.mark.parametrize("visited", TRANSLATED, ids=[visited.name for visited in TRANSLATED])
def test_page_is_translated_into_all_languages(server: Server, browser: Browser, visited: Visit) -> None:
    wrong = {}
    for language in LANGUAGES:
        with browser.new_context(reduced_motion="reduce") as context:
            page = context.new_page()
            visit(visited.in_language(language), page, server)
            wrong[language] = check_page(page, language)
    assert {language: found for language, found in wrong.items() if found} == {}


@pytest.mark.nightly
@pytest.mark.parametrize("visited", PAGES, ids=[visited.name for visited in PAGES])
def test_page_is_accessible_in_light_and_dark(server: Server, window: Page, visited: Visit) -> None:
    window.set_viewport_size(TABLET)
    visit(visited, window, server)
    assert axe_violations(window, visited.name) == []
