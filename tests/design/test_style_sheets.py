"""Every class of a page has a rule in a style sheet that the page loads; both are read from the sources."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import allauth
import pytest

from crowdgame.server.laptop.paths import ROOT

PACKAGE, FRONTEND = ROOT / "crowdgame", ROOT / "frontend" / "src"
# Classes that only scripts or tests look for; `mine` is styled where guests can have a row of their own.
HOOKS = {"slow", "mine", "shape", "print", "reason", "refused", "invite", "copy", "share"}


def _files(folder: str, kind: str) -> dict[str, Path]:
    roots = PACKAGE.rglob(folder)
    return {path.relative_to(root).as_posix(): path for root in roots for path in root.rglob(f"*.{kind}")}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


OWN_TEMPLATES = {name: _read(path) for name, path in _files("templates", "html").items()}
TEMPLATES = OWN_TEMPLATES | {  # own pages may extend allauth's, which extend our layout
    name: _read(path)
    for path in Path(allauth.__file__).parent.glob("templates/**/base_*.html")
    if (name := path.relative_to(Path(allauth.__file__).parent / "templates").as_posix()) not in OWN_TEMPLATES
}
TEMPLATES.setdefault("allauth/layouts/entrance.html", '{% extends "allauth/layouts/base.html" %}')
STATIC_SHEETS = _files("static", "css")
INCLUSION_TAGS = {
    tag: template
    for path in PACKAGE.rglob("templatetags/*.py")
    for template, tag in re.findall(r'inclusion_tag\("([^"]+)"[^)]*\)\ndef (\w+)', _read(path))
}
PAGES = sorted(
    name
    for name, text in OWN_TEMPLATES.items()
    if re.search(r"{% extends|<html", text) and not name.startswith("admin/")
)
STYLE_BLOCK = re.compile(r"{% block style %}(.*?){% endblock %}", re.DOTALL)


def page_sheets(page: str) -> list[Path]:
    """The style sheets of a Django page, in the order of its links."""
    chain = list(_ancestors(page))
    style = "{{ block.super }}"
    for text in chain:
        if block := STYLE_BLOCK.search(text):
            style = style.replace("{{ block.super }}", block[1])
    others = "".join(STYLE_BLOCK.sub("", text) for text in reversed(chain))
    return [STATIC_SHEETS[name] for name in re.findall(r"{% static '([^']+\.css)' %}", others + style)]


def _ancestors(page: str) -> Iterator[str]:
    text = TEMPLATES[page]
    yield text
    if parent := re.search(r'{% extends "([^"]+)" %}', text):
        yield from _ancestors(parent[1])


def page_classes(page: str) -> set[str]:
    """The classes that a page and the templates that it extends or includes write as text."""
    return {name for template in _templates(page, set()) for name in template_classes(template)}


def template_classes(template: str) -> set[str]:
    text = re.sub(r"{{.*?}}", "", TEMPLATES[template])
    widths = re.findall(r"{% block width %}(.*?){% endblock %}", text)
    classes = (*widths, *re.findall(r'\bclass="([^"]*)"', re.sub(r"{%.*?%}", " ", text)))
    return {name for value in classes for name in re.sub(r"{%.*?%}", " ", value).split()}


def _templates(name: str, found: set[str]) -> set[str]:
    if name not in TEMPLATES or name in found:
        return found
    found.add(name)
    text = TEMPLATES[name]
    named = re.findall(r'{% (?:extends|include) "([^"]+)"', text)
    for other in (*named, *(INCLUSION_TAGS.get(tag, "") for tag in re.findall(r"{% (\w+)", text))):
        _templates(other, found)
    return found


def bundle_sheets(bundle: str) -> list[Path]:
    """The style sheets that the modules of a folder of `frontend/src` import."""
    imported = (
        module.parent / name
        for module in _modules(bundle)
        for name in re.findall(r'import (?:\w+ from )?"(\.[^"?]+\.css)', _read(module))
    )
    return [part for sheet in imported for part in _with_imports(sheet.resolve())]


def _with_imports(sheet: Path) -> Iterator[Path]:
    yield sheet
    for name in re.findall(r'@import "([^"]+)"', _read(sheet)):
        yield from _with_imports((sheet.parent / name).resolve())


def bundle_classes(bundle: str) -> set[str]:
    """The classes that the modules write as text. Classes that come from variables are left out."""
    return {name for module in _modules(bundle) for name in _script_classes(_read(module))}


def _modules(bundle: str) -> Iterator[Path]:
    for folder in (FRONTEND / bundle, *([] if bundle == "phone" else [FRONTEND / "board"])):
        yield from (path for path in folder.rglob("*.ts*") if ".test." not in path.name)


def _script_classes(text: str) -> Iterator[str]:
    while (shorter := re.sub(r"\$\{[^{}]*\}", "\0", text)) != text:
        text = shorter
    for value in re.findall(r'\bclass(?:=|=\{)["`]([^"`]*)["`]', text):
        yield from (name for name in value.split() if "\0" not in name)


def sheet_classes(sheets: Iterable[Path]) -> set[str]:
    """The classes in the selectors of style sheets."""
    texts = (re.sub(r'/\*.*?\*/|"[^"]*"', "", _read(sheet), flags=re.DOTALL) for sheet in sheets)
    selectors = (re.sub(r"\{[^{}]*\}", " ", text) for text in texts)
    return {name for text in selectors for name in re.findall(r"\.([a-zA-Z][\w-]*)", text)}


@pytest.mark.parametrize("template", PAGES)
def test_page_classes_have_rules(template: str) -> None:
    assert page_classes(template) - sheet_classes(page_sheets(template)) <= HOOKS


@pytest.mark.parametrize("bundle", ["phone", "display", "console", "verify"])
def test_bundle_classes_have_rules(bundle: str) -> None:
    assert bundle_classes(bundle) - sheet_classes(bundle_sheets(bundle)) <= HOOKS


def test_drawn_board_and_chart_classes_have_rules() -> None:
    drawn = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "games/drawing/board_drawing.py", PACKAGE / "results/reports/charts.py")
    )
    text = re.sub(r"\{[^{}]*\}", " ", drawn)
    classes = {name for value in re.findall(r'\bclass="([^"]*)"', text) for name in value.split()}
    assert classes <= sheet_classes(page_sheets("paper.html"))


def test_classes_toggled_by_scripts_have_rules() -> None:
    scripts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("static/**/*.js"))
    toggled = {name for script in scripts for name in re.findall(r'classList\.\w+\("([^"]+)"', script)}
    assert toggled <= sheet_classes(STATIC_SHEETS.values())
