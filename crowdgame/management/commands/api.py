"""Reads, creates and runs events of a server through its API, so that scripts need no HTTP."""

import argparse
import json
import os
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser

TIMEOUT_S = 30
TOKEN = "CROWDGAME_TOKEN"  # noqa: S105  the name of the variable
EXAMPLES = """\
examples, with the token in the environment variable CROWDGAME_TOKEN:
  crowdgame api http://SERVER:8000 events
  crowdgame api http://SERVER:8000 create preset=two-halls team_1=Ants team_2=Bees window_s=20
  crowdgame api http://SERVER:8000 run CODE match.start
  crowdgame api http://SERVER:8000 run CODE turn.extend seconds=10
  crowdgame api http://SERVER:8000 match CODE 1
  crowdgame api http://SERVER:8000 export CODE evening.zip
"""


class Command(BaseCommand):
    help = "Reads, creates and runs events of a server through its API. SERVER/api/v1/ describes it."
    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs |= {"epilog": EXAMPLES, "formatter_class": argparse.RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", help="the server, such as http://127.0.0.1:8000")
        steps = parser.add_subparsers(dest="step", required=True)
        steps.add_parser("events", help="list the events")
        create = steps.add_parser("create", help="create an event")
        run = steps.add_parser("run", help="perform an action of the console")
        show = steps.add_parser("event", help="show what the screens show")
        match = steps.add_parser("match", help="show a match and its revealed turns")
        export = steps.add_parser("export", help="download the records and reports of all matches")
        for one in (run, show, match, export):
            one.add_argument("code", help="the event's code")
        run.add_argument("action", help="such as match.start")
        match.add_argument("number", type=int)
        export.add_argument("file", type=Path, help="the zip file to write")
        for one in (create, run):
            one.add_argument("fields", nargs="*", metavar="FIELD=VALUE")

    def handle(self, *args: Any, url: str, step: str, **given: Any) -> None:
        event = f"events/{given.get('code')}/"
        if step == "export":
            given["file"].write_bytes(call(url, f"{event}export.zip"))
            return
        path, body = {
            "events": ("events/", None),
            "create": ("events/", read_fields(given.get("fields", []))),
            "run": (f"{event}actions/{given.get('action')}/", read_fields(given.get("fields", []))),
            "event": (event, None),
            "match": (f"{event}matches/{given.get('number')}/", None),
        }[step]
        self.stdout.write(json.dumps(json.loads(call(url, path, body)), indent=2, ensure_ascii=False))


def read_fields(given: list[str]) -> dict[str, Any]:
    """Read FIELD=VALUE arguments. Values are JSON, or else texts."""
    fields = {}
    for one in given:
        name, separator, value = one.partition("=")
        if not separator:
            raise CommandError(f"{one} is not FIELD=VALUE.")
        try:
            fields[name] = json.loads(value)
        except ValueError:
            fields[name] = value
    return fields


def call(url: str, path: str, body: object = None) -> bytes:
    """Call an operation: POST if there is a body. Raises CommandError with what the server says."""
    if not url.startswith(("http://", "https://")):
        raise CommandError(f"{url} is not the address of a server, such as http://127.0.0.1:8000.")
    if TOKEN not in os.environ:
        raise CommandError(f"Set {TOKEN} to a token, which organizers create on the page API tokens.")
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {os.environ[TOKEN]}", "Content-Type": "application/json"}
    request = Request(f"{url.rstrip('/')}/api/v1/{path}", data, headers)  # noqa: S310  checked above
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
            content: bytes = answer.read()
            return content
    except HTTPError as refusal:
        raise CommandError(describe(refusal)) from refusal
    except (URLError, HTTPException, OSError) as error:
        raise CommandError(f"{url} does not answer: {error}") from error


def describe(refusal: HTTPError) -> str:
    """What the server says, with a line for each setting that it refuses."""
    try:
        said = json.loads(refusal.read())
        errors = [f"{name}: {' '.join(texts)}" for name, texts in said.get("errors", {}).items()]
        return "\n".join([str(said["title"]), *errors])
    except (ValueError, KeyError):
        return f"{refusal.code} {refusal.reason}"
