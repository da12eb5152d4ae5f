"""The chat of a Twitch channel as a ballot source: `twitch:channel`."""

import re
from collections.abc import Iterable, Mapping

from games.engine.texts import gettext_noop
from voting.sources.ballot_source import Choice, SourceTurn
from voting.terms import TWITCH

CHANNEL = re.compile(r"(?:(?:https?://)?(?:www\.|m\.)?twitch\.tv/|[#@])?([a-z0-9][a-z0-9_]{2,24})(?:[/?].*)?")


class Twitch:
    slug = TWITCH
    addresses: Mapping[str, str] = {}
    once = False
    label = gettext_noop("Twitch chat")
    address_error = gettext_noop(
        "Enter the name of a Twitch channel: 3 to 25 letters, digits or underscores."
    )

    def parse_address(self, typed: str) -> str | None:
        """Return the channel's login of its name or address."""
        found = CHANNEL.fullmatch(typed.strip().lower())
        return found[1] if found else None

    def choices(self, address: str, turn: SourceTurn) -> Iterable[Choice]:
        """Return nothing: the chat reader casts the ballots."""
        return ()


SOURCE = Twitch()
