"""Commands that read game records, one per line, and answer each line in turn.

They exit with status 1 if a line could not be parsed or played at all. A record with an illegal pick is a
normal answer. They need neither database nor Redis.
"""

import os
import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from click import echo
from django.core.management.base import BaseCommand, CommandError

from games.drawing.board_text import refused_text
from games.engine.errors import BadRecord, GameError
from games.engine.record import GameRecord, Replayed, read_record, replay
from games.engine.replay_answer import LineRefused, ReplayFailure

MAX_LINE_BYTES = 1 << 26  # the record of a match with a large crowd has about 20 MB
INTERRUPTED = 130


class RecordCommand(BaseCommand, ABC):
    """A command that answers every record, as text or with `--json` as one JSON object per line."""

    requires_system_checks: list[str] = []

    @abstractmethod
    def build_answer(self, replayed: Replayed) -> msgspec.Struct:
        """Return the answer for `--json`. Raises GameError for a record that has none."""

    @abstractmethod
    def describe(self, title: str, replayed: Replayed) -> str:
        """Return the answer as text. Raises GameError for a record that has none."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", nargs="?", metavar="FILE", help="file with records (default: standard input)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")

    def handle(self, *args: Any, **options: Any) -> None:
        show = self._show_json if options["json"] else self._show_text
        failed = False
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        with _exit_quietly(), _opened(options["file"]) as source:
            for number, line in enumerate(_lines(source), 1):
                if line.strip():
                    failed |= not show(number, line)
        if failed:
            sys.exit(1)

    def _show_json(self, number: int, line: bytes) -> bool:
        reply: msgspec.Struct
        try:
            reply = self.build_answer(replay(_read(line)))
        except GameError as refusal:
            reply = ReplayFailure(LineRefused(number, str(refusal)))
        sys.stdout.write(msgspec.json.encode(reply).decode() + "\n")
        sys.stdout.flush()
        return not isinstance(reply, ReplayFailure)

    def _show_text(self, number: int, line: bytes) -> bool:
        title = f"line {number}"
        try:
            record = _read(line)
            title = record.name if isinstance(record.name, str) else title
            text = self.describe(title, replay(record))
        except GameError as refusal:
            echo(f"{refused_text(title, number, str(refusal))}\n", sys.stdout)
            return False
        echo(f"{text}\n", sys.stdout)
        return True


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


def _read(line: bytes) -> GameRecord:
    if len(line) > MAX_LINE_BYTES:
        raise BadRecord(f"the line is longer than {MAX_LINE_BYTES} bytes")
    return read_record(line)
