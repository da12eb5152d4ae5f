"""Pacing of a reveal: when each of its steps begins, so that people can read its captions.

A text stays for at least one second and a quarter of a second per word; figures count as words. The
numbers of words below are those of each text's longest translation, without the names of the teams,
which are counted as they are. A turn in which nothing special happens is short. Conflicts, blocked
lines, close votes and wins take longer. Reveals replay close calls: almost equal votes, or a conflict
that decided the match.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import ceil
from typing import Literal

import msgspec

from games.engine.game import SIDES, Resolution, Side, insert_team_names
from voting.counting.methods.voting_method import METHODS
from voting.counting.tally import SideTally
from voting.counting.types import Column, Count
from voting.terms import Pace

CAPTION_MS, WORD_MS = 1000, 250
# Chinese and Japanese characters.
UNSPACED, UNSPACED_PER_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff]"), 2
STRETCH = {Pace.BRISK: 1.0, Pace.NORMAL: 1.2, Pace.DRAMATIC: 1.5}

# Words of the captions: how many voted, of both teams; both picked one column; who drops first and gets the
# token; the column is full; who gets the token then; no ball drops; a team resigns; the winner; both sides
# have a line; the winner of the two; a draw; a block; a replayed conflict or count.
COUNTED, CONFLICT, ORDER, FULL, RECEIVED, NO_DROP, RESIGNED = 4, 9, 7, 8, 4, 6, 8
WON, BOTH, BOTH_WON, DRAWN, BLOCKED, CONFLICT_REPLAY, COUNT_REPLAY = 9, 6, 11, 8, 5, 7, 10
# Words of a pick: "chose", the column and its share; without a column, "no pick"; the number of votes.
PICK, NO_PICK, VOTES = 3, 2, 3
# A side's highest bars have figures.
BAR_FIGURES = 2
# Words under a pick that was not decided by votes, and how many more a translation may have.
RULE_WORDS = {"first": 9, "lot": 9, "captain": 9, "random": 6, "pass": 6, "forfeit": 6, "resign": 8}
TRANSLATED = 2

POUR_MS, PICKS_MS, HOLD_MS, FALL_MS, SETTLE_MS, TOKEN_MS = 300, 50, 800, 900, 50, 700
INSTANT_MS = 1000

FEW_VOTES, FEW_PER_BALLOT = 3, 0.01
# With fewer ballots, every margin is only a few votes.
MIN_BALLOTS = 10
COMPARED = {method.decided_by for method in METHODS.values() if method.counts_decide} | {"first", "lot"}


class CloseCall(msgspec.Struct, frozen=True, kw_only=True):
    """The closest decision of a turn.

    Attributes:
        kind: `count`: two choices of a side had almost equal votes. `conflict`: the order of the drops
            decided the match.
        side: The side whose votes were close, or the winner.
        first: The choice with the most votes. Null for a conflict, like the next one.
        second: The choice after it.
        margin: How many votes more the first one had.
    """

    kind: Literal["count", "conflict"]
    side: Side
    first: Column | None = None
    second: Column | None = None
    margin: Count = 0


class RevealSteps(msgspec.Struct, frozen=True, kw_only=True):
    """When each step of a reveal begins, in milliseconds after `resolved_at`.

    Attributes:
        pour: The votes pour into the bars.
        picks: The picks are shown.
        hold: The board grows to its full size, with the balls held above their columns. Null: nothing special
            happens in this turn.
        drops: The balls fall; in a conflict only the first.
        second: The second ball falls. Null: no conflict.
        lines: The balls have landed. The winning lines light up, and the outcome is named. If both sides have
            a line, those of the side that loses light up.
        verdict: The winner's lines light up, and the outcome is named. Null: at most one side has a line.
        token: The token changes sides. Null: it stays, or the match has ended.
        replay: The close call is shown again. Null: no replay.
        over: The reveal ends.
    """

    pour: Count
    picks: Count
    hold: Count | None = None
    drops: Count
    second: Count | None = None
    lines: Count
    verdict: Count | None = None
    token: Count | None = None
    replay: Count | None = None
    over: Count


def find_close_call(resolution: Resolution, tallies: Mapping[Side, SideTally]) -> CloseCall | None:
    """Return a deciding conflict, or else the smallest margin; None if the turn has neither."""
    winner = _decided_by_conflict(resolution)
    if winner:
        return CloseCall(kind="conflict", side=winner)
    calls = [_close_count(side, tallies[side]) for side in SIDES if side in tallies]
    return min((call for call in calls if call), key=lambda call: call.margin, default=None)


def _decided_by_conflict(resolution: Resolution) -> Side | None:
    """Return the winner whose line includes the ball that it dropped in a conflict."""
    if resolution.conflict is None or len(resolution.drops) < len(SIDES):
        return None
    for drop in resolution.drops:
        cell = (drop.column, drop.row)
        if drop.side == resolution.result and any(cell in line for line in resolution.lines):
            return drop.side
    return None


def _close_count(side: Side, tally: SideTally) -> CloseCall | None:
    if tally.pick is None or tally.rounds or tally.ballots < MIN_BALLOTS or tally.decided_by not in COMPARED:
        return None
    second, votes = _runner_up(tally.counts, tally.pick)
    margin = tally.counts[tally.pick - 1] - votes
    if not votes or not 0 <= margin <= max(FEW_VOTES, tally.ballots * FEW_PER_BALLOT):
        return None
    return CloseCall(kind="count", side=side, first=tally.pick, second=second, margin=margin)


def _runner_up(counts: Sequence[int], pick: int) -> tuple[int, int]:
    """Return the choice with the most votes except `pick`, and its votes."""
    others = [(column, votes) for column, votes in enumerate(counts, 1) if column != pick]
    return max(others, key=lambda other: other[1], default=(0, 0))


def count_words(text: str) -> int:
    """Return the words of a text. Chinese has no spaces: about two characters are a word."""
    unspaced = len(UNSPACED.findall(text))
    return len(UNSPACED.sub(" ", text).split()) + ceil(unspaced / UNSPACED_PER_WORD)


def reading_ms(words: int) -> int:
    """Return how long a caption of this many words stays at least."""
    return CAPTION_MS + WORD_MS * words


def pace_reveal(
    resolution: Resolution,
    tallies: Mapping[Side, SideTally],
    call: CloseCall | None,
    names: Mapping[Side, str],
    pace: Pace,
) -> RevealSteps:
    """Return the steps of a turn's reveal. `names` are those of the teams that play each side."""
    in_turn = resolution.conflict is not None and len(resolution.drops) > 1
    # A match that has ended needs no token.
    passes = resolution.token_before != resolution.token_after and resolution.result == "open"
    if pace == Pace.INSTANT:
        return _instant(in_turn=in_turn)
    replayed = call if pace != Pace.BRISK else None
    special = bool(call or resolution.conflict or resolution.block or resolution.result != "open")
    name_words = max(map(count_words, names.values()))
    lasts = {
        "sealed": POUR_MS,
        "pour": reading_ms(COUNTED) - POUR_MS,
        "picks": _picks_ms(resolution, tallies.values(), special=special),
        "hold": HOLD_MS if special else 0,
        **_falls_ms(resolution, names, name_words, in_turn=in_turn, passes=passes),
        "replay": _replay_ms(replayed, name_words),
    }
    ends = [round(end * STRETCH[pace]) for end in accumulate(lasts.values())]
    begins = dict(zip([*lasts, "over"][1:], ends, strict=True))
    read = begins["picks"] + reading_ms(sum(map(_pick_words, tallies.values())))
    begins["over"] = max(begins["over"], read)
    shown = {
        "hold": special,
        "second": in_turn,
        "verdict": resolution.double_win,
        "token": passes,
        "replay": replayed is not None,
    }
    return RevealSteps(**{step: at for step, at in begins.items() if shown.get(step, True)})


def _instant(*, in_turn: bool) -> RevealSteps:
    """Return the steps of a reveal without captions: the balls fall at once."""
    second = INSTANT_MS // 2 if in_turn else None
    return RevealSteps(pour=0, picks=0, drops=0, second=second, lines=INSTANT_MS, over=INSTANT_MS)


def _picks_ms(resolution: Resolution, tallies: Iterable[SideTally], *, special: bool) -> int:
    """The time between the picks and the hold, which has the same caption.

    The figures on the bars can be read until the board grows: in a special turn to hold the balls, otherwise
    when they have landed.
    """
    tallies = tuple(tallies)
    figures = sum(min(BAR_FIGURES, sum(map(bool, tally.counts))) for tally in tallies)
    figures_ms = (reading_ms(figures) if figures else PICKS_MS) - (0 if special else FALL_MS)
    if resolution.conflict is not None:
        return max(figures_ms, reading_ms(CONFLICT) - HOLD_MS)
    if any(tally.decided_by == "resign" for tally in tallies):
        return max(figures_ms, reading_ms(RESIGNED))
    return max(figures_ms, PICKS_MS)


def _falls_ms(
    resolution: Resolution, names: Mapping[Side, str], name_words: int, *, in_turn: bool, passes: bool
) -> dict[str, int]:
    """The balls fall, one after the other in a conflict, the lines light up, and the token may change sides.

    Without an outcome to name, the caption of the falling balls stays until the end.
    """
    falls = {"drops": FALL_MS, "second": FALL_MS if in_turn else 0}
    outcome_ms = _outcome_ms(resolution, names, name_words)
    lands = {"lines": outcome_ms or SETTLE_MS, "verdict": 0, "token": TOKEN_MS if passes else 0}
    has_forfeit = any(drop.row is None for drop in resolution.drops)
    if passes and has_forfeit:
        lands["token"] = reading_ms(RECEIVED + name_words)
    if resolution.double_win:
        lands |= {"lines": reading_ms(BOTH), "verdict": outcome_ms}
    unread_ms = _falls_reading_ms(resolution, names, name_words) - sum(falls.values())
    if outcome_ms:
        falls["second" if in_turn else "drops"] += max(0, unread_ms)
    else:
        lands["lines"] = max(lands["lines"], unread_ms - (0 if has_forfeit else lands["token"]))
    return falls | lands


def _falls_reading_ms(resolution: Resolution, names: Mapping[Side, str], name_words: int) -> int:
    if resolution.sentences:
        return _sentence_ms(resolution.sentences[0], names)
    if not resolution.drops:
        return reading_ms(NO_DROP)
    if resolution.conflict is None:
        return 0
    if any(drop.row is None for drop in resolution.drops):
        return reading_ms(FULL + name_words)
    return reading_ms(ORDER + 2 * name_words)


def _outcome_ms(resolution: Resolution, names: Mapping[Side, str], name_words: int) -> int:
    """How long the caption of the outcome needs; 0 if there is none."""
    if resolution.result in SIDES:
        return reading_ms((BOTH_WON if resolution.double_win else WON) + name_words)
    if resolution.result == "draw":
        return reading_ms(DRAWN)
    if len(resolution.sentences) > 1:
        return _sentence_ms(resolution.sentences[-1], names)
    return reading_ms(BLOCKED + 2 * name_words) if resolution.block else 0


def _sentence_ms(sentence: str, names: Mapping[Side, str]) -> int:
    return reading_ms(count_words(insert_team_names(sentence, names)) + TRANSLATED)


def _replay_ms(call: CloseCall | None, name_words: int) -> int:
    if call is None:
        return 0
    return reading_ms(CONFLICT_REPLAY if call.kind == "conflict" else COUNT_REPLAY + name_words)


def _pick_words(tally: SideTally) -> int:
    """Return the words and figures of a side's pick, with those below it."""
    explained = RULE_WORDS.get(tally.decided_by or "", 0)
    for method in METHODS.values():
        if method.decided_by == tally.decided_by:
            explained = max(map(count_words, method.rounds_caption or method.caption), default=0)
    return (PICK if tally.pick else NO_PICK) + (explained + TRANSLATED if explained else VOTES)
