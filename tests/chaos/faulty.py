"""`python -m tests.chaos.faulty PROGRAM …`: manage.py or celery with injection points.

CHAOS_MUTANT names the safeguard to remove from the product.
"""

import os
import sys

import django
from celery.__main__ import main as celery
from django.core.management import execute_from_command_line

django.setup()

from django.conf import settings  # noqa: E402

from tests.chaos import mutants, points  # noqa: E402


def main(argv: list[str]) -> None:
    mutants.install(os.environ.get("CHAOS_MUTANT", ""))
    points.install(settings.DATA_DIR)
    sys.argv = argv
    if argv[0] == "celery":
        celery()
    else:
        execute_from_command_line(argv)


if __name__ == "__main__":
    main(sys.argv[1:])
