"""Style sheets, read from the sources: a rule for every class of a page, and distinguishable colors."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import allauth
import pytest
from coloraide import Color

from crowdgame.server.laptop.paths import ROOT

PACKAGE, FRONTEND = ROOT / "crowdgame", ROOT / "frontend" / "src"
# Classes that only scripts or tests look for; `mine` is styled where guests can have a row of their own.
HOOKS = {"slow", "mine", "shape", "print", "reason", "refused", "invite", "copy", "share"}


def _files(folder: str, kind: str) -> dict[str, Path]:
    roots = PACKAGE.rglob(folder)
    return {path.relative_to(root).as_posix(): path for root in roots for path in root.rglob(f"*.{kind}")}


OWN_TEMPLATES = {name: path.read_text("utf-8") for name, path in _files("templates", "html").items()}
ALLAUTH = Path(allauth.__file__).parent / "templates"
TEMPLATES = {  # own pages may extend allauth's, which extend our layout
    "allauth/layouts/entrance.html": '{% extends "allauth/layouts/base.html" %}',
    **{str(path.relative_to(ALLAUTH)): path.read_text("utf-8") for path in ALLAUTH.rglob("base_*.html")},
    **OWN_TEMPLATES,
}
STATIC_SHEETS = _files("static", "css")
INCLUSION_TAGS = {
    tag: template
    for path in PACKAGE.rglob("templatetags/*.py")
    for template, tag in re.findall(r'inclusion_tag\("([^"]+)"[^)]*\)\ndef (\w+)', path.read_text("utf-8"))
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


def template_classes(template: str) -> set[str]:
    text = re.sub(r"{{.*?}}", "", TEMPLATES[template])
    widths = re.findall(r"{% block width %}(.*?){% endblock %}", text)
    classes = (*widths, *re.findall(r'\bclass="([^"]*)"', re.sub(r"{%.*?%}", " ", text)))
    return {name for value in classes for name in re.sub(r"{%.*?%}", " ", value).split()}


def _with_included(name: str, found: set[str]) -> set[str]:
    """Add a template, and those that it extends or includes, to those found."""
    if name in TEMPLATES and name not in found:
        found.add(name)
        named = re.findall(r'{% (?:extends|include) "([^"]+)"', TEMPLATES[name])
        tags = re.findall(r"{% (\w+)", TEMPLATES[name])
        for other in (*named, *(INCLUSION_TAGS.get(tag, "") for tag in tags)):
            _with_included(other, found)
    return found


def _with_imports(sheet: Path) -> Iterator[Path]:
    yield sheet
    for name in re.findall(r'@import "([^"]+)"', sheet.read_text("utf-8")):
        yield from _with_imports((sheet.parent / name).resolve())


def _script_classes(text: str) -> Iterator[str]:
    """The classes that a module writes as text. Classes that come from variables are left out."""
    while (shorter := re.sub(r"\$\{[^{}]*\}", "\0", text)) != text:
        text = shorter
    for value in re.findall(r'\bclass(?:=|=\{)["`]([^"`]*)["`]', text):
        yield from (name for name in value.split() if "\0" not in name)


def sheet_classes(sheets: Iterable[Path]) -> set[str]:
    texts = (re.sub(r'/\*.*?\*/|"[^"]*"', "", sheet.read_text("utf-8"), flags=re.DOTALL) for sheet in sheets)
    selectors = (re.sub(r"\{[^{}]*\}", " ", text) for text in texts)
    return {name for text in selectors for name in re.findall(r"\.([a-zA-Z][\w-]*)", text)}


@pytest.mark.parametrize("template", PAGES)
def test_page_classes_have_rules(template: str) -> None:
    classes = {name for part in _with_included(template, set()) for name in template_classes(part)}
    assert classes - sheet_classes(page_sheets(template)) <= HOOKS


@pytest.mark.parametrize("bundle", ["phone", "display", "console", "verify"])
def test_bundle_classes_have_rules(bundle: str) -> None:
    folders = [FRONTEND / bundle, *([] if bundle == "phone" else [FRONTEND / "board"])]
    paths = [path for folder in folders for path in folder.rglob("*.ts*") if ".test." not in path.name]
    modules = {path: path.read_text("utf-8") for path in paths}
    classes = {name for text in modules.values() for name in _script_classes(text)}
    imports = re.compile(r'import (?:\w+ from )?"(\.[^"?]+\.css)')
    sheets = [(module.parent / name) for module, text in modules.items() for name in imports.findall(text)]
    loaded = [part for sheet in sheets for part in _with_imports(sheet.resolve())]
    assert classes - sheet_classes(loaded) <= HOOKS


def test_drawn_board_and_chart_classes_have_rules() -> None:
    sources = (ROOT / "games/drawing/board_drawing.py", PACKAGE / "results/reports/charts.py")
    text = re.sub(r"\{[^{}]*\}", " ", "".join(path.read_text("utf-8") for path in sources))
    classes = {name for value in re.findall(r'\bclass="([^"]*)"', text) for name in value.split()}
    assert classes <= sheet_classes(page_sheets("paper.html"))


def test_classes_toggled_by_scripts_have_rules() -> None:
    scripts = (path.read_text("utf-8") for path in PACKAGE.rglob("static/**/*.js"))
    toggled = {name for script in scripts for name in re.findall(r'classList\.\w+\("([^"]+)"', script)}
    assert toggled <= sheet_classes(STATIC_SHEETS.values())


STAGE_TOKENS, PAGE_TOKENS = (STATIC_SHEETS[f"tokens/{name}.css"] for name in ("stage", "pages"))
DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*(:root \{.*?\})\s*\}", re.DOTALL)
RULE = re.compile(r"(:root|\[data-side=\"(?:red|yellow)\"\])[^{}]*\{(.*?)\}", re.DOTALL)
PROPERTY = re.compile(r"--([\w-]+):\s*([^;]+);")
PLAIN = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
PRINT = re.compile(r"@media print \{.*?\n\}", re.DOTALL)
Palette = dict[str, str]


def palettes(sheet: Path) -> dict[str, Palette]:
    """Plain colors by name for `light` and `dark`. A side's own are named like `red.on-side`."""
    text = PRINT.sub("", sheet.read_text(encoding="utf-8"))  # print styles are always light
    dark = "".join(DARK.findall(text))
    light = _read(DARK.sub("", text))
    return {"light": light, "dark": light | _read(dark)}


def _read(text: str) -> Palette:
    found: Palette = {}
    for selector, body in RULE.findall(text):
        side = re.search(r"red|yellow", selector)
        for name, value in PROPERTY.findall(body):
            found[f"{side[0]}.{name}" if side else name] = value.strip()
    return {name: value for name, value in found.items() if PLAIN.fullmatch(value)}


STAGE = palettes(STAGE_TOKENS)["dark"]
STAGE_TEXT = [(ink, on) for ink in ("ink", "ink-quiet", "brass", "danger") for on in ("night", "lacquer-lit")]
STAGE_TEXT += [("red-lit", "night"), ("yellow", "night")]
STAGE_TEXT += [(f"{side}.on-side", side) for side in ("red", "yellow")]
STAGE_SHAPES = [(shape, ground) for shape in ("red", "yellow", "brass") for ground in ("night", "hole")]
PAGE_TEXT = [(ink, ground) for ink in ("ink", "quiet") for ground in ("panel", "ground", "sunk")]
PAGE_TEXT += [("on-main", "main"), ("danger", "panel"), ("danger", "danger-ground")]


def test_colors_have_enough_contrast() -> None:
    for palette, pairs, least in (
        (STAGE, STAGE_TEXT, 4.5),
        (STAGE, STAGE_SHAPES, 3.0),
        *((palette, PAGE_TEXT, 4.5) for palette in palettes(PAGE_TOKENS).values()),
    ):
        for ink, ground in pairs:
            assert Color(palette[ink]).contrast(palette[ground], method="wcag21") >= least, (ink, ground)


@pytest.mark.parametrize("blindness", ["protan", "deutan", "tritan"])
def test_side_colors_are_distinguishable_with_color_blindness(blindness: str) -> None:
    sides = (Color(STAGE[side]) for side in ("red", "yellow"))
    red, yellow = (color.filter(blindness, method="machado").clip() for color in sides)
    assert red.delta_e(yellow, method="76", space="lab-d65") >= 40
    # CIEDE2000 gives lower values: a red at 40 from yellow would no longer look red.
    assert red.delta_e(yellow, method="2000", space="lab-d65") >= 30


def test_design_tokens_are_defined_only_once() -> None:
    tokens = {*palettes(STAGE_TOKENS)["dark"], *palettes(PAGE_TOKENS)["dark"]}
    sheets = (*FRONTEND.rglob("*.css"), *STATIC_SHEETS.values())
    redefining = [sheet for sheet in sheets if tokens & palettes(sheet)["dark"].keys()]
    assert [sheet for sheet in redefining if sheet.parent.name != "tokens"] == []
