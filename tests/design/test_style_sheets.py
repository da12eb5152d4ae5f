"""Every class of a page has a rule in a style sheet that the page loads."""

import re

import pytest

from deploy.laptop.paths import ROOT
from tests.design.style_sheets import (
    PACKAGE,
    PAGES,
    STATIC_SHEETS,
    bundle_classes,
    bundle_sheets,
    page_classes,
    page_sheets,
    sheet_classes,
)

# Classes that only scripts or tests look for; `mine` is styled where guests can have a row of their own.
HOOKS = {"slow", "mine", "shape"}


@pytest.mark.parametrize("template", PAGES)
def test_page_classes_have_rules(template: str) -> None:
    assert page_classes(template) - sheet_classes(page_sheets(template)) <= HOOKS


@pytest.mark.parametrize("bundle", ["phone", "display", "console"])
def test_bundle_classes_have_rules(bundle: str) -> None:
    assert bundle_classes(bundle) - sheet_classes(bundle_sheets(bundle)) <= HOOKS


def test_drawn_board_and_chart_classes_have_rules() -> None:
    drawn = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "games/drawing/board_drawing.py", PACKAGE / "reports/charts.py")
    )
    text = re.sub(r"\{[^{}]*\}", " ", drawn)
    classes = {name for value in re.findall(r'\bclass="([^"]*)"', text) for name in value.split()}
    assert classes <= sheet_classes(page_sheets("paper.html"))


def test_classes_toggled_by_scripts_have_rules() -> None:
    scripts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("static/**/*.js"))
    toggled = {name for script in scripts for name in re.findall(r'classList\.\w+\("([^"]+)"', script)}
    assert toggled <= sheet_classes(STATIC_SHEETS.values())
