"""`python -m tests.chaos.faulty PROGRAM …`: manage.py or celery with injection points.

CHAOS_MUTANT names the safeguard to remove from the product. With CHAOS_LARGE_TURN, turns with so many ballots
are prepared before their deadline, as early as the largest ones.
"""

import os
import sys

import django
from celery.__main__ import main as celery
from django.core.management import execute_from_command_line

django.setup()

from django.conf import settings  # noqa: E402

from tests.chaos import mutants, points  # noqa: E402
from voting.turns import prefetching  # noqa: E402


def main(argv: list[str]) -> None:
    mutants.install(os.environ.get("CHAOS_MUTANT", ""))
    points.install(settings.DATA_DIR)
    if ballots := int(os.environ.get("CHAOS_LARGE_TURN", "0")):
        prefetching.LARGE_TURN = ballots
        prefetching.BALLOTS_PER_MS = ballots / prefetching.MAX_EARLY_MS
    sys.argv = argv
    if argv[0] == "celery":
        celery()
    else:
        execute_from_command_line(argv)


if __name__ == "__main__":
    main(sys.argv[1:])
