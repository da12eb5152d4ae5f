"""Everything that is stored about a person: an organizer, or a guest with or without an account."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from allauth.account.models import EmailAddress as AccountAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from crowdgame.accounts.models import AccountLanguage, Guest, Invitation
from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.cups.models import Cup
from crowdgame.play.chat.models import ChatBlock, ChatLine, ChatMute, ChatReport
from crowdgame.play.duels.conditional_picks import list_plans
from crowdgame.play.duels.models import Duel
from crowdgame.play.notifications.models import EmailAddress
from crowdgame.play.ratings.models import Rating
from voting.models import Event, Match

Row = Mapping[str, object]
Rows = Iterable[Row]


@dataclass(frozen=True, slots=True)
class Person:
    """A user, a guest, or both: the guest whose account the user is."""

    user: User | None
    guest: Guest | None


def load_tables(person: Person) -> dict[str, list[Row]]:
    """Return the rows of every table that has some. Times are UTC, or milliseconds since 1970."""
    user, guest = person.user, person.guest
    loaded = {name: list(load(user)) for name, load in USER_TABLES.items()} if user else {}
    loaded |= {name: list(load(guest)) for name, load in GUEST_TABLES.items()} if guest else {}
    return {name: rows for name, rows in loaded.items() if rows}


def table_titles() -> dict[str, str]:
    return {
        "account": _("Account"),
        "language": _("Language"),
        "addresses": _("E-mail addresses"),
        "sessions": _("Sessions"),
        "second-factors": _("Second factors"),
        "identities": _("Logins through other services"),
        "events": _("Events"),
        "cups": _("Cups"),
        "memberships": _("Memberships in events"),
        "invitations": _("Invitations"),
        "console-actions": _("Actions in the console"),
        "admin-log": _("Changes in the administration"),
        "mutes-given": _("Guests you muted as a moderator"),
        "player": _("Player"),
        "turn-mail": _("Addresses for “your turn” e-mails"),
        "games": _("Games"),
        "matches": _("Matches"),
        "planned-choices": _("Planned choices"),
        "ratings": _("Ratings"),
        "chat-messages": _("Chat messages"),
        "muted-guests": _("Guests you muted"),
        "reported-messages": _("Messages you reported"),
        "mute": _("Mutes by a moderator"),
    }


def _seats(guest: Guest) -> QuerySet[Duel]:
    return Duel.objects.filter(Q(one=guest) | Q(two=guest)).order_by("pk")


USER_TABLES: dict[str, Callable[[User], Rows]] = {
    "account": lambda user: User.objects.filter(pk=user.pk).values(
        "username", "first_name", "last_name", "email", "date_joined", "last_login", "is_staff"
    ),
    "language": lambda user: AccountLanguage.objects.filter(user=user).values("language"),
    "addresses": lambda user: AccountAddress.objects.filter(user=user).values("email", "verified", "primary"),
    "sessions": lambda user: UserSession.objects.filter(user=user).values("created_at", "ip", "user_agent"),
    "second-factors": lambda user: Authenticator.objects.filter(user=user).values(
        "type", "created_at", "last_used_at"
    ),
    "identities": lambda user: SocialAccount.objects.filter(user=user).values(
        "provider", "uid", "extra_data", "date_joined", "last_login"
    ),
    "events": lambda user: Event.objects.filter(owner=user).values(
        "code", "name", "created_at", "consent", "in_study"
    ),
    "cups": lambda user: Cup.objects.filter(owner=user).values("code", "name", "created_at"),
    "memberships": lambda user: Member.objects.filter(user=user).values("event__code", "role"),
    "invitations": lambda user: Invitation.objects.filter(Q(made_by=user) | Q(used_by=user)).values(
        "name", "email", "created_at", "expires_at", "used_at"
    ),
    "console-actions": lambda user: AuditEntry.objects.filter(user=user).values(
        "event__code", "at", "action", "what", "what_values"
    ),
    "admin-log": lambda user: LogEntry.objects.filter(user=user).values(
        "action_time", "object_repr", "change_message"
    ),
    "mutes-given": lambda user: ChatMute.objects.filter(by=user).values("guest__number", "until"),
}
GUEST_TABLES: dict[str, Callable[[Guest], Rows]] = {
    "player": lambda guest: Guest.objects.filter(pk=guest.pk).values("number", "name", "came_at", "seen_on"),
    "turn-mail": lambda guest: EmailAddress.objects.filter(guest=guest).values(
        "email", "language", "asked_at", "confirmed_at"
    ),
    "games": lambda guest: _seats(guest).values("event__code", "event__name", "event__created_at", "crowd"),
    "matches": lambda guest: Match.objects.filter(event__duel__in=_seats(guest)).values(
        "event__code",
        "number",
        "red__name",
        "yellow__name",
        "result",
        "started_at",
        "ended_at",
        "consent",
        "in_study",
    ),
    "planned-choices": list_plans,
    "ratings": lambda guest: Rating.objects.filter(guest=guest).values("game", "mu", "sigma", "games"),
    "chat-messages": lambda guest: ChatLine.objects.filter(guest=guest).values(
        "room__kind", "name", "text", "at", "removed"
    ),
    "muted-guests": lambda guest: ChatBlock.objects.filter(guest=guest).values("blocked__number"),
    "reported-messages": lambda guest: ChatReport.objects.filter(by=guest).values(
        "line__text", "reason", "at"
    ),
    "mute": lambda guest: ChatMute.objects.filter(guest=guest).values("until"),
}
