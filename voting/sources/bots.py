"""The computer opponents as a ballot source: `bot:1` to `bot:5`."""

from collections.abc import Iterable

from games.bots.bots import pick_action
from games.engine.texts import gettext_noop
from voting.sources.ballot_source import Choice, SourceTurn
from voting.sources.casting import derive_seat
from voting.terms import BOT

ACCOUNT = "bot"


class Bots:
    slug = BOT
    addresses = {
        "1": gettext_noop("Computer 1, beginner"),
        "2": gettext_noop("Computer 2, casual"),
        "3": gettext_noop("Computer 3, experienced"),
        "4": gettext_noop("Computer 4, strong"),
        "5": gettext_noop("Computer 5, full strength"),
    }
    once = True

    def choices(self, address: str, turn: SourceTurn) -> Iterable[Choice]:
        yield Choice(ACCOUNT, pick_action(turn.game, turn.state, turn.side, int(address), turn.seed))


SOURCE = Bots()


def bot_seats(event_id: int) -> set[str]:
    """Return the voter ids of the computer in an event, whatever its strength."""
    return {derive_seat(event_id, f"{BOT}:{strength}", ACCOUNT) for strength in Bots.addresses}
