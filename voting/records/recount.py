"""Recount a match from its record with this project's rules, and report every fault."""

from collections.abc import Iterator
from typing import Any

from games.engine.errors import GameError, IllegalPick
from games.engine.game import SIDES, Game, Resolution, Result, other_side
from games.engine.registry import find_game, read_options
from voting.counting.ballots import asks_for_draw
from voting.counting.commitments import FROM_SEED, commit_lot, draw_options_lot
from voting.counting.draw_offers import DrawOffers, wants_draw
from voting.records.match_record import UNSORTED, MatchRecord, side_count
from voting.records.recount_history import find_history_faults, find_history_gaps
from voting.records.recount_side_changes import deserted_side_at, find_side_faults
from voting.records.recount_turns import (
    SEED,
    Fault,
    RecordedTurn,
    find_draws_version,
    find_turn_faults,
    knows_bots,
    losing_counts,
)
from voting.terms import Ending

# What the players of a one-on-one game can make of a match that the board has not decided.
RESULTS_BY_PLAYERS: dict[Ending | None, tuple[Result, ...]] = {
    Ending.CONCEDED: ("red", "yellow"),
    Ending.AGREED: ("draw",),
}
DRAWN = ("lot", "lottery", "random")


def find_faults(record: MatchRecord) -> list[Fault]:
    """Return all faults in order, up to the first turn that breaks the rules; empty if there are none."""
    return list(_find_faults(record))


def find_gaps(record: MatchRecord) -> Iterator[str]:
    """Yield what a record without faults can't prove."""
    sides = [
        (number, counted)
        for number, count in enumerate(record.counts, 1)
        for side in SIDES
        if (counted := side_count(count, side))
    ]
    if record.format == UNSORTED and any(counted.ballots for _, counted in sides):
        yield "the order of the ballots, which the server chose before version 3 of the record"
    if record.draw is None:
        yield "what was drawn at the start of the match"
    yield from find_history_gaps(record)
    yield from _find_bot_gaps(record)
    by_arrival = {f"turn {number}": True for number, counted in sides if counted.decided_by == "first"}
    if by_arrival:
        yield f"the order of arrival, which decided a tie in {', '.join(by_arrival)}"
    by_seed = {
        f"turn {number}": True
        for number, counted in sides
        if counted.decided_by in DRAWN and find_draws_version(record.counts[number - 1]) == FROM_SEED
    }
    if by_seed:
        yield f"that the server did not choose the seed, which alone decided {', '.join(by_seed)}"
    if record.ended_by == Ending.TIME:
        yield "the clocks, which only the server recorded"


def _find_faults(record: MatchRecord) -> Iterator[Fault]:
    if len(record.turns) != len(record.counts):
        yield Fault(None, None, f"it has {len(record.turns)} turns, but {len(record.counts)} counts")
        return
    try:
        game = find_game(record.game)
        state = game.start(read_options(game, record.options))
    except GameError as refusal:
        yield Fault(None, None, str(refusal))
        return
    yield from _find_draw_faults(record, game)
    yield from (Fault(number, None, text) for number, text in find_side_faults(record))
    yield from (Fault(number, None, text) for number, text in find_history_faults(record))
    result: Result = "open"
    offers = DrawOffers()
    for number in range(1, len(record.turns) + 1):
        recorded = RecordedTurn(record, number, game, state)
        if result != "open":
            yield Fault(number, None, "the match was already over")
            return
        yield from find_turn_faults(recorded)
        try:
            state, resolution = game.resolve(state, recorded.picks)
        except IllegalPick as refusal:
            yield Fault(number, None, str(refusal))
            return
        result = _result_after(recorded, resolution)
        offers = _offers_after(recorded, offers) if result == "open" else DrawOffers()
        result = "draw" if offers.is_agreed else result
    yield from _find_result_faults(record, result, offers)


def _offers_after(recorded: RecordedTurn, offers: DrawOffers) -> DrawOffers:
    if not recorded.record.terms.draw_offers:
        return offers
    wishes = {}
    for side in SIDES:
        if counted := side_count(recorded.count, side):
            votes = sum(asks_for_draw(choice) for choice, _ in counted.ballots)
            wishes[side] = wants_draw(votes, len(counted.ballots))
    is_concealed = recorded.game.view(recorded.state, None).vote == "concealed"
    return offers.after(wishes, is_concealed=is_concealed)


def _find_draw_faults(record: MatchRecord, game: Game[Any]) -> Iterator[Fault]:
    """Find faults of what was drawn at the start of the match."""
    if record.draw is None:
        return
    if not SEED.fullmatch(record.draw.seed):
        yield Fault(None, None, "the seed of its draw is not 32 hexadecimal digits")
        return
    if commit_lot(record.draw.seed) != record.draw.lot:
        yield Fault(None, None, "the seed of its draw does not match its commitment `lot`")
    try:
        chosen = read_options(game, record.draw.options)
    except GameError as refusal:
        yield Fault(None, None, str(refusal))
        return
    drawn = game.draw_lots(chosen, draw_options_lot(record.draw.seed))
    if drawn != read_options(game, record.options):
        yield Fault(None, None, "its options are not those that were drawn")


def _find_result_faults(record: MatchRecord, result: Result, offers: DrawOffers) -> Iterator[Fault]:
    by_players = record.result in RESULTS_BY_PLAYERS.get(record.ended_by, ())
    if result == "open" and by_players and not record.terms.draw_offers:
        return  # no ballot says so: the record can only state it
    ended_by = None if result == "open" else Ending.AGREED if offers.is_agreed else _ending(record)
    if record.result != result:
        yield Fault(None, None, f"the result is {result}, but the record says {record.result}")
    if record.ended_by != ended_by:
        yield Fault(None, None, f"`ended_by` is {ended_by}, but the record says {record.ended_by}")


def _ending(record: MatchRecord) -> Ending:
    if deserted_side_at(record, len(record.counts)):
        return Ending.DESERTED
    why = {count.decided_by for count in losing_counts(record.counts[-1]).values()}
    if not why:
        return Ending.BOARD
    if "forfeit" not in why:
        return Ending.RESIGN
    return Ending.TIME if record.ended_by == Ending.TIME else Ending.FORFEIT


def _result_after(recorded: RecordedTurn, resolution: Resolution) -> Result:
    deserted = deserted_side_at(recorded.record, recorded.number)
    if deserted:
        return other_side(deserted)
    lost = list(losing_counts(recorded.count))
    if len(lost) == len(SIDES):
        return "draw"
    if lost:
        return "yellow" if lost == ["red"] else "red"
    return resolution.result


def _find_bot_gaps(record: MatchRecord) -> Iterator[str]:
    if record.bots is None:
        return
    if not knows_bots(record):
        yield f"the picks of the computer, which are of version {record.bots.version}"
    absent = [
        f"turn {number}"
        for number, count in enumerate(record.counts, 1)
        for side in SIDES
        if record.bots.strength(side) and (counted := side_count(count, side)) and not counted.ballots
    ]
    if absent:
        yield f"why the computer did not vote in {', '.join(absent)}"
