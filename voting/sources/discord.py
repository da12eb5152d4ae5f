"""A Discord application as a ballot source: `discord:` and its public key. Voters press secret buttons."""

import re
from collections.abc import Iterable, Mapping

from games.engine.texts import gettext_noop
from voting.sources.ballot_source import Choice, SourceTurn
from voting.terms import DISCORD

PUBLIC_KEY = re.compile("[0-9a-f]{64}")


class Discord:
    slug = DISCORD
    addresses: Mapping[str, str] = {}
    once = False
    label = gettext_noop("Discord")
    address_error = gettext_noop(
        "Enter the public key of a Discord application: 64 characters, digits and the letters a to f."
    )

    def parse_address(self, typed: str) -> str | None:
        """Return the public key."""
        key = typed.strip().lower()
        return key if PUBLIC_KEY.fullmatch(key) else None

    def choices(self, address: str, turn: SourceTurn) -> Iterable[Choice]:
        """Return nothing: the application's signed requests cast the ballots."""
        return ()


SOURCE = Discord()
