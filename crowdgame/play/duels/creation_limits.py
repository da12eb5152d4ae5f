"""Limits on new duels: per guest, per network, and on the whole server.

A new cookie makes a new guest, so the network is limited too: a client's /24 (IPv4) or /56 (IPv6). A private
network has no limit of its own, because a whole school may share its addresses. Only a keyed hash of the
network is stored, for an hour.
"""

from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import PlayError
from crowdgame.play.duels.models import Duel
from crowdgame.server.config.networks import network_of, read_address
from voting.models import Match

MAX_OPEN_GAMES_PER_GUEST = 5
# Created within the last hour: games without an opponent yet, and all games.
MAX_OPEN_GAMES_PER_NETWORK, MAX_GAMES_PER_NETWORK = 20, 500
MAX_OPEN_GAMES, MAX_GAMES = 1_000, 10_000
NETWORK_SALT = "crowdgame.network"
OPEN = (Q(one=None) | Q(two=None)) & ~Q(Exists(Match.objects.filter(event=OuterRef("event"))))


def hash_network(address: str) -> str:
    """Return a keyed hash of the address's network, or an empty string if the address is not a public one."""
    client = read_address(address)
    if client is None or not client.is_global:
        return ""
    return salted_hmac(NETWORK_SALT, str(network_of(client))).hexdigest()[:16]


def check_creation_limits(guest: Guest | None, network: str) -> None:
    """Raises PlayError if this guest, this network or the whole server has too many games.

    Call it within `creation_lock`.
    """
    if guest and _open_games(guest) >= MAX_OPEN_GAMES_PER_GUEST:
        refusal = ngettext(
            "You have %(count)s open game. Wait until someone joins it, or join a game.",
            "You have %(count)s open games. Wait until someone joins one, or join a game.",
            MAX_OPEN_GAMES_PER_GUEST,
        )
        raise PlayError(refusal % {"count": MAX_OPEN_GAMES_PER_GUEST})
    own = Q(network=network) if network else Q(pk=None)
    recent = Duel.objects.filter(event__created_at__gte=_an_hour_ago()).aggregate(
        games=Count("pk"),
        open=Count("pk", filter=OPEN),
        own_games=Count("pk", filter=own),
        own_open=Count("pk", filter=own & OPEN),
    )
    if recent["own_open"] >= MAX_OPEN_GAMES_PER_NETWORK or recent["own_games"] >= MAX_GAMES_PER_NETWORK:
        raise PlayError(
            _("Too many games were started from your network. Join an open game, or try again later.")
        )
    if recent["open"] >= MAX_OPEN_GAMES or recent["games"] >= MAX_GAMES:
        raise PlayError(_("Too many games were started recently. Join an open game, or try again later."))


def _open_games(guest: Guest) -> int:
    return Duel.objects.filter(OPEN, Q(one=guest) | Q(two=guest)).count()


def _an_hour_ago() -> datetime:
    return timezone.now() - timedelta(hours=1)


def forget_networks() -> int:
    """Delete the network hashes of games older than an hour. Returns how many."""
    return Duel.objects.exclude(network="").filter(event__created_at__lt=_an_hour_ago()).update(network="")
