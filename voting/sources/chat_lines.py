"""Read a vote from a line of IRC, as Twitch or another server sends it."""

import re
import unicodedata
from typing import NamedTuple

from voting.typed_codes import plain_digits

LINE = re.compile(
    r"(?:@(?P<tags>\S+) +)?(?::(?P<sender>\S+) +)?(?P<command>[A-Z]+|\d{3})(?: +(?P<rest>.*))?", re.DOTALL
)
COLUMN = re.compile(r"!?\s*(\d{1,2})\s*[.!)]?", re.ASCII)
# Keycap emoji have combining marks. Chat programs add an unassigned character to repeat a message.
IGNORED_CATEGORIES = frozenset({"Cf", "Cn", "Mn", "Me"})


class Line(NamedTuple):
    """A line from an IRC server. `rest` is what follows the command."""

    tags: dict[str, str]
    sender: str
    command: str
    rest: str


class ChatVote(NamedTuple):
    """A vote in a channel. `sent_at` is when the server received it (Unix ms)."""

    channel: str
    login: str
    column: int
    sent_at: int


def parse_line(raw: bytes) -> Line | None:
    """Return the parts of a line; None if it is malformed."""
    found = LINE.fullmatch(raw.decode("utf-8", "replace").rstrip("\r\n"))
    if found is None:
        return None
    tags = dict(tag.partition("=")[::2] for tag in (found["tags"] or "").split(";"))
    return Line(tags, found["sender"] or "", found["command"], found["rest"] or "")


def read_vote(line: Line, now: int) -> ChatVote | None:
    """Return the vote in a message to a channel, if it is one.

    A server without timestamps has received it `now` (Unix ms). Ignores messages from another channel in a
    chat that several channels share.
    """
    target, _space, text = line.rest.partition(" ")
    column = parse_column(text.removeprefix(":")) if line.command == "PRIVMSG" else None
    login = line.sender.partition("!")[0].lower()
    if column is None or not login or not target.startswith("#"):
        return None
    room = line.tags.get("room-id")
    if line.tags.get("source-room-id", room) != room:
        return None
    sent = line.tags.get("tmi-sent-ts", "")
    sent_at = int(sent) if sent.isascii() and sent.isdigit() else now
    return ChatVote(target[1:].lower(), login, column, sent_at)


def parse_column(text: str) -> int | None:
    """Return the column that a message votes for: `3` or `!3`, as people type it; None if it is no vote."""
    plain = unicodedata.normalize("NFKC", text)
    visible = "".join(char for char in plain if unicodedata.category(char) not in IGNORED_CATEGORIES)
    found = COLUMN.fullmatch(plain_digits(visible).strip())
    return int(found[1]) if found else None
