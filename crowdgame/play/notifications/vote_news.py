"""News for the voters of an event with long windows: the vote is open, and a reminder before the deadline."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from crowdgame.play.notifications.models import AnyRecipient
from crowdgame.play.notifications.news import GRACE_PERIOD, LONG_WINDOW_MS
from crowdgame.play.notifications.planning import store_notifications
from games.engine.errors import GameError
from voting.admission.restrictions import NO_RESTRICTION, load_restrictions
from voting.admission.seats import find_phone_team
from voting.counting.voter_codes import derive_voter_code
from voting.models import LIVE_STATES, Turn, TurnState
from voting.positions import load_position
from voting.terms import PHONES

MAX_VOTE_NEWS_PER_DAY = 8
MAX_REMINDER_LEAD_MS = 3 * 3600 * 1000
PAUSE_RECHECK_MS = int(timedelta(minutes=10).total_seconds() * 1000)


class VoteNews(StrEnum):
    """What a voter is notified of."""

    OPEN = "vote_open"
    REMINDER = "vote_reminder"


def has_long_window(turn: Turn) -> bool:
    window_ms = turn.left_ms or turn.closes_at - turn.opens_at  # a paused turn keeps its time in `left_ms`
    return turn.match.bank_s is None and window_ms >= LONG_WINDOW_MS


def plan_vote_news(sender: Any, turn: Turn, **_: Any) -> None:
    """Store the news of a new turn with a long window, for each voter who asked for it.

    In an idle event, the turn begins paused, and its news are postponed until it is resumed.
    A receiver of `turn_created`, connected if e-mail or push is configured.
    """
    if not has_long_window(turn):
        return
    due: dict[str, datetime] = {
        VoteNews.OPEN: _to_datetime(turn.opens_at) + GRACE_PERIOD,
        VoteNews.REMINDER: _to_datetime(reminder_at(turn)),
    }
    store_notifications(turn, due, event=turn.match.event_id)


def reminder_at(turn: Turn) -> int:
    """When the reminder is due: with a quarter of the window left, but at most three hours."""
    return turn.closes_at - min(MAX_REMINDER_LEAD_MS, (turn.closes_at - turn.opens_at) // 4)


def send_at(address: AnyRecipient, turn: Turn, news: VoteNews, now: int) -> int | None:
    """When to send the news, not before `now`. None if the voter no longer needs it.

    The deadline may have moved since it was planned. A voter who is late for "the vote is open" only receives
    the reminder.
    """
    if turn.state not in LIVE_STATES or not _can_still_vote(address, turn):
        return None
    if turn.state == TurnState.PAUSED:
        return now + PAUSE_RECHECK_MS
    if news == VoteNews.OPEN:
        return max(now, turn.opens_at) if now < reminder_at(turn) else None
    return max(now, reminder_at(turn)) if now < turn.closes_at else None


def _can_still_vote(address: AnyRecipient, turn: Turn) -> bool:
    """Whether the voter's side is to vote by phone, and the voter is not banned and has no ballot.

    In long windows, every counted ballot is stored in the database.
    """
    match, code = turn.match, derive_voter_code(address.voter)
    restriction = load_restrictions([match.event_id])[match.event_id].get(code, NO_RESTRICTION)
    if restriction.banned or turn.stored_ballots.filter(voter=address.voter).exists():
        return False
    changed = match.side_changes.filter(voter=address.voter).order_by("number").last()
    team = find_phone_team((match.red, match.yellow), restriction.team or address.team or 0)
    home = "red" if match.red.number == team else "yellow"
    side = changed.side if changed else home
    source = (match.red if side == "red" else match.yellow).source
    try:
        return source == PHONES and side in load_position(match).to_move
    except GameError:  # the game is not installed any more
        return False


def _to_datetime(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
