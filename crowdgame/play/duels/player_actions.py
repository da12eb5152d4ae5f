"""What the players of a duel do beside choosing columns: resign, abort, offer a draw, take a turn back.

A request counts from the moment the server takes it, within `event_lock`: a match that ends so, ends before a
turn that is not revealed yet. An offer belongs to one turn. The opponent accepts it by offering the same, and
it lapses when the turn closes.

Registers a gateway hook for requests over a phone's socket.
"""

from functools import cache

from django.utils.translation import gettext_lazy as _

from crowdgame.play.duels.duel_news import DuelNews, notify
from crowdgame.play.duels.duels import SEAT_FIELDS, PlayError
from crowdgame.play.duels.models import Duel
from games.engine.game import SIDES, Side, other_side
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import STORE_ERRORS
from voting.gateway import hooks
from voting.gateway.threads import in_database
from voting.matches import MatchError, event_lock, live_turn
from voting.models import CLOSED_STATES, Match, MatchResult, Offer, Turn
from voting.protocol import DuelAction, DuelRefusal
from voting.terms import Ending, MatchState, OfferKind
from voting.turns.voiding import MatchEnd, stop_match, take_back_turn

# A player can offer the same again after this many turns.
OFFER_PAUSE_TURNS = 5
REFUSAL_TEXTS = {
    "not_possible": _("That isn't possible in this game now."),
    "turn_changed": _("The turn is over. Look at the board, then try again."),
    "too_soon": _("You have just offered that. You can offer it again in a few turns."),
    "busy": _("The server is busy. Try again."),
}

ballot_box = cache(BallotBox)


class DuelActionRefused(PlayError):
    """A refused request of a player; `code` is the reason on the wire."""

    def __init__(self, code: DuelRefusal) -> None:
        super().__init__(str(REFUSAL_TEXTS[code]))
        self.code = code


def perform(event_id: int, team: int, action: DuelAction, turn_id: int, box: BallotBox) -> None:
    """Do what the player of `team` asks for; `turn_id` is the turn that the player sees.

    Raises DuelActionRefused, also in events that are no duels, and RedisError without the ballot box.
    """
    try:
        _ACTIONS[action](event_id, team, turn_id, box)
    except DuelActionRefused:
        raise
    except MatchError:
        raise DuelActionRefused("turn_changed") from None


def _resign(event_id: int, team: int, turn_id: int, box: BallotBox) -> None:
    def concede(match: Match) -> MatchEnd:
        _check_turn_of(match, turn_id)
        winner = other_side(_side(match, team))
        notify(turn_id, winner, DuelNews.RESIGNED)
        return MatchEnd(MatchResult(winner), Ending.CONCEDED)

    stop_match(event_id, box, concede)


def _abort(event_id: int, team: int, turn_id: int, box: BallotBox) -> None:
    def check(match: Match) -> None:
        _check_turn_of(match, turn_id)
        side = _side(match, team)
        if match.turns.filter(state__in=CLOSED_STATES).exists():
            raise DuelActionRefused("not_possible")
        notify(turn_id, other_side(side), DuelNews.ABORTED)

    stop_match(event_id, box, check)


def _offer_draw(event_id: int, team: int, turn_id: int, box: BallotBox) -> None:
    def agree(match: Match) -> MatchEnd:
        opponent = other_side(_side(match, team))
        _require_offer(_live_turn(match, turn_id), opponent, OfferKind.DRAW)
        notify(turn_id, opponent, DuelNews.DRAW_ACCEPTED)
        return MatchEnd(MatchResult.DRAW, Ending.AGREED)

    if _offer(event_id, team, turn_id, OfferKind.DRAW, box):
        stop_match(event_id, box, agree)


def _offer_takeback(event_id: int, team: int, turn_id: int, box: BallotBox) -> None:
    def agree(last: Turn) -> None:
        if last.match.state != MatchState.PLAYING:
            raise DuelActionRefused("not_possible")
        opponent = other_side(_side(last.match, team))
        _require_offer(_live_turn(last.match, turn_id), opponent, OfferKind.TAKEBACK)
        notify(turn_id, opponent, DuelNews.TAKEBACK_ACCEPTED)

    if _offer(event_id, team, turn_id, OfferKind.TAKEBACK, box):
        take_back_turn(event_id, box, agree)


def _decline(event_id: int, team: int, turn_id: int, box: BallotBox) -> None:
    now = box.now()
    with event_lock(event_id):
        match = _playing(event_id)
        opponent = other_side(_side(match, team))
        open_offers = _live_turn(match, turn_id).offers.filter(side=opponent, declined=False)
        if not open_offers:
            raise DuelActionRefused("not_possible")
        for offer in open_offers:
            notify(turn_id, opponent, DuelNews(f"{offer.kind}_declined"))
        open_offers.update(declined=True)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)


_ACTIONS = {
    "resign": _resign,
    "abort": _abort,
    "draw": _offer_draw,
    "takeback": _offer_takeback,
    "decline": _decline,
}


def _offer(event_id: int, team: int, turn_id: int, kind: OfferKind, box: BallotBox) -> bool:
    """Return whether the opponent has offered the same. Otherwise store and announce the offer."""
    now = box.now()
    with event_lock(event_id):
        match = _playing(event_id)
        side = _side(match, team)
        _check_offered_here(match, kind)
        live = _live_turn(match, turn_id)
        if live.offers.filter(side=other_side(side), kind=kind, declined=False).exists():
            return True
        recent = Offer.objects.filter(turn__match=match, side=side, kind=kind)
        if recent.filter(turn__number__gt=live.number - OFFER_PAUSE_TURNS).exists():
            raise DuelActionRefused("too_soon")
        live.offers.create(side=side, kind=kind)
        notify(turn_id, other_side(side), DuelNews(f"{kind}_offered"))
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    return False


def _check_offered_here(match: Match, kind: OfferKind) -> None:
    """Draws need a person as opponent. Turns of rated games are not taken back."""
    duel = match.event.duel
    if duel.is_for_one or (kind == OfferKind.TAKEBACK and not duel.casual):
        raise DuelActionRefused("not_possible")
    if kind == OfferKind.TAKEBACK and not match.turns.filter(state__in=CLOSED_STATES).exists():
        raise DuelActionRefused("not_possible")


def _require_offer(live: Turn, side: Side, kind: OfferKind) -> None:
    if not live.offers.filter(side=side, kind=kind, declined=False).exists():
        raise DuelActionRefused("turn_changed")


def _playing(event_id: int) -> Match:
    match = (
        Match.objects.filter(event=event_id, state=MatchState.PLAYING).select_related("event__duel").first()
    )
    if match is None:
        raise DuelActionRefused("not_possible")
    return match


def _side(match: Match, team: int) -> Side:
    """Return the side of the player of `team`. Raises DuelActionRefused if no player has that team."""
    duel = Duel.objects.filter(event=match.event_id).first()
    if duel is None or getattr(duel, f"{SEAT_FIELDS[team]}_id") is None:
        raise DuelActionRefused("not_possible")
    return find_side(match, team)


def find_side(match: Match, team: int) -> Side:
    """Return the side that the event's team with this number plays."""
    return next(side for side in SIDES if getattr(match, side).number == team)


def _check_turn_of(match: Match, turn_id: int) -> None:
    if not match.turns.filter(pk=turn_id).exists():
        raise DuelActionRefused("turn_changed")


def _live_turn(match: Match, turn_id: int) -> Turn:
    turn = live_turn(match)
    if turn is None or turn.pk != turn_id:
        raise DuelActionRefused("turn_changed")
    return turn


async def handle_duel_ask(event_id: int, team: int, action: DuelAction, turn_id: int) -> DuelRefusal | None:
    """Do what a phone asks for. Returns the reason of a refusal, or None."""
    try:
        await in_database(lambda: perform(event_id, team, action, turn_id, ballot_box()))()
    except DuelActionRefused as refusal:
        return refusal.code
    except STORE_ERRORS:
        return "busy"
    return None


hooks.duel_requests.append(handle_duel_ask)
