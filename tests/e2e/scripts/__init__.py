"""JavaScript that tests run in a page: one function, or statements for each page load, per file."""

from pathlib import Path


def page_script(name: str) -> str:
    return Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8")
