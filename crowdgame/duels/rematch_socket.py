"""Gateway hook: a player's phone asks for a rematch over its socket."""

from contextlib import suppress
from functools import cache

from redis import RedisError

from crowdgame.duels.rematch import request_rematch
from games.matches import MatchError
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway import hooks
from voting.gateway.threads import in_database

ballot_box = cache(BallotBox)


async def handle_rematch_ask(event_id: int, team: int) -> None:
    """Request a rematch. Ignores refusals and outages: the phone then sees that nothing changed."""
    with suppress(MatchError, RedisError, OSError, *DATABASE_ERRORS):
        await in_database(_request_rematch)(event_id, team)


def _request_rematch(event_id: int, team: int) -> None:
    request_rematch(event_id, team, ballot_box())


hooks.rematch_requests.append(handle_rematch_ask)
