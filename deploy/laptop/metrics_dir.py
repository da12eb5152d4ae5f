"""The figures that a stack's processes keep for whoever watches them."""

import shutil
from pathlib import Path


def reset_metrics_dir(metrics_dir: Path) -> None:
    """Last night's figures are not tonight's."""
    shutil.rmtree(metrics_dir, ignore_errors=True)
    metrics_dir.mkdir(parents=True)
