"""Goofspiel: both sides bid a card for each prize (Merrill Flood; analyzed by Sheldon Ross, 1971)."""

from dataclasses import dataclass, replace
from functools import partial
from math import factorial
from typing import Annotated, Literal

import msgspec

from games.engine.errors import BadOptions
from games.engine.game import SIDES, Board, Drawing, Mark, Picks, Resolution, Result, Side, check_picks
from games.engine.texts import GameText, gettext_noop

PITCH, MARGIN, HEIGHT, MIDDLE = 140, 40, 900, 450
HAND_Y: dict[Side, int] = {"red": 95, "yellow": 805}
BID_Y: dict[Side, int] = {"red": 275, "yellow": 625}
CARD = partial(Mark, kind="card", width=120, height=170)
TOTAL = partial(Mark, kind="text", x=MARGIN + 60, width=200, height=110)
LABEL = partial(Mark, kind="text", width=200, height=44)
LABEL_Y: dict[Side, int] = {"red": 355, "yellow": 545}


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`order` of the prizes, drawn by lot if `prizes` is "lot". A prize is worth its number."""

    cards: Annotated[Literal[7, 5, 9], msgspec.Meta(title=gettext_noop("Cards per team, and prizes"))] = 7
    prizes: Annotated[
        Literal["lot", "rising", "falling"],
        msgspec.Meta(
            title=gettext_noop("Order of the prizes"),
            extra={
                "rising": gettext_noop("From the smallest to the largest"),
                "falling": gettext_noop("From the largest to the smallest"),
            },
        ),
    ] = "lot"
    tie: Annotated[
        Literal["waits", "nobody"],
        msgspec.Meta(
            title=gettext_noop("If both bid the same card"),
            extra={
                "waits": gettext_noop("The prize is added to the next one"),
                "nobody": gettext_noop("Nobody wins the prize"),
            },
        ),
    ] = "waits"
    order: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """`at_stake` are the prizes of the current bid: the next one, after those of earlier ties.

    `bids` are the last bids.
    """

    hands: tuple[frozenset[int], frozenset[int]]
    points: tuple[int, int]
    at_stake: tuple[int, ...]
    to_come: tuple[int, ...]
    cards: int
    tie: Literal["waits", "nobody"]
    bids: Picks

    def hand(self, side: Side) -> frozenset[int]:
        return self.hands[SIDES.index(side)]


class Goofspiel:
    slug = "goofspiel"
    title = gettext_noop("Goofspiel, the bidding game")
    rules = gettext_noop(
        "Each turn has a prize, worth its number. Both teams bid one of their cards at once. The higher card "
        "wins the prize, and both cards are discarded. The team with the most points wins."
    )
    options = Options

    def draw_lots(self, options: Options, lot: int) -> Options:
        order = options.order or _order(options, lot)
        return msgspec.structs.replace(options, order=order)

    def start(self, options: Options) -> State:
        if sorted(options.order) != list(range(1, options.cards + 1)):
            raise BadOptions("the order of the prizes is not drawn yet, or does not have each of them once")
        hand = frozenset(options.order)
        first, to_come = options.order[:1], options.order[1:]
        return State((hand, hand), (0, 0), first, to_come, options.cards, options.tie, Picks())

    def to_move(self, state: State) -> tuple[Side, ...]:
        return SIDES if self.result(state) == "open" else ()

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        return tuple(sorted(state.hand(side))) if side in self.to_move(state) else ()

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Give what is at stake to the higher card.

        Cards that were bid are gone; a side without a bid keeps its cards.
        """
        check_picks(self, state, picks)
        after, won = _bid(state, picks)
        sentences, before = _describe(state, after, picks, won), _draw(state)
        return after, Resolution(result=self.result(after), sentences=sentences, before=before)

    def result(self, state: State) -> Result:
        if state.at_stake and all(state.hands):
            return "open"
        red, yellow = state.points
        return "draw" if red == yellow else "red" if red > yellow else "yellow"

    def view(self, state: State, side: Side | None) -> Board:
        numbers = tuple(str(card) for card in range(1, state.cards + 1))
        return Board(kind="drawn", columns=state.cards, choices=numbers, drawing=_draw(state))


GAME = Goofspiel()


def _order(options: Options, lot: int) -> tuple[int, ...]:
    """Return the prizes rising, falling, or as the permutation with number `lot`."""
    left = list(range(1, options.cards + 1))
    if options.prizes != "lot":
        return tuple(left if options.prizes == "rising" else reversed(left))
    order = []
    for size in range(len(left), 0, -1):
        place, lot = divmod(lot % factorial(size), factorial(size - 1))
        order.append(left.pop(place))
    return tuple(order)


def _bid(state: State, picks: Picks) -> tuple[State, Side | None]:
    bids = picks.red or 0, picks.yellow or 0
    hands = state.hands[0] - {bids[0]}, state.hands[1] - {bids[1]}
    next_up, to_come = state.to_come[:1], state.to_come[1:]
    if bids[0] == bids[1]:
        waiting = state.at_stake if state.tie == "waits" and next_up else ()
        return replace(state, hands=hands, at_stake=waiting + next_up, to_come=to_come, bids=picks), None
    won = SIDES[bids[0] < bids[1]]
    prize = sum(state.at_stake)
    points = state.points[0] + prize * (won == "red"), state.points[1] + prize * (won == "yellow")
    after = replace(state, hands=hands, points=points, at_stake=next_up, to_come=to_come, bids=picks)
    return after, won


def _describe(state: State, after: State, picks: Picks, won: Side | None) -> tuple[str, ...]:
    prize, bids = sum(state.at_stake), {"red_bid": picks.red or 0, "yellow_bid": picks.yellow or 0}
    score = GameText("%(red)s %(red_points)s, %(yellow)s %(yellow_points)s.", **_points(after))
    if won:
        sentence = GameText(
            "%(red)s bid %(red_bid)s, %(yellow)s bid %(yellow_bid)s: %(winner)s won %(prize)s.",
            **bids,
            winner=f"{{{won}}}",
            prize=prize,
        )
    elif state.at_stake[0] in after.at_stake:
        sentence = GameText(
            "Both bid %(red_bid)s. The prize of %(prize)s is added to the next one.", **bids, prize=prize
        )
    else:
        sentence = GameText("Both bid %(red_bid)s. Nobody won the prize of %(prize)s.", **bids, prize=prize)
    return sentence, score


def _points(state: State) -> dict[str, int]:
    return {"red_points": state.points[0], "yellow_points": state.points[1]}


def _draw(state: State) -> Drawing:
    """Draw the hands at the top and bottom, the last bids next to them, and the stakes in the middle."""
    width = state.cards * PITCH + 2 * MARGIN
    marks = [mark for side in SIDES for mark in _hand(state, side, width // 2)]
    for place, prize in enumerate(state.at_stake):
        marks.append(
            CARD(name=f"prize {prize}", x=width // 2 + place * 60, y=MIDDLE, text=str(prize), lit=True)
        )
    if state.at_stake:
        marks.append(LABEL(name="prize", x=width // 2 - 165, y=MIDDLE, text=gettext_noop("Prize")))
    red, yellow = (", ".join(map(str, sorted(hand))) or "-" for hand in state.hands)
    words = GameText(
        "At stake: %(prize)s. Points: %(red)s %(red_points)s, %(yellow)s %(yellow_points)s. "
        "Cards: %(red)s %(red_cards)s; %(yellow)s %(yellow_cards)s.",
        **_points(state),
        prize=sum(state.at_stake),
        red_cards=red,
        yellow_cards=yellow,
    )
    return Drawing(width=width, height=HEIGHT, marks=tuple(marks), words=words)


def _hand(state: State, side: Side, middle: int) -> list[Mark]:
    bid, card = state.bids.of(side), partial(CARD, side=side)
    marks = [
        card(name=f"{side} {n}", x=MARGIN + n * PITCH - PITCH // 2, y=HAND_Y[side], text=str(n))
        for n in sorted(state.hand(side))
    ]
    if bid:
        marks.append(card(name=f"{side} {bid}", x=middle, y=BID_Y[side], text=str(bid), gone=True))
    points = str(state.points[SIDES.index(side)])
    label = LABEL(
        name=f"label {side}", x=MARGIN + 60, y=LABEL_Y[side], text=gettext_noop("Points"), side=side
    )
    return [*marks, TOTAL(name=f"points {side}", y=BID_Y[side], text=points, side=side), label]
