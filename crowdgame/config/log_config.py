"""How every process logs: a line or a JSON object a record.

Only the fields named here are written, whatever a library hands over: no request with its query, no
token, no ballot.
"""

import logging
import re
import sys
import threading
from types import TracebackType
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from voting.metrics.metrics import CurrentProcess

LOGGED_FIELDS = (
    "time",
    "level",
    "logger",
    "role",
    "message",
    "event",
    "match",
    "turn",
    "ballots",
    "sealed_ms",
    "resolved_ms",
    "sockets",
    "exc_info",
)
RENAMED_FIELDS = {"levelname": "level", "name": "logger"}
# What stands behind the first words of a link to log in, to confirm or to stop, and what looks like a login
# link's token wherever it stands.
TOKEN_PATTERN = re.compile(r"(/console/enter/|/play/confirm/|/play/stop/)\S+|\b[0-9a-z]{6,}-[0-9a-f]{32,}\b")
log = logging.getLogger("crowdgame")


class TokenRedactor(logging.Filter):
    """Who reads a log gets in by no link that stands in it: Django names the path of what it refuses."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = TOKEN_PATTERN.sub(r"\1…", record.getMessage()), ()
        return True


class JsonLogFormatter(JsonFormatter):
    """A JSON object a line, a traceback within it."""

    def __init__(self) -> None:
        super().__init__(
            "{levelname}{name}{message}", style="{", rename_fields=RENAMED_FIELDS, timestamp="time"
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        known = log_data | {"role": CurrentProcess.role}
        return {name: known[name] for name in LOGGED_FIELDS if known.get(name) is not None}


def logging_config(form: str, level: str) -> dict[str, Any]:
    """For `logging.config.dictConfig`: our own loggers from `level` on, libraries' from WARNING on."""
    own = {"level": level}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
            "json": {"()": JsonLogFormatter},
        },
        "filters": {"tokens": {"()": TokenRedactor}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": form, "filters": ["tokens"]},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING" if level in {"DEBUG", "INFO"} else level},
        "loggers": {"crowdgame": own, "games": own, "voting": own},
    }


def log_uncaught_exceptions() -> None:
    """What dies of an exception says so in its log, in one record; so does what only warns."""
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        log.critical("nobody caught %s", kind.__name__, exc_info=(kind, error, trace))


def _log_uncaught_in_thread(end: threading.ExceptHookArgs) -> None:
    name = end.thread.name if end.thread else "a thread"
    if end.exc_value is not None:
        caught = (end.exc_type, end.exc_value, end.exc_traceback)
        log.critical("nobody caught %s in %s", end.exc_type.__name__, name, exc_info=caught)
