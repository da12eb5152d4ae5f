#!/usr/bin/env python
"""Django's command line for this project.

Without SECRET_KEY in the environment, commands use the settings of the last `make play`.
"""

import atexit
import gc
import json
import os
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def load_play_environment() -> None:
    data = Path(os.environ.get("CROWDGAME_DATA") or Path(__file__).resolve().parent / ".play")
    path = data / "environment.json"
    if "SECRET_KEY" not in os.environ and path.is_file():
        os.umask(0o077)  # the data is private
        for name, value in json.loads(path.read_text()).items():
            os.environ.setdefault(name, value)


if __name__ == "__main__":
    # Imported objects live as long as the process, and garbage collection among them takes two fifths of the
    # time of a short command. crowdgame.apps enables it for later objects; at exit, nothing is collected.
    gc.disable()
    atexit.register(gc.freeze)
    load_play_environment()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{error}")
