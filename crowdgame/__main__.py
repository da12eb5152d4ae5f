"""The command `crowdgame`: `play` runs everything on this machine; the others are Django's command line.

Without SECRET_KEY in the environment, commands use the settings of the last `play` with the same data.
"""

import argparse
import atexit
import gc
import json
import os
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

HELP = """\
usage: crowdgame [--data FOLDER] COMMAND ...

  crowdgame play                                  run everything on this machine, with a demo event
  crowdgame play --no-crowd --port 8001           run it on another port, without the demo event
  crowdgame verify RECORD.json                    recount a match from its record
  crowdgame verify REPORT.html                    recount the record in a report, and check its proofs
  crowdgame verify RECORD.json --log URL          also compare it with the transparency log of a server
  crowdgame witness http://SERVER:8000            watch that a server shows everyone the same log
  crowdgame rehearse http://SERVER:8000/CODE      simulate phones that vote in an event
  crowdgame api http://SERVER:8000 events         read, create and run events through the API
  crowdgame doctor                                look for wrong settings and missing services
  crowdgame backup FILE, crowdgame restore FILE   back up the database, or replace it with a backup
  crowdgame invite NAME                           print a link that creates an organizer's account

The data is in FOLDER, or that of CROWDGAME_DATA (default: {data}).
`crowdgame COMMAND --help` explains a command. `crowdgame help` lists all of them.
"""


def load_play_environment(data: Path) -> None:
    """Use the settings of the last `play` in the folder `data`, unless the environment has settings."""
    path = data / "environment.json"
    if "SECRET_KEY" not in os.environ and path.is_file():
        os.umask(0o077)  # the data is private
        for name, value in json.loads(path.read_text()).items():
            os.environ.setdefault(name, value)


def take_data_option(arguments: list[str]) -> list[str]:
    """Set CROWDGAME_DATA to the folder of the option `--data`. Returns the other arguments."""
    parser = argparse.ArgumentParser("crowdgame", add_help=False, allow_abbrev=False)
    parser.add_argument("--data", type=Path)
    found, others = parser.parse_known_args(arguments)
    if found.data:
        os.environ["CROWDGAME_DATA"] = str(found.data.expanduser().absolute())
    return others


def run_django(arguments: list[str]) -> None:
    # Imported objects live as long as the process, and garbage collection among them takes two fifths of the
    # time of a short command. crowdgame.apps enables it for later objects; at exit, nothing is collected.
    gc.disable()
    atexit.register(gc.freeze)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")
    wrong_settings = import_module("django.core.exceptions").ImproperlyConfigured
    no_database = import_module("django.db").OperationalError
    try:
        import_module("django.core.management").execute_from_command_line(["crowdgame", *arguments])
    except wrong_settings as error:
        sys.exit(f"{error}")
    except no_database as error:
        sys.exit(f"The database cannot be used: {error}. `crowdgame play` and `crowdgame migrate` create it.")


def main() -> None:
    if sys.platform == "win32":
        sys.exit("crowdgame runs on Linux and macOS. On Windows, run it in WSL2 or in a container.")
    arguments = take_data_option(sys.argv[1:])
    data: Path = import_module("crowdgame.server.laptop.paths").DATA
    if arguments in ([], ["--help"], ["-h"]):
        sys.stdout.write(HELP.format(data=data))
    elif arguments in (["--version"], ["version"]):
        sys.stdout.write(f"{version('crowdgame')}\n")
    elif arguments[0] == "play":
        sys.exit(import_module("crowdgame.server.laptop.play").main(arguments[1:]))
    else:
        load_play_environment(data)
        run_django(arguments)


if __name__ == "__main__":
    main()
