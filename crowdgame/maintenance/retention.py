"""Data retention: anonymizes past events, so that nothing links a voter to a vote.

Counts, picks and the sealed ballot lists with their blinds are kept, so that every match can be recounted.
"""

import logging
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib import import_module
from itertools import islice
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from crowdgame.accounts.account_changes import delete_ended_sessions
from crowdgame.accounts.models import Invitation
from crowdgame.events.models import AuditEntry, OrganizationMember
from crowdgame.play.duels.models import Duel
from crowdgame.play.notifications.models import EmailAddress, PushSubscription
from crowdgame.results.analysis.models import MatchJudges
from voting.counting.ballots import pack_ballots, unpack_ballots
from voting.counting.commitments import arrival_order
from voting.matches import event_lock
from voting.models import (
    Announcement,
    Event,
    Match,
    Nickname,
    StoredBallot,
    StoredRestriction,
    StoredSideChange,
    TallyRecord,
    Ticket,
    Turn,
)
from voting.terms import MatchState

log = logging.getLogger(__name__)

# Batch sizes, small so that the job holds the event lock only briefly.
RECORDS_PER_STEP = 4
ROWS_PER_STEP = 500
UNCONFIRMED_PERIOD = timedelta(days=2)
VOTER_ADDRESS_PERIOD = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class RemovedRows:
    """Numbers of rows anonymized or deleted in one event."""

    event: Event
    records: int = 0
    ballots: int = 0
    tickets: int = 0
    announcements: int = 0
    audit_entries: int = 0
    restrictions: int = 0
    side_changes: int = 0
    nicknames: int = 0
    judges: int = 0

    def __str__(self) -> str:
        return (
            f"{self.event.code}: voters of {self.records} tallies, {self.ballots} stored ballots, "
            f"{self.tickets} tickets, {self.announcements} announcements, "
            f"{self.audit_entries} audit entries, "
            f"{self.restrictions} restrictions, {self.side_changes} changes of side, "
            f"{self.nicknames} nicknames, {self.judges} lists of judges"
        )


def events_to_anonymize(days: int) -> list[Event]:
    """Return the events inactive for `days` days that still hold personal data."""
    resting = _inactive_events(_days_ago(days)).annotate(last=Max("matches__ended_at"))
    return [event for event in resting.order_by("pk") if _has_personal_data(event, event.last or 0)]


def _days_ago(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _inactive_events(before: datetime) -> QuerySet[Event]:
    """Return events without activity since `before` and without a scheduled match.

    Activity is a match that is live or ended since then, an audit entry, or a ticket made or used.
    An open lobby alone doesn't count as activity: the organizer may have forgotten it.
    """
    since = int(before.timestamp() * 1000)
    matches = Match.objects.filter(Q(state=MatchState.PLAYING) | Q(ended_at__gte=since))
    codes = Ticket.objects.filter(Q(made_at__gte=before) | Q(used_at__gte=since))
    audit_entries = AuditEntry.objects.filter(at__gte=since)
    there = [~Exists(rows.filter(event=OuterRef("pk"))) for rows in (matches, codes, audit_entries)]
    return Event.objects.filter(*there, created_at__lt=before, next_match_at=None)


def _has_personal_data(event: Event, ended_ms: int) -> bool:
    """Whether the event was never anonymized, or has data newer than its last anonymization."""
    if event.anonymized_at is None:
        return True
    newer = ended_ms > event.anonymized_at.timestamp() * 1000
    may_return = ("tickets", "audit_entries", "nicknames")
    return newer or any(PURGED_ROWS[name](event).exists() for name in may_return)


def count_removable(event: Event) -> RemovedRows:
    """Count the rows that anonymizing the event would change or delete, at most."""
    purged = {name: query(event).count() for name, query in PURGED_ROWS.items()}
    return RemovedRows(event, TallyRecord.objects.filter(turn__match__event=event).count(), **purged)


def anonymize_events(days: int) -> Generator[RemovedRows, None, None]:
    """Anonymize all due events in batches, one transaction each. Yields an event's totals after each batch.

    Idempotent: after an interruption, the next run continues with the remaining rows. An event that is
    deleted meanwhile, or whose ballots can't be decoded, is logged and skipped. At the end, clears expired
    sessions and invitations, and stale e-mail addresses.
    """
    for event in events_to_anonymize(days):
        try:
            done = yield from _anonymize_event(RemovedRows(event), _days_ago(days))
        except (Event.DoesNotExist, msgspec.MsgspecError) as error:
            log.error("event %s could not be anonymized: %s", event.code, error, extra={"event": event.pk})
        else:
            log.info("anonymized event %s", done, extra={"event": event.pk})
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    delete_ended_sessions()
    delete_expired_invitations()
    purge_addresses()


def delete_expired_invitations() -> None:
    """Delete the invitations, which name a person, that created no account or membership in time."""
    now = timezone.now()
    Invitation.objects.filter(used_by=None, expires_at__lt=now).delete()
    OrganizationMember.objects.filter(user=None, expires_at__lt=now).delete()


def purge_addresses() -> int:
    """Delete unconfirmed e-mail addresses, and addresses and push subscriptions that are no longer used.

    Unconfirmed addresses expire after UNCONFIRMED_PERIOD, recipients who are guests a year after their last
    game, and voters VOTER_ADDRESS_PERIOD after their event's last match. Returns the number of deleted rows.
    """
    unconfirmed = Q(confirmed_at=None, asked_at__lt=timezone.now() - UNCONFIRMED_PERIOD)
    addresses = EmailAddress.objects.filter(unconfirmed | _is_unused("confirmed_at"))
    return addresses.delete()[0] + PushSubscription.objects.filter(_is_unused("seen_at")).delete()[0]


def _is_unused(since_field: str) -> Q:
    year, now = timedelta(days=365), timezone.now()
    played = Duel.objects.filter(Q(one=OuterRef("guest")) | Q(two=OuterRef("guest")))
    recent = played.filter(Q(event__created_at__gte=now - year) | Q(event__matches__state=MatchState.PLAYING))
    since = now - VOTER_ADDRESS_PERIOD
    matches = Match.objects.filter(event=OuterRef("event"))
    used = matches.filter(Q(state=MatchState.PLAYING) | Q(ended_at__gte=since.timestamp() * 1000))
    older = f"{since_field}__lt"
    of_guest = Q(("event", None), (older, now - year)) & ~Exists(recent)
    return of_guest | Q(("guest", None), (older, since), ("event__next_match_at", None)) & ~Exists(used)


def _anonymize_event(done: RemovedRows, before: datetime) -> Generator[RemovedRows, None, RemovedRows]:
    tallies = TallyRecord.objects.filter(turn__match__event=done.event)
    for records in _batches(tallies, RECORDS_PER_STEP):
        done = replace(done, records=done.records + _anonymize_records(done.event, records, before))
        yield done
    for name, query in PURGED_ROWS.items():
        for rows in _batches(query(done.event), ROWS_PER_STEP):
            gone = _drop(done.event, query(done.event).filter(pk__in=rows), before)
            done = replace(done, **{name: getattr(done, name) + gone})
            yield done
    with event_lock(done.event.pk):
        if _is_inactive(done.event, before):
            _clear_captains(done.event)
            Event.objects.filter(pk=done.event.pk).update(anonymized_at=timezone.now())
    yield done
    return done


def _anonymize_records(event: Event, ids: list[int], before: datetime) -> int:
    named = {record.pk: bytes(record.sealed) for record in TallyRecord.objects.filter(pk__in=ids)}
    changed = {
        pk: anonymized for pk, packed in named.items() if (anonymized := anonymize_ballots(packed)) != packed
    }
    with event_lock(event.pk):
        if not _is_inactive(event, before):
            return 0
        for pk, packed in changed.items():
            TallyRecord.objects.filter(pk=pk).update(sealed=packed)
    return len(changed)


def _clear_captains(event: Event) -> None:
    """Clear the stored captains. The captain mark on a ballot stays, because a recount needs it."""
    event.teams.update(captain="")
    Turn.objects.filter(match__event=event).update(red_captain="", yellow_captain="")


def anonymize_ballots(packed: bytes) -> bytes:
    """Return the packed ballots in the same order, without voter, sequence number and time.

    In several shards, `arrival` tells the time. Its rank among the list keeps the order of arrival.
    """
    ballots = unpack_ballots(packed)
    ranks = {index: rank for rank, index in enumerate(arrival_order(ballots), 1)}
    return pack_ballots(
        msgspec.structs.replace(ballot, voter="", sequence=0, arrival=ranks[index])
        for index, ballot in enumerate(ballots)
    )


def _drop(event: Event, rows: QuerySet[Any], before: datetime) -> int:
    with event_lock(event.pk):
        return rows.delete()[0] if _is_inactive(event, before) else 0


def _is_inactive(event: Event, before: datetime) -> bool:
    """Check again under the event lock: a match started or a ticket made meanwhile needs the data."""
    return _inactive_events(before).filter(pk=event.pk).exists()


def _batches(query: QuerySet[Any], size: int) -> Iterator[list[int]]:
    ids = iter(list(query.order_by("pk").values_list("pk", flat=True)))
    while batch := list(islice(ids, size)):
        yield batch


PURGED_ROWS: dict[str, Callable[[Event], QuerySet[Any]]] = {
    "ballots": lambda event: StoredBallot.objects.filter(turn__match__event=event),
    # The tickets of a duel are its seats. Players need them to join, and for a rematch.
    "tickets": lambda event: Ticket.objects.filter(event=event, event__duel=None),
    "announcements": lambda event: Announcement.objects.filter(event=event),
    "audit_entries": lambda event: AuditEntry.objects.filter(event=event),
    "restrictions": lambda event: StoredRestriction.objects.filter(event=event),
    "nicknames": lambda event: Nickname.objects.filter(event=event),
    "judges": lambda event: MatchJudges.objects.filter(turn__match__event=event),
    "side_changes": lambda event: StoredSideChange.objects.filter(match__event=event),
}
