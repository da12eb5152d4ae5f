"""Logging configuration of every process: one line or one JSON object per record.

Only the fields named here are written, whatever extra fields a library passes: no request with its query, no
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
# Links that contain a secret after their prefix. nginx logs no errors about them either.
SECRET_PATHS = (
    "/console/enter/",
    "/console/invitation/",
    "/console/organizations/join/",
    "/console/confirm-email/",
    "/console/password/reset/key/",
    "/play/confirm/",
    "/play/stop/",
)
# Secrets in log messages: the rest of such a link, and any text that looks like a login token.
TOKEN_PATTERN = re.compile(rf"({'|'.join(SECRET_PATHS)})\S+|\b[0-9a-z]{{6,}}-[0-9a-f]{{32,}}\b")
MAX_MESSAGE_LENGTH = 300  # Django logs the paths of failed requests, which may be long
log = logging.getLogger("crowdgame")


class TokenRedactor(logging.Filter):
    """Logging filter that redacts link tokens and shortens messages: Django logs paths of failed requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = TOKEN_PATTERN.sub(r"\1…", record.getMessage())
        if len(message) > MAX_MESSAGE_LENGTH:
            message = f"{message[:MAX_MESSAGE_LENGTH]}…"
        record.msg, record.args = message, ()
        return True


class JsonLogFormatter(JsonFormatter):
    """Formats a record as one line of JSON, including its traceback."""

    def __init__(self) -> None:
        super().__init__(
            "{levelname}{name}{message}", style="{", rename_fields=RENAMED_FIELDS, timestamp="time"
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        known = log_data | {"role": CurrentProcess.role}
        return {name: known[name] for name in LOGGED_FIELDS if known.get(name) is not None}


def logging_config(form: str, level: str) -> dict[str, Any]:
    """Return a configuration for `logging.config.dictConfig`.

    `form` is "line" or "json". The project's loggers log from `level` on, libraries from WARNING or `level`,
    whichever is higher.
    """
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
        "loggers": {"crowdgame": own, "voting": own},
    }


def log_uncaught_exceptions() -> None:
    """Log uncaught exceptions of the process and its threads as one record each, and Python warnings too."""
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        log.critical("uncaught %s", kind.__name__, exc_info=(kind, error, trace))


def _log_uncaught_in_thread(end: threading.ExceptHookArgs) -> None:
    name = end.thread.name if end.thread else "?"
    if end.exc_value is not None:
        caught = (end.exc_type, end.exc_value, end.exc_traceback)
        log.critical("uncaught %s in thread %s", end.exc_type.__name__, name, exc_info=caught)
