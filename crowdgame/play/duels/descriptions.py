"""What a duel is about, in one line for lists, invitations and e-mails."""

from django.utils.translation import gettext, pgettext

from crowdgame.events.variants import describe_variant, name_variant
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.time_controls import time_label
from games.engine.registry import game_title


def describe_duel(duel: Duel) -> str:
    """Return the game, its options, the time, and whether it is rated. A game for one never is."""
    return _describe(duel, describe_variant(duel.event.game, duel.event.options))


def list_duel(duel: Duel) -> str:
    """Return the same for lists, with at most five words about the variant."""
    return _describe(duel, name_variant(duel.event.game, duel.event.options))


def _describe(duel: Duel, variant: list[str]) -> str:
    event = duel.event
    time = time_label(event.bank_s, event.increment_s, event.window_s)
    if not duel.crowd:
        time = gettext("%(time)s per player") % {"time": time}
    casual = duel.is_for_one or duel.casual
    rated = pgettext("game", "casual") if casual else pgettext("game", "rated")
    return " · ".join([gettext(game_title(event.game)), *variant, time, rated])
