"""`manage.py replay [--json] [FILE]`: replay game records, one per line.

Exits with status 1 if a line could not be parsed or played at all. A record with an illegal pick is a normal
answer. Needs neither database nor Redis.
"""

import os
import sys
from argparse import ArgumentParser
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from games.drawing.board_text import board_text, refused_text
from games.engine.errors import BadRecord, GameError
from games.engine.record import GameRecord, Replayed, read_record, replay
from games.engine.replay_answer import LineRefused, ReplayFailure, build_answer

MAX_LINE_BYTES = 1 << 26  # the record of a match with a large crowd has about 20 MB
INTERRUPTED = 130

ReplayLine = tuple[int, GameRecord | None, Replayed | ReplayFailure]


class Command(BaseCommand):
    help = "Replay game records (one JSON object per line) and show the resulting positions."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", nargs="?", metavar="FILE", help="file with records (default: standard input)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")

    def handle(self, *args: Any, **options: Any) -> None:
        show = _show_json if options["json"] else _show_board
        failed = False
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        with _exit_quietly(), _opened(options["file"]) as source:
            console = Console()
            for line in _replayed(source):
                failed |= isinstance(line[2], ReplayFailure)
                show(line, console)
        if failed:
            sys.exit(1)


@contextmanager
def _exit_quietly() -> Iterator[None]:
    """End the command without a traceback on Ctrl-C, a closed pipe or a full disk."""
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Python flushes standard output again at exit; redirect it to avoid a second error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as refusal:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise CommandError(str(refusal)) from refusal


@contextmanager
def _opened(file: str | None) -> Iterator[BinaryIO]:
    if file is None:
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as source:
        yield source


def _replayed(source: BinaryIO) -> Iterator[ReplayLine]:
    for number, line in enumerate(_lines(source), 1):
        if line.strip():
            yield number, *_played(number, line)


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield lines.

    Of a line over MAX_LINE_BYTES, only a prefix that is itself too long, to bound the memory.
    """
    first = True
    while line := source.readline(MAX_LINE_BYTES + 1):
        tail = line
        while len(tail) > MAX_LINE_BYTES and not tail.endswith(b"\n"):
            tail = source.readline(MAX_LINE_BYTES + 1)
        yield line.removeprefix(BOM_UTF8) if first else line
        first = False


def _played(number: int, line: bytes) -> tuple[GameRecord | None, Replayed | ReplayFailure]:
    record = None
    try:
        if len(line) > MAX_LINE_BYTES:
            raise BadRecord(f"the line is longer than {MAX_LINE_BYTES} bytes")
        record = read_record(line)
        return record, replay(record)
    except GameError as refusal:
        return record, ReplayFailure(LineRefused(number, str(refusal)))


def _show_json(line: ReplayLine, console: Console) -> None:
    played = line[2]
    reply = played if isinstance(played, ReplayFailure) else build_answer(played)
    sys.stdout.write(msgspec.json.encode(reply).decode() + "\n")
    sys.stdout.flush()


def _show_board(line: ReplayLine, console: Console) -> None:
    number, record, played = line
    title = record.name if record and isinstance(record.name, str) else f"line {number}"
    if isinstance(played, ReplayFailure):
        console.print(refused_text(title, number, played.error.text), soft_wrap=True)
    else:
        console.print(board_text(title, played), soft_wrap=True)
