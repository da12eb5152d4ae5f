"""The figures that a stack's processes keep for whoever watches them."""

import shutil
from pathlib import Path


def start_afresh(figures: Path) -> None:
    """Last night's figures are not tonight's."""
    shutil.rmtree(figures, ignore_errors=True)
    figures.mkdir(parents=True)
