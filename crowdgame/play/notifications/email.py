"""E-mail notifications that are due: "your turn" and news in long games, votes in long windows, and
confirmation requests.

Sent at least once. Notifications are stored in the transaction of their turn (a transactional outbox). The
scheduler finds due ones and a worker sends them. A row is deleted after the mail server accepts the message:
if the worker dies in between, the message is sent again.
"""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused
from typing import Any

from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from crowdgame.play.duels.duels import seat_number
from crowdgame.play.duels.lists import has_to_pick, players_by_side
from crowdgame.play.duels.models import Duel
from crowdgame.play.notifications.email_messages import build_email, player_side
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from crowdgame.play.notifications.news import (
    GRACE_PERIOD,
    LONG_WINDOW_MS,
    MAX_NEWS_PER_DAY,
    is_current,
    is_within_limit,
)
from crowdgame.play.notifications.vote_news import MAX_VOTE_NEWS_PER_DAY, VoteNews, send_at
from games.engine.game import SIDES
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.known_voters import find_voters
from voting.counting.voter_codes import derive_voter_code
from voting.models import Turn, TurnState
from voting.positions import load_position
from voting.turns.clocks import bank_ms

log = logging.getLogger(__name__)

SEND_NOTIFICATIONS = "notifications.send_notifications"

RECHECK_AFTER = timedelta(minutes=10)
LEASE = timedelta(minutes=5)
SEND_BATCH_SIZE = 50  # less than a lease, even if each takes five seconds
PERMANENT_SMTP_CODE = 500


def plan_notifications(sender: Any, turn: Turn, **_: Any) -> None:
    """Store a notification for each player to move in a new turn with a long time bank.

    A receiver of `turn_created`, connected if e-mail is configured.
    """
    if turn.state != TurnState.OPEN:
        return
    long = [side for side in SIDES if bank_ms(turn, side) >= LONG_WINDOW_MS]
    duel = Duel.objects.filter(event=turn.match.event_id).first() if long else None
    if duel:
        seats = dict(zip(SIDES, players_by_side(duel, turn.match), strict=True))
        to_move = load_position(turn.match).to_move
        guests = [seats[side] for side in long if side in to_move]
        due_at = datetime.fromtimestamp(turn.opens_at / 1000, UTC) + GRACE_PERIOD
        addresses = EmailAddress.objects.filter(guest__in=guests, confirmed_at__isnull=False)
        EmailNotification.objects.bulk_create(
            EmailNotification(address=address, turn=turn, due_at=due_at) for address in addresses
        )


def is_due() -> bool:
    return settings.EMAIL_ENABLED and _due().exists()


def send_due(box: BallotBox) -> None:
    """Send a small batch, so that a mail server that is away does not block a worker for long."""
    related = (
        "address__guest",
        "address__event",
        "turn__match__event__duel",
        "turn__match__red",
        "turn__match__yellow",
    )
    notifications = _due().order_by("due_at").select_related(*related)[:SEND_BATCH_SIZE]
    ready = [one for one in notifications if _claim(one) and _is_wanted(one, box)]
    if ready:
        try:
            with get_connection() as connection:
                _send(ready, connection, box)
        except (SMTPException, OSError) as error:  # the error's text may contain an address
            log.warning(
                "%s e-mails delayed, no connection to the mail server: %s", len(ready), type(error).__name__
            )


def _due() -> Any:
    return EmailNotification.objects.filter(due_at__lte=timezone.now())


def _claim(notification: EmailNotification) -> bool:
    """Claim a notification by a compare-and-set on `due_at`. It is due again when the lease expires."""
    same = EmailNotification.objects.filter(pk=notification.pk, due_at=notification.due_at)
    return same.update(due_at=timezone.now() + LEASE) == 1


def _is_wanted(notification: EmailNotification, box: BallotBox) -> bool:
    """Whether to send the notification now. If not, it is deleted or postponed."""
    if notification.turn is None:
        return True
    if notification.address.event_id:
        return _is_wanted_by_voter(notification, notification.turn, box)
    return _is_wanted_by_guest(notification, notification.turn, box)


def _is_wanted_by_voter(notification: EmailNotification, turn: Turn, box: BallotBox) -> bool:
    """Whether a voter still needs the news. Postpones it while the phone is connected."""
    address, now = notification.address, box.now()
    at = send_at(address, turn, VoteNews(notification.news), now)
    if at is None:
        notification.delete()
    elif at > now:
        _postpone(notification, timedelta(milliseconds=at - now))
    elif _is_connected(address, turn, box):
        _postpone(notification, RECHECK_AFTER)
    elif is_within_limit(address, MAX_VOTE_NEWS_PER_DAY):
        return True
    else:
        notification.delete()
    return False


def _is_connected(voter: EmailAddress, turn: Turn, box: BallotBox) -> bool:
    code = derive_voter_code(voter.voter)
    phone = find_voters(box, turn.match.event_id, [code]).get(code)
    return phone is not None and phone.connected


def _is_wanted_by_guest(notification: EmailNotification, turn: Turn, box: BallotBox) -> bool:
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
            and is_within_limit(notification.address, MAX_NEWS_PER_DAY)
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


def _postpone(notification: EmailNotification, delay: timedelta) -> None:
    EmailNotification.objects.filter(pk=notification.pk).update(due_at=timezone.now() + delay)


def _send(notifications: Iterable[EmailNotification], connection: BaseEmailBackend, box: BallotBox) -> None:
    for notification in notifications:
        if not EmailNotification.objects.filter(pk=notification.pk).exists():  # unsubscribed in the meantime
            continue
        mail = build_email(notification, box.now())
        mail.connection = connection
        try:
            mail.send()
        except SMTPRecipientsRefused as refusal:
            if all(code >= PERMANENT_SMTP_CODE for code, _ in refusal.recipients.values()):
                notification.address.delete()
            continue
        except SMTPDataError as refusal:  # only this message is refused: the rest are still sent
            log.warning("the mail server refused an e-mail: %s", refusal.smtp_code)
            if refusal.smtp_code < PERMANENT_SMTP_CODE:
                continue
        notification.delete()
