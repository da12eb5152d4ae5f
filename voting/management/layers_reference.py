"""Generator of `docs/generated/layers.md` from the import contracts in pyproject.toml."""

import tomllib
from typing import Any

from django.conf import settings

MARKDOWN = """\
# Layers

<!-- Generated from pyproject.toml by `manage.py generate_protocol`. Edits here are lost. -->

Imports go down only, and packages in the same layer don't import each other.

| inside | layers, from top to bottom |
| --- | --- |
{rows}
"""


def render_markdown() -> str:
    """Return the whole page: a row for each contract of the type `layers`, in their order."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    rows = (_row(contract) for contract in contracts if contract["type"] == "layers")
    return MARKDOWN.format(rows="\n".join(rows))


def _row(contract: dict[str, Any]) -> str:
    folders = [name.replace(".", "/") for name in contract.get("containers", ())]
    inside = ", ".join(f"`{folder}/`" for folder in folders) or "the project"
    layers = (", ".join(f"`{name}`" for name in layer.split(" | ")) for layer in contract["layers"])
    return f"| {inside} | {' → '.join(layers)} |"
