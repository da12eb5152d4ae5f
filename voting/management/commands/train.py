"""`manage.py train`: train the solver's evaluation by playing against itself."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from rich.progress import Progress

from games.solver.training import train
from games.solver.weights import WEIGHTS, weights_name

MATCHES = 600_000


class Command(BaseCommand):
    help = "Train the solver's evaluation and write its weights. The same arguments give the same weights."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--columns", type=int, choices=(6, 7), default=7)
        parser.add_argument(
            "--tie", choices=("holder", "other"), default="holder", help="winner of a double win"
        )
        parser.add_argument("--matches", type=int, default=MATCHES, help="matches to play")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--output", type=Path, help="the file (default: the one that the solver reads)")

    def handle(self, *args: Any, **options: Any) -> None:
        reverse_tie = options["tie"] == "other"
        output: Path = options["output"] or WEIGHTS / weights_name(options["columns"], reverse_tie)
        with Progress() as progress:
            task = progress.add_task("training matches", total=options["matches"])
            weights = train(
                options["columns"],
                reverse_tie,
                options["matches"],
                options["seed"],
                lambda played: progress.update(task, completed=played),
            )
        output.write_bytes(weights)
        self.stdout.write(f"{output}: {len(weights)} bytes")
