"""Everything that is stored about a person (GDPR): an organizer, or a guest with or without an account."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from allauth.account.models import EmailAddress as AccountAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from crowdgame.accounts.models import AccountLanguage, Guest, Invitation
from crowdgame.events.models import AuditEntry, EventLogo, Member, OrganizationMember
from crowdgame.organizer.api.models import ApiToken, Webhook
from crowdgame.organizer.cups.models import Cup
from crowdgame.play.chat.models import ChatBlock, ChatLine, ChatMute, ChatReport
from crowdgame.play.duels.conditional_picks import list_plans
from crowdgame.play.duels.models import Duel
from crowdgame.play.notifications.models import EmailAddress, PushSubscription
from crowdgame.play.ratings.computer_results import load_computer_results
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
    loaded = {name: list(load(user)) for name, (_title, load) in USER_TABLES.items()} if user else {}
    loaded |= {name: list(load(guest)) for name, (_title, load) in GUEST_TABLES.items()} if guest else {}
    return {name: rows for name, rows in loaded.items() if rows}


def table_titles() -> dict[str, str]:
    return {name: str(title) for name, (title, _load) in (USER_TABLES | GUEST_TABLES).items()}


def _rows(model: type[Model], owner: str, fields: str) -> Callable[[User | Guest], Rows]:
    return lambda person: model._default_manager.filter(**{owner: person.pk}).values(*fields.split())


def _seats(guest: Guest) -> QuerySet[Duel]:
    return Duel.objects.filter(Q(one=guest) | Q(two=guest)).order_by("pk")


# By the name of the CSV file: the title, and the rows.
USER_TABLES: dict[str, tuple[Promise, Callable[[User], Rows]]] = {
    "account": (
        _("Account"),
        _rows(User, "pk", "username first_name last_name email date_joined last_login is_staff"),
    ),
    "language": (_("Language"), _rows(AccountLanguage, "user", "language")),
    "addresses": (_("E-mail addresses"), _rows(AccountAddress, "user", "email verified primary")),
    "sessions": (_("Sessions"), _rows(UserSession, "user", "created_at ip user_agent")),
    "second-factors": (_("Second factors"), _rows(Authenticator, "user", "type created_at last_used_at")),
    "identities": (
        _("Logins through other services"),
        _rows(SocialAccount, "user", "provider uid extra_data date_joined last_login"),
    ),
    "events": (_("Events"), _rows(Event, "owner", "code name brand_line created_at consent in_study")),
    "logos": (_("Logo"), _rows(EventLogo, "event__owner", "event__code key")),
    "tokens": (
        _("API tokens"),
        _rows(ApiToken, "user", "name scopes event__code created_at used_on expires_at"),
    ),
    "webhooks": (_("Webhooks"), _rows(Webhook, "user", "event__code url types created_at paused_at")),
    "cups": (_("Cups"), _rows(Cup, "owner", "code name created_at")),
    "memberships": (_("Memberships in events"), _rows(Member, "user", "event__code role")),
    "organizations": (
        _("Memberships in organizations"),
        _rows(OrganizationMember, "user", "organization__name role"),
    ),
    "invitations": (
        _("Invitations"),
        lambda user: Invitation.objects.filter(Q(made_by=user) | Q(used_by=user)).values(
            "name", "email", "created_at", "expires_at", "used_at"
        ),
    ),
    "console-actions": (
        _("Actions in the console"),
        _rows(AuditEntry, "user", "event__code at action what what_values"),
    ),
    "admin-log": (
        _("Changes in the administration"),
        _rows(LogEntry, "user", "action_time object_repr change_message"),
    ),
    "mutes-given": (_("Guests you muted as a moderator"), _rows(ChatMute, "by", "guest__number until")),
}
GUEST_TABLES: dict[str, tuple[Promise, Callable[[Guest], Rows]]] = {
    "player": (_("Player"), _rows(Guest, "pk", "number name came_at seen_on")),
    "turn-mail": (
        _("Addresses for “your turn” e-mails"),
        _rows(EmailAddress, "guest", "email language asked_at confirmed_at"),
    ),
    "devices": (
        _("Devices with push notifications"),
        _rows(PushSubscription, "guest", "endpoint language seen_at"),
    ),
    "games": (
        _("Games"),
        lambda guest: _seats(guest).values("event__code", "event__name", "event__created_at", "crowd"),
    ),
    "matches": (
        _("Matches"),
        lambda guest: Match.objects.filter(event__duel__in=_seats(guest)).values(
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
    ),
    "planned-choices": (_("Planned choices"), list_plans),
    "ratings": (_("Ratings"), _rows(Rating, "guest", "game mu sigma games")),
    "computer-games": (_("Games against the computer"), load_computer_results),
    "chat-messages": (_("Chat messages"), _rows(ChatLine, "guest", "room__kind name text at removed")),
    "muted-guests": (_("Guests you muted"), _rows(ChatBlock, "guest", "blocked__number")),
    "reported-messages": (_("Messages you reported"), _rows(ChatReport, "by", "line__text reason at")),
    "mute": (_("Mutes by a moderator"), _rows(ChatMute, "guest", "until")),
}
