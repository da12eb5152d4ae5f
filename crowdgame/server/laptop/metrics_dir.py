"""The directory of Prometheus' multiprocess metrics, shared by all processes of a stack."""

import shutil
from pathlib import Path


def reset_metrics_dir(metrics_dir: Path) -> None:
    """Delete the metrics of the previous run, so that counters start at zero."""
    shutil.rmtree(metrics_dir, ignore_errors=True)
    metrics_dir.mkdir(parents=True)
