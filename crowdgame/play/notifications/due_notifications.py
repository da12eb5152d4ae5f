"""Which due notifications a worker sends: those that it claims first, and that are still wanted.

A worker deletes the row of what it has sent. If it dies in between, the message is sent again.
"""

from datetime import timedelta
from typing import TypeVar

from django.db.models import QuerySet
from django.utils import timezone

from crowdgame.play.duels.duels import seat_number
from crowdgame.play.duels.lists import has_to_pick
from crowdgame.play.notifications.email_messages import player_side
from crowdgame.play.notifications.models import AnyRecipient, EmailNotification, PushNotification
from crowdgame.play.notifications.news import (
    LONG_WINDOW_MS,
    MAX_NEWS_PER_DAY,
    is_current,
    is_within_limit,
)
from crowdgame.play.notifications.vote_news import MAX_VOTE_NEWS_PER_DAY, VoteNews, send_at
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.known_voters import find_voters
from voting.counting.voter_codes import derive_voter_code
from voting.models import Turn, TurnState
from voting.turns.clocks import bank_ms

Notification = EmailNotification | PushNotification
Kind = TypeVar("Kind", EmailNotification, PushNotification)

RECHECK_AFTER = timedelta(minutes=10)
LEASE = timedelta(minutes=5)
SEND_BATCH_SIZE = 50  # less than a lease, even if each takes five seconds


def find_due(kind: type[Kind]) -> QuerySet[Kind]:
    return kind._default_manager.filter(due_at__lte=timezone.now())


def claim_wanted(kind: type[Kind], box: BallotBox) -> list[Kind]:
    """Claim a small batch, and return those to send now."""
    related = (
        "address__guest",
        "address__event",
        "turn__match__event__duel",
        "turn__match__red",
        "turn__match__yellow",
    )
    notifications = find_due(kind).order_by("due_at").select_related(*related)[:SEND_BATCH_SIZE]
    return [one for one in notifications if _claim(one) and _is_wanted(one, box)]


def _claim(notification: Notification) -> bool:
    """Claim a notification by a compare-and-set on `due_at`. It is due again when the lease expires."""
    same = _rows(notification).filter(due_at=notification.due_at)
    return same.update(due_at=timezone.now() + LEASE) == 1


def _is_wanted(notification: Notification, box: BallotBox) -> bool:
    """Whether to send the notification now. If not, it is deleted or postponed."""
    if notification.turn is None:
        return True
    if notification.address.event_id:
        return _is_wanted_by_voter(notification, notification.turn, box)
    return _is_wanted_by_guest(notification, notification.turn, box)


def _is_wanted_by_voter(notification: Notification, turn: Turn, box: BallotBox) -> bool:
    """Whether a voter still needs the news. Postpones it while the phone is connected."""
    address, now = notification.address, box.now()
    at = send_at(address, turn, VoteNews(notification.news), now)
    if at is None:
        notification.delete()
    elif at > now:
        _postpone(notification, timedelta(milliseconds=at - now))
    elif _is_connected(address, turn, box):
        _postpone(notification, RECHECK_AFTER)
    elif is_within_limit(notification, MAX_VOTE_NEWS_PER_DAY):
        return True
    else:
        notification.delete()
    return False


def _is_connected(voter: AnyRecipient, turn: Turn, box: BallotBox) -> bool:
    code = derive_voter_code(voter.voter)
    phone = find_voters(box, turn.match.event_id, [code]).get(code)
    return phone is not None and phone.connected


def _is_wanted_by_guest(notification: Notification, turn: Turn, box: BallotBox) -> bool:
    """Whether a player still needs the notification.

    Deletes it if its turn is over, has a ballot or too little time left, or if the guest lost the seat.
    Postpones it while the player's page is open. News are deleted then, because the page shows them.
    """
    place = seat_number(turn.match.event.duel, notification.address.guest)
    if not place:  # the seat has moved to an account
        notification.delete()
        return False
    is_present = box.count_present(turn.match.event_id).connected[place - 1] > 0
    side = player_side(notification.address, turn)
    if notification.news:
        wanted = (
            not is_present
            and is_current(notification, side)
            and is_within_limit(notification, MAX_NEWS_PER_DAY)
        )
        if not wanted:
            notification.delete()
        return wanted
    left_ms = turn.opens_at + bank_ms(turn, side) - box.now()
    if turn.state != TurnState.OPEN or left_ms < LONG_WINDOW_MS or not has_to_pick(turn.match, side, box):
        notification.delete()
        return False
    if is_present:
        _postpone(notification, RECHECK_AFTER)
        return False
    return True


def _postpone(notification: Notification, delay: timedelta) -> None:
    _rows(notification).update(due_at=timezone.now() + delay)


def _rows(notification: Notification) -> QuerySet[EmailNotification] | QuerySet[PushNotification]:
    return type(notification)._default_manager.filter(pk=notification.pk)
