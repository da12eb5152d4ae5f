#!/usr/bin/env python3
"""Recount a crowdgame match from its record or report file: python3 verify.py RECORD.json [ROOTS.json]

Needs only Python 3.8. It uses no code of the project, but implements every rule a second time. It prints one
line per fault, and what a record cannot prove. The exit status is 0 if the record is valid and 1 if it has
faults. It is 2 if the record has none, but this script does not know the rules of the game.

For every turn it checks that

- the seed matches the commitment published before the window,
- each side that moves has a count, and all its ballots have legal choices,
- the Merkle root of these ballots (RFC 6962) is the committed one,
- the ballots are sorted by their hashes, so that nobody chose their order (from version 3 of the record on),
- the counts, the rounds and the pick follow from the ballots and the match's terms,
- this pick was played,
- the seal published last is the one that counts, and each other one has a cause (from version 4 on).

With ROOTS.json, which phones compare with the seals they received, it checks that these are the same seals.
It also checks what was drawn at the start of the match, such as the first token, and that void turns, void
seals and lost ballot boxes fit the turns that count.
Then it checks that the picks lead to the result by the rules of the game. It knows the games in GAMES.
"""

import hashlib
import json
import math
import re
import sys
from typing import NamedTuple


class Method(NamedTuple):
    """A tally method: `decide` is the method of BallotCounter that decides.

    A ballot may be a set of the columns 1 to `last`, each up to `most` times, or a ranking if `ranked`.
    """

    decide: str = "most_votes"
    most: int = 0
    last: int = 0
    ranked: bool = False


METHODS = {
    "plurality": Method(),
    "lottery": Method("lottery"),
    "approval": Method(most=1, last=29),
    "instant_runoff": Method("runoff", ranked=True),
    "score": Method(most=5, last=11),
}
SIDES = ("red", "yellow")
TERMS = {
    "tally_method": tuple(METHODS),
    "tie_rule": ("first", "lot", "captain"),
    "no_ballot_rule": ("random", "pass", "forfeit"),
}
#: The share of a side's ballots that resigns the match, by the value of `resign` in the terms.
SHARES = {"half": (1, 2), "two_thirds": (2, 3), "three_quarters": (3, 4), "all": (1, 1)}
#: Parts of a choice: RESIGN and DRAW are wishes; with SET, the lower bits are a set of columns.
DRAW, RESIGN, SET = 2**31, 2**30, 2**29
MAX_RANKED = 3
MAX_INTEGER = 2**53 - 1
#: Results of a one-on-one game that its players made, by `ended_by`. No ballot proves them.
BY_PLAYERS = {"conceded": ("red", "yellow"), "agreed": ("draw",)}
#: Why a turn is void, and where the ballots came from after the ballot box was lost.
VOID_REASONS, RESTORED = ("taken_back", "superseded", "stopped"), ("phones", "database", "backup")
#: Why another seal replaced a published one.
REOPENINGS = ("time_added", "box_lost")
#: A restored backup raises the epoch by at least this much.
BACKUP_EPOCH_LEAP = 1000
STATES = ("playing", "ended", "aborted")
#: Formats of a record. In the first one, the server decided the order of the ballots. Only the last one lists
#: all seals.
FORMATS = UNSORTED, SORTED, *_ = [f"crowdgame match {version}" for version in (2, 3, 4, 5)]
NO_CAUSE = "a seal that was replaced without a cause"
BLIND = re.compile(r"([0-9a-f]{32})?\Z")
MAX_ROWS = 6
LINE = 4
MATCH = "the match"


class InvalidRecord(Exception):
    """The record is malformed, or breaks a rule so that no further turn can be checked."""


def main(arguments):
    if len(arguments) not in (1, 2):
        say("usage: python3 verify.py RECORD.json [ROOTS.json]")
        return 1
    faults, summary = [], ""
    try:
        record = read(arguments[0])
        summary = Recount(record, faults).verify()
        for path in arguments[1:]:
            faults.extend(compare_roots(record, read(path)))
    except InvalidRecord as error:
        faults.append(str(error))
    for line in faults:
        say(line)
    say(f"INVALID: {len(faults)} {'fault' if len(faults) == 1 else 'faults'}" if faults else summary)
    return 1 if faults else 2 if summary.rpartition("\n")[2].startswith("PARTLY CHECKED") else 0


def say(text):
    """Print a line. Names are untrusted: replace characters that could control the terminal."""
    shown = "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
    encoding = sys.stdout.encoding or "utf-8"
    print(shown.encode(encoding, "replace").decode(encoding))


# ------------------------------------------------------------------ reading
def read(path):
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
        if text.startswith("<"):  # a report file
            text = text.partition('<script id="record" type="application/json">')[2].partition("</script>")[0]
        hooks = {"object_pairs_hook": reject_duplicate_keys, "parse_constant": reject_constant}
        return json.loads(text, parse_int=read_integer, **hooks)
    except OSError as error:
        raise InvalidRecord(f"the file cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InvalidRecord("the file is not JSON") from None


def reject_duplicate_keys(pairs):
    """Reject a duplicate key, which two parsers could read differently."""
    parent = dict(pairs)
    if len(parent) < len(pairs):
        raise InvalidRecord("the match: a key appears twice")
    return parent


def read_integer(digits):
    """Return an integer; one that other parsers round becomes a float, which no field allows."""
    return int(digits) if abs(float(digits)) <= MAX_INTEGER else float(digits)


def reject_constant(name):
    raise ValueError(name)


def read_field(parent, key, kind, where):
    """Return a required field of this type; `None` in `kind` allows null."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(parent, dict) or key not in parent:
        raise InvalidRecord(f"{where}: `{key}` is missing")
    value = parent[key]
    fits = any(value is None if one is None else type(value) is one for one in kinds)
    if not fits or (type(value) is str and re.search("[\ud800-\udfff]", value)):
        raise InvalidRecord(f"{where}: `{key}` is malformed")
    return value


def read_optional(parent, key, kind, where):
    """Return an optional field; None if it is missing or null."""
    return None if parent.get(key) is None else read_field(parent, key, kind, where)


def read_list(parent, key, where):
    """Return a list that is left out if it is empty."""
    return read_field(parent, key, list, where) if key in parent else []


def read_integers(parent, key, where):
    """Return a list of integers. To Python, true and 1.0 equal 1, so compare types."""
    numbers = read_field(parent, key, list, where)
    if any(type(number) is not int for number in numbers):
        raise InvalidRecord(f"{where}: `{key}` is malformed")
    return numbers


def read_terms(record):
    terms = read_field(record, "terms", dict, MATCH)
    for name, values in TERMS.items():
        if read_field(terms, name, str, MATCH) not in values:
            raise InvalidRecord(f"the match: `{name}` has an unknown value")
    if read_optional(terms, "resign", str, MATCH) not in (None, *SHARES):
        raise InvalidRecord("the match: `resign` has an unknown value")
    for name, kind in (("max_side_changes", int), ("turn_points", bool), ("draw_offers", bool)):
        if name in terms and read_field(terms, name, kind, MATCH) < 0:
            raise InvalidRecord(f"the match: `{name}` is negative")
    return terms


def read_rounds(counted, where):
    """Return the counts of each round of a runoff; empty for other methods."""
    rounds = read_field(counted, "rounds", list, where) if "rounds" in counted else []
    if any(type(part) is not list or [*map(type, part)] != [int] * len(part) for part in rounds):
        raise InvalidRecord(f"{where}: `rounds` is malformed")
    return rounds


def read_pick(picks, side, where):
    """Return a side's pick; None if the side is missing."""
    if type(picks) is not dict:
        raise InvalidRecord(f"{where}: its picks are malformed")
    return read_field(picks, side, (int, None), where) if side in picks else None


def is_ballot(ballot, legal, terms):
    if type(ballot) is not list or [type(part) for part in ballot] != [int, str]:
        return False
    choice, blind = ballot
    wishes = {0, 1 if terms.get("resign") else 0, 2 if terms.get("draw_offers") else 0}
    is_allowed = choice > 0 and choice // RESIGN in wishes
    return is_allowed and has_legal_columns(choice, legal, terms) and BLIND.match(blind) is not None


def is_side_change(change):
    """A side change has a side and a blinding factor."""
    if type(change) is not list or [type(part) for part in change] != [str, str]:
        return False
    return change[0] in SIDES and BLIND.match(change[1]) is not None


def has_legal_columns(choice, legal, terms):
    """Return whether the choice names legal columns, in the form that the match's tally method uses."""
    said, columns = choice % RESIGN, decode_columns(choice, terms)
    if not columns or any(column not in legal for column in columns):
        return False
    if len(columns) == 1:
        return said == columns[0]
    if said >= SET:
        return True
    ranked = METHODS[terms["tally_method"]].ranked
    return ranked and len(set(columns)) == len(columns) <= MAX_RANKED


def decode_columns(choice, terms):
    """Return the columns of a choice: a set from left to right, a ranking in its order, or one column."""
    said, columns = choice % RESIGN, []
    if said >= SET:
        method = METHODS[terms["tally_method"]]
        base = method.most + 1
        if said - SET >= base**method.last:
            return []
        return [
            column
            for column in range(1, method.last + 1)
            for _ in range((said - SET) // base ** (column - 1) % base)
        ]
    while said:
        said, column = divmod(said, 256)
        columns.append(column)
    return columns


# ------------------------------------------------------------------ the whole match
class Recount:
    """The recount of one record. Adds what is wrong to `faults`."""

    def __init__(self, record, faults):
        self.record, self.faults = record, faults
        if read_field(record, "format", str, MATCH) not in FORMATS:
            raise InvalidRecord("the match: this is not a match record of a known format")
        self.turns, self.counts = (read_field(record, key, list, MATCH) for key in ("turns", "counts"))
        if len(self.turns) != len(self.counts):
            raise InvalidRecord(f"the match: it has {len(self.turns)} turns, but {len(self.counts)} counts")
        self.terms = read_terms(record)
        slug, options = read_field(record, "game", str, MATCH), read_field(record, "options", dict, MATCH)
        self.game, self.draw = new_game(slug, options), read_optional(record, "draw", dict, MATCH)
        if self.draw is not None:
            self.verify_draw(slug, options)
        read_field(record, "code", str, MATCH), read_field(record, "match", int, MATCH)
        self.sides = SecretSides(record, self.counts, self.faults)
        self.history = History(record, self.counts, self.sides, self.faults)
        self.last, self.ballots = 0, 0
        self.by_arrival, self.by_seed, self.drawn_by_seed = {}, {}, {}
        self.offered, self.concealed, self.is_agreed = None, [], False

    def verify_draw(self, slug, options):
        """Check what was drawn at the start of the match."""
        seed, chosen = (
            read_field(self.draw, "seed", str, MATCH),
            read_field(self.draw, "options", dict, MATCH),
        )
        if not re.match(r"[0-9a-f]{32}\Z", seed):
            raise InvalidRecord("the match: the seed of its draw is not 32 hexadecimal digits")
        if sha256(f"crowdgame lot:{seed}").hex() != read_field(self.draw, "lot", str, MATCH):
            self.faults.append("the match: the seed of its draw does not match its commitment `lot`")
        if slug in GAMES:
            lot = int.from_bytes(sha256(f"{seed}:options"), "big")
            drawn = draw_options(check_options(slug, chosen), lot)
            self.expect(MATCH, "the options drawn are", drawn, check_options(slug, options))

    def expect(self, where, what, expected, said):
        if expected != said:
            self.faults.append(f"{where}: {what} {expected}, but the record says {said}")

    def verify(self):
        """Check the record. Returns the lines to print if it is valid."""
        result = "open"
        for number, (picks, count) in enumerate(zip(self.turns, self.counts), 1):
            where = f"turn {number}"
            if result != "open":
                raise InvalidRecord(f"{where}: the match was already over")
            self.verify_turn(where, picks, count)
            self.sides.verify_turn(where, count)
            is_concealed = isinstance(self.game, SingleSelector) and self.game.chosen is None
            self.game.play(where, *(read_pick(picks, side, where) for side in SIDES))
            result = self.result_after(where, count)
            if result == "open" and self.has_draw_offers():
                self.settle_draw_offers(count, is_concealed)
                result = "draw" if self.is_agreed else "open"
        self.verify_end(result)
        return self.summary()

    def has_draw_offers(self):
        return self.terms.get("draw_offers", False) and self.game.result is not None

    def settle_draw_offers(self, count, is_concealed):
        """With a majority of its ballots, a side offers a draw, or accepts one in its next turn."""
        wanting = []
        for side in SIDES:
            choices = [choice for choice, _ in count[side]["ballots"]] if count[side] else []
            if sum(choice >= DRAW for choice in choices) * 2 > len(choices):
                wanting.append(side)
        asked = {"red": "yellow", "yellow": "red"}.get(self.offered)
        self.is_agreed = asked in wanting
        if asked and count[asked]:
            self.offered = None
        if is_concealed:
            self.concealed = wanting
            return
        wanting += self.concealed
        self.concealed, self.is_agreed = [], self.is_agreed or len(wanting) == len(SIDES)
        self.offered = wanting[0] if wanting else self.offered

    def verify_turn(self, where, picks, count):
        turn, seed = read_field(count, "turn", int, where), read_field(count, "seed", str, where)
        sealed, resolved = (
            read_field(count, key, (int, None), where) for key in ("sealed_at", "resolved_at")
        )
        if sealed is not None and resolved is not None and sealed > resolved:
            self.faults.append(f"{where}: it was resolved before it was sealed")
        if turn <= self.last:
            self.faults.append(f"{where}: its id {turn} is not higher than the previous turn's")
        self.last = turn
        if not re.match(r"[0-9a-f]{32}\Z", seed):
            raise InvalidRecord(f"{where}: the seed is not 32 hexadecimal digits")
        lot = read_field(count, "lot", str, where)
        if lot not in lots_of(seed):
            self.faults.append(f"{where}: the seed does not match its commitment `lot`")
        mixed = self.mix_seed(where, count, seed, lot)
        lost = losing_sides(where, count) or self.sides.deserted_side(where)
        for side in SIDES:
            place, expected = f"{where}, {side}", None
            counted = read_field(count, side, (dict, None), where)
            self.expect_to_move(place, side, counted)
            if counted is not None:
                expected = self.verify_side(place, turn, f"{mixed}:{side}", counted)
            self.expect(place, "its pick is", None if lost else expected, read_pick(picks, side, where))

    def mix_seed(self, where, count, seed, lot):
        """Return what decides the draws of a turn."""
        if lot == lots_of(seed)[0]:
            self.by_seed[where] = True
        sides = [read_field(count, side, (dict, None), where) for side in SIDES]
        roots = [read_field(side, "root", (str, None), where) or "" if side else "" for side in sides]
        return mix_seed(seed, lot, *roots)

    def expect_to_move(self, place, side, counted):
        to_move = self.game.to_move()
        if to_move is not None and (counted is None) == (side in to_move):
            text = "its count is missing" if counted is None else "it was not its turn"
            raise InvalidRecord(f"{place}: {text}")

    def verify_side(self, place, turn, lot, counted):
        """Check a side's count. Returns the pick that follows from its ballots."""
        said, ballots = read_integers(counted, "legal", place), read_field(counted, "ballots", list, place)
        if not said or said[0] < 1 or said != sorted(set(said)):
            raise InvalidRecord(f"{place}: `legal` is not in ascending order")
        legal = self.game.legal(lot.split(":")[1], said)
        self.expect(place, "the legal columns are", legal, said)
        for number, ballot in enumerate(ballots, 1):
            if not is_ballot(ballot, legal, self.terms):
                raise InvalidRecord(f"{place}: ballot {number} has an illegal choice or blinding factor")
        self.ballots += len(ballots)
        side = lot.split(":")[1]
        leaves = [hash_leaf(f"{turn}:{side}:{choice}:{blind}") for choice, blind in ballots]
        if self.record["format"] != UNSORTED and leaves != sorted(leaves):
            self.faults.append(f"{place}: the ballots are not sorted by leaf hash")
        root = merkle_root(leaves)
        self.expect(
            place, "the root of the ballots is", root, read_field(counted, "root", (str, None), place)
        )
        count = BallotCounter(
            [choice for choice, _ in ballots], self.columns(counted, place), self.terms_for(counted), lot
        )
        count.arrivals = self.read_arrivals(place, counted, len(ballots)) or range(len(ballots))
        captain = read_optional(counted, "captain", int, place)
        if captain is not None:
            count.captain = self.captain_columns(place, counted["ballots"], captain)
        self.expect(place, "the counts are", count.first, read_integers(counted, "counts", place))
        pick, decided_by = count.decide(legal)
        self.expect(place, "the rounds are", count.rounds, read_rounds(counted, place))
        self.expect(place, "the ballots decide for", pick, read_field(counted, "pick", (int, None), place))
        self.expect(place, "`decided_by` is", decided_by, read_field(counted, "decided_by", str, place))
        where = place.split(",")[0]
        if decided_by == "first":
            self.by_arrival[where] = True
        if decided_by in ("lot", "lottery", "random") and where in self.by_seed:
            self.drawn_by_seed[where] = True
        return pick

    def columns(self, counted, place):
        """Return the number of choices. Of an unknown game, only the record tells it."""
        columns = self.game.columns or len(read_integers(counted, "counts", place))
        if max(read_integers(counted, "legal", place), default=0) > columns:
            raise InvalidRecord(f"{place}: `counts` is too short")
        return columns

    def read_arrivals(self, place, counted, ballots):
        """Return the indexes of the ballots in order of arrival; empty if they are listed in it."""
        arrivals = read_integers(counted, "arrivals", place) if "arrivals" in counted else []
        needed = self.terms["tie_rule"] == "first" and (arrivals or self.record["format"] != UNSORTED)
        if sorted(arrivals) != list(range(ballots if needed else 0)):
            raise InvalidRecord(f"{place}: `arrivals` does not name each ballot once")
        return arrivals

    def captain_columns(self, place, ballots, at):
        """Return the columns of the captain's ballot."""
        if self.terms["tie_rule"] != "captain" or not 0 <= at < len(ballots):
            raise InvalidRecord(f"{place}: there is no captain's ballot at index {at}")
        return decode_columns(ballots[at][0], self.terms)

    def terms_for(self, counted):
        """Return the terms for a side's count.

        The record states which side ran out of time, but cannot prove it: of two sides without ballots, one
        may have had time left.
        """
        ends = self.counts[-1]
        last = isinstance(ends, dict) and any(counted is ends.get(side) for side in SIDES)
        had_time = last and self.record.get("ended_by") == "time" and counted.get("decided_by") == "pass"
        return dict(self.terms, no_ballot_rule="pass") if had_time else self.terms

    def result_after(self, where, count):
        deserted_side = self.sides.deserted_side(where)
        if deserted_side:
            return "yellow" if deserted_side == "red" else "red"
        lost = list(losing_sides(where, count))
        if len(lost) == len(SIDES):
            return "draw"
        if lost:
            return "yellow" if lost == ["red"] else "red"
        is_last = self.game.result is None and count is self.counts[-1]
        is_end = is_last and self.record.get("ended_by") not in (None, *BY_PLAYERS)
        return read_field(self.record, "result", str, MATCH) if is_end else self.game.result or "open"

    def verify_end(self, result):
        ended_by, said = self.record.get("ended_by"), read_field(self.record, "result", str, MATCH)
        if said not in (*SIDES, "draw", "open"):
            raise InvalidRecord("the match: `result` has an unknown value")
        by_players = said in BY_PLAYERS.get(ended_by if isinstance(ended_by, str) else "", ())
        if result == "open" and by_players and not self.has_draw_offers():
            return
        self.expect(MATCH, "the result is", result, read_field(self.record, "result", str, MATCH))
        lost = losing_sides("the last turn", self.counts[-1]).values() if self.counts else ()
        by_time = "time" if self.record.get("ended_by") == "time" else "forfeit"
        given_up = by_time if "forfeit" in lost else "resign"
        ended_by = None if result == "open" else given_up if lost else "board"
        if self.counts and self.sides.deserted_side(f"turn {len(self.counts)}"):
            ended_by = "deserted"
        ended_by = "agreed" if self.is_agreed else ended_by
        self.expect(MATCH, "`ended_by` is", ended_by, read_field(self.record, "ended_by", (str, None), MATCH))

    def summary(self):
        name, result = read_field(self.record, "name", str, MATCH), self.record["result"]
        teams = read_field(self.record, "teams", dict, MATCH)
        red, yellow = read_field(teams, "red", str, MATCH), read_field(teams, "yellow", str, MATCH)
        ends = {
            "open": "VALID so far: the match has no result",
            "draw": "VALID: a draw",
            "red": f"VALID: red won, {red}",
            "yellow": f"VALID: yellow won, {yellow}",
        }
        by_players = {
            "conceded": "VALID so far: the record says that the loser resigned, which no ballot proves",
            "agreed": "VALID so far: the record says that both agreed to a draw, which no ballot proves",
        }
        if self.history.state == "aborted":
            ends["open"] = "VALID so far: the match was aborted without a result"
        if self.record["ended_by"] in by_players and not self.is_agreed:
            ends[result] = by_players[self.record["ended_by"]]
        counted = f"{len(self.turns)} turns, {self.ballots} ballots"
        valid = "all ballots, commitments, draws, picks and moves are valid"
        last = ends.get(result, "")
        if self.game.result is None:
            valid = "all ballots, commitments, draws and picks are valid"
            last = f"PARTLY CHECKED: {last.partition(': ')[2]}, if the moves follow the rules of the game"
        lines = [f"{name}: {red} (red) against {yellow} (yellow)", f"{counted}: {valid}"]
        return "\n".join([*lines, *(f"not checked: {gap}" for gap in self.gaps()), last])

    def gaps(self):
        """Say what this record cannot prove, or this script does not check."""
        if self.game.result is None:
            yield "the rules of this game, which this script does not know"
        if self.record["format"] == UNSORTED and self.ballots:
            yield "the order of the ballots, which the server chose before version 3 of the record"
        if self.draw is None:
            yield "what was drawn at the start of the match"
        yield from self.history.gaps()
        if self.by_arrival:
            yield f"the order of arrival, which decided a tie in {', '.join(self.by_arrival)}"
        if self.drawn_by_seed:
            turns = ", ".join(self.drawn_by_seed)
            yield f"that the server did not choose the seed, which alone decided {turns}"
        if read_optional(self.record, "bots", dict, MATCH):
            yield "the picks of the computer, which this script cannot recompute"
        if self.record["ended_by"] == "time":
            yield "the clocks, which only the server recorded"


class SecretSides:
    """Secret sides: the number of voters on each side in each turn, and the side changes before it."""

    def __init__(self, record, counts, faults):
        self.faults, self.turns = faults, {}
        secret = record["terms"].get("max_side_changes", 0)
        sides = read_optional(record, "sides", dict, MATCH)
        if sides is None:
            if secret and record.get("result") != "open":
                raise InvalidRecord("the match: its sides were secret, but `sides` is missing")
            return
        story, side_changes = (
            read_field(sides, "summary", dict, MATCH),
            read_field(sides, "turns", list, MATCH),
        )
        held, loyal = read_field(story, "turns", list, MATCH), read_integers(story, "loyal", MATCH)
        people = [*loyal, *(read_field(story, key, int, MATCH) for key in ("in_time", "too_soon"))]
        if len(loyal) != len(SIDES) or not all(0 <= number < 2**53 for number in people):
            raise InvalidRecord("the match: the totals in `sides` are malformed")
        if not len(held) == len(side_changes) == len(counts):
            raise InvalidRecord("the match: `sides` must have one entry per turn")
        self.left, before = {"red": 0, "yellow": 0}, None
        for number, (now, change) in enumerate(zip(held, side_changes), 1):
            before = self.read_turn(f"turn {number}", now, change, before)

    def read_turn(self, where, now, change, before):
        red, yellow, to_red, to_yellow = (
            read_field(now, key, int, where) for key in ("red", "yellow", "to_red", "to_yellow")
        )
        if min(red, yellow) < 0:
            self.faults.append(f"{where}: a side has a negative number of voters")
        if before and (red, yellow) != (before[0] + to_red - to_yellow, before[1] + to_yellow - to_red):
            self.faults.append(f"{where}: the side changes do not add up from the previous turn")
        self.left["red"] += to_yellow
        self.left["yellow"] += to_red
        abandoned = [
            s
            for s, held, there in (("red", red, yellow), ("yellow", yellow, red))
            if not held and there and self.left[s]
        ]
        turn_commitment, side_changes = (
            read_field(change, "turn_commitment", str, where),
            read_field(change, "side_changes", list, where),
        )
        if not all(is_side_change(one) for one in side_changes):
            raise InvalidRecord(f"{where}: a side change is malformed")
        came = tuple(sum(side == one for one, _ in side_changes) for side in SIDES)
        if came != (to_red, to_yellow):
            self.faults.append(
                f"{where}: side changes to red and yellow: {came}, but the record says {(to_red, to_yellow)}"
            )
        self.turns[where] = ({"red": red, "yellow": yellow}, abandoned, turn_commitment, side_changes)
        return red, yellow

    def deserted_side(self, where):
        """Return the side that all its voters have left, or None."""
        abandoned = self.turns[where][1] if where in self.turns else []
        return abandoned[0] if abandoned else None

    def verify_turn(self, where, count):
        """Check `turn_commitment`, which commits to both roots and to the side changes."""
        if where not in self.turns:
            return
        held, _, turn_commitment, side_changes = self.turns[where]
        roots = []
        for side in SIDES:
            counted = count[side] or {"ballots": [], "root": merkle_root([])}
            roots.append(counted["root"] or "")
            if len(counted["ballots"]) > held[side]:
                self.faults.append(f"{where}: {side} has more ballots than voters")
        leaves = sorted((blind, side) for side, blind in side_changes)
        tree = merkle_root(hash_leaf(f"{count['turn']}:to {side}:{blind}") for blind, side in leaves)
        if turn_commitment != hash_node(hash_node(*roots), tree):
            self.faults.append(f"{where}: the ballots and side changes do not match `turn_commitment`")


class History:
    """What happened besides the counted ballots: lost ballot boxes, replaced seals, void turns, the end."""

    def __init__(self, record, counts, sides, faults):
        self.faults, self.restored, self.ids, seeds, last = faults, [], [], {}, 0
        self.numbers, self.replaced, self.sides = {}, [], sides
        self.is_listed = record["format"] not in (UNSORTED, SORTED)
        for number, count in enumerate(counts, 1):
            self.numbers[number] = read_field(count, "turn", int, f"turn {number}")
            self.read_turn(f"turn {number}", count)
            seeds[read_field(count, "seed", str, f"turn {number}")] = "a turn that counts"
        for void in read_list(record, "voided", MATCH):
            turn, seed = read_field(void, "turn", int, MATCH), read_field(void, "seed", str, MATCH)
            if turn <= last:
                self.fault(turn, "is not listed in the order of the ids")
            last = turn
            self.verify_void(void, turn, seed)
            if seed in seeds:
                self.fault(turn, f"has the seed of {seeds[seed]}")
            seeds[seed] = "another void turn"
            self.ids.append(str(turn))
        self.state, result = read_optional(record, "state", str, MATCH), record.get("result")
        if self.state not in (None, *STATES):
            raise InvalidRecord("the match: `state` has an unknown value")
        if self.state is not None and (self.state == "ended") != (result != "open"):
            faults.append(f"the match: the result is {result}, but `state` is {self.state}")

    def fault(self, turn, text):
        self.faults.append(f"the match: the void turn {turn} {text}")

    def read_turn(self, where, count):
        epoch = read_field(count, "epoch", int, where) if "epoch" in count else 1
        restored = read_optional(count, "restored", str, where)
        seals, void_seals = (read_seals(count, key, where) for key in ("seals", "void_seals"))
        sealed_at = read_field(count, "sealed_at", (int, None), where)
        if epoch < 1 or restored not in (None, *RESTORED):
            raise InvalidRecord(f"{where}: `epoch` or `restored` has an unknown value")
        if epoch > 1:
            self.restored.append(where)
        if (epoch > BACKUP_EPOCH_LEAP) != (restored == "backup") or (epoch > 1) != (restored is not None):
            self.faults.append(f"{where}: `restored` does not fit its epoch")
        if len(seals) > 1:
            self.replaced.append(where)
        if self.is_listed and seals[-1:] != [self.counted_seal(where, count, epoch, sealed_at)]:
            self.faults.append(f"{where}: the seal published last is not the one that counts")
        times = [seal["at"] for seal in (seals if self.is_listed else void_seals)]
        times += [] if self.is_listed else [sealed_at]
        if len(set(times)) < len(times):
            self.faults.append(f"{where}: a void seal has the time of another seal")
        if self.is_listed and not have_causes(seals):
            self.faults.append(f"{where}: it has {NO_CAUSE}")

    def counted_seal(self, where, count, epoch, sealed_at):
        """Return the seal that follows from the count; None if the turn was never sealed."""
        seal = {"at": sealed_at, "epoch": epoch, "void": None, "turn_commitment": None}
        for side in SIDES:
            counted = read_field(count, side, (dict, None), where)
            seal[side] = counted.get("root") if counted else None
        if where in self.sides.turns:
            seal.update(red=None, yellow=None, turn_commitment=self.sides.turns[where][2])
        return None if sealed_at is None else seal

    def verify_void(self, void, turn, seed):
        number, lot = read_field(void, "number", int, MATCH), read_field(void, "lot", str, MATCH)
        at, reason = read_optional(void, "voided_at", int, MATCH), read_optional(void, "reason", str, MATCH)
        seals = read_seals(void, "seals", MATCH)
        if number < 1 or reason not in (None, *VOID_REASONS):
            raise InvalidRecord(f"the match: the void turn {turn} has an unknown value")
        if turn in self.numbers.values():
            self.fault(turn, "also counts")
        if turn > self.numbers.get(number, turn):
            self.fault(turn, f"is later than turn {number}, which replaced it")
        if not re.match(r"[0-9a-f]{32}\Z", seed) or lot not in lots_of(seed):
            self.fault(turn, "has a seed that does not match its commitment `lot`")
        if (at is None) != (reason is None):
            self.fault(turn, "has only one of `voided_at` and `reason`")
        if self.is_listed and not have_causes(seals):
            self.fault(turn, f"has {NO_CAUSE}")

    def gaps(self):
        if self.restored:
            yield f"whether all ballots came back after the ballot box was lost in {', '.join(self.restored)}"
        if not self.is_listed and self.numbers:
            yield "whether seals were replaced, which a record lists from version 4 on"
        if self.replaced:
            yield f"whether phones saw why a seal was replaced in {', '.join(self.replaced)}"
        if self.ids:
            yield f"the ballots of void turns, and why they are void (ids {', '.join(self.ids)})"


def read_seals(parent, key, where):
    """Return seals with all their fields: each has a root per side, or a `turn_commitment`."""
    seals = []
    for given in read_list(parent, key, where):
        seal = {"at": read_field(given, "at", int, where), "void": read_optional(given, "void", dict, where)}
        seal["epoch"] = read_field(given, "epoch", int, where) if "epoch" in given else 1
        roots = {name: read_optional(given, name, str, where) for name in (*SIDES, "turn_commitment")}
        fits = all(root is None or re.match(r"[0-9a-f]{64}\Z", root) for root in roots.values())
        if seal["epoch"] < 1 or not fits or not is_cause(seal["void"], where):
            raise InvalidRecord(f"{where}: `{key}` is malformed")
        seals.append({**seal, **roots})
    return seals


def is_cause(void, where):
    if void is None:
        return True
    read_field(void, "at", int, where)
    known = read_field(void, "reason", str, where) in REOPENINGS
    return known and read_field(void, "epoch", int, where) >= 1


def have_causes(seals):
    """Return whether each seal but the last has a cause. Only a lost ballot box begins a new epoch."""
    for seal, following in ((seals[at], seals[at + 1]) for at in range(len(seals) - 1)):
        void = seal["void"]
        if void is None or (void["reason"] == "box_lost") != (void["epoch"] > seal["epoch"]):
            return False
        if not seal["epoch"] <= void["epoch"] <= following["epoch"]:
            return False
    return True


def compare_roots(record, roots):
    """Yield the turns whose seals in ROOTS.json are not those of a record that was recounted before."""
    sides = record["sides"]["turns"] if record.get("sides") else [{} for _ in record["counts"]]
    expected = {}
    for count, side in zip(record["counts"], sides):
        last = {name: count[name]["root"] for name in SIDES if count[name] and not side}
        last.update(at=count["sealed_at"], turn_commitment=side.get("turn_commitment"))
        seals = count.get("void_seals", []) + ([] if last["at"] is None else [last])
        seals = count.get("seals") or seals
        expected[count["turn"]] = count["lot"], count["sealed_at"], seals
    for void in record.get("voided", []):
        expected[void["turn"]] = void["lot"], None, void.get("seals", [])
    said = {}
    for turn in read_field(roots, "turns", list, "the roots"):
        number, lot = (read_field(turn, *field, "the roots") for field in (("turn", int), ("lot", str)))
        sealed_at = read_optional(turn, "sealed_at", int, "the roots")
        said[number] = lot, sealed_at, read_list(turn, "seals", "the roots")
    lot, drawn = read_optional(roots, "draw_lot", str, "the roots"), record.get("draw")
    if lot != (drawn["lot"] if drawn else None):
        yield "the roots: `draw_lot` is not the commitment to the draw of the record"
    for turn in sorted({*expected, *said}):
        if plain_seals(expected.get(turn)) != plain_seals(said.get(turn)):
            yield f"the roots: the seals of the turn with the id {turn} are not those of the record"


def plain_seals(turn):
    """Leave out what is null, so that the same seals compare equal."""
    if turn is None:
        return None
    lot, sealed_at, seals = turn
    if not all(isinstance(seal, dict) for seal in seals):
        raise InvalidRecord("the roots: `seals` is malformed")
    return lot, sealed_at, [{k: part for k, part in seal.items() if part is not None} for seal in seals]


def losing_sides(where, count):
    """Return the sides that lost the match by resigning or forfeiting, and which of both."""
    sides = {side: read_field(count, side, (dict, None), where) or {} for side in SIDES}
    why = {side: counted.get("decided_by") for side, counted in sides.items()}
    return {side: how for side, how in why.items() if how in ("forfeit", "resign")}


class BallotCounter:
    """Counts a side's ballots. `arrivals` are their indexes in order of arrival."""

    def __init__(self, choices, columns, terms, lot):
        self.choices, self.terms, self.lot = choices, terms, lot
        columns_of = {choice: decode_columns(choice, terms) for choice in set(choices)}
        self.named = [columns_of[choice] for choice in choices]
        self.columns = range(1, columns + 1)
        ranked = METHODS[terms["tally_method"]].ranked
        self.first = self.counted([named[:1] if ranked else named for named in self.named])
        self.captain, self.rounds, self.arrivals = [], [], range(len(choices))

    def counted(self, ballots):
        return [sum(ballot.count(column) for ballot in ballots) for column in self.columns]

    def decide(self, legal):
        """Return the pick, and how it was decided."""
        if not self.choices:
            if self.terms["no_ballot_rule"] == "random":
                return legal[draw(self.lot, len(legal))], "random"
            return None, self.terms["no_ballot_rule"]
        pick = getattr(self, METHODS[self.terms["tally_method"]].decide)()
        return (None, "resign") if self.is_given_up() else pick

    def is_given_up(self):
        resigning = sum(choice // RESIGN == 1 for choice in self.choices)
        part, total = SHARES.get(self.terms.get("resign"), (2, 1))
        return resigning > 0 and resigning * total >= len(self.choices) * part

    def lottery(self):
        return self.named[draw(self.lot, len(self.named))][0], "lottery"

    def most_votes(self):
        return self.pick_leader(max(self.first))

    def pick_leader(self, votes):
        """Return the column that has so many votes, or the one that the tie rule chooses of several."""
        leaders = [column for column in self.columns if self.first[column - 1] == votes]
        if len(leaders) == 1:
            return leaders[0], self.terms["tally_method"]
        if self.terms["tie_rule"] == "first":
            return min(leaders, key=lambda column: self.last(self.named, column)), "first"
        if self.terms["tie_rule"] == "captain":
            most = max(self.captain.count(column) for column in leaders)
            leaders = [column for column in leaders if self.captain.count(column) == most]
        if len(leaders) == 1:
            return leaders[0], "captain"
        return leaders[draw(self.lot, len(leaders))], "lot"

    def last(self, ballots, column):
        """Return when the last ballot for a column arrived."""
        return max(place for place, index in enumerate(self.arrivals) if column in ballots[index])

    def runoff(self):
        """Instant runoff: in each round, eliminate the last column and transfer its ballots."""
        remaining, how = sorted({named[0] for named in self.named}), "runoff"
        while True:
            ballots = [[column for column in named if column in remaining][:1] for named in self.named]
            counts = self.counted(ballots)
            self.rounds.append(counts)
            if 2 * max(counts) > sum(counts):
                return counts.index(max(counts)) + 1, how
            fewest = min(counts[column - 1] for column in remaining)
            last_placed = [column for column in remaining if counts[column - 1] == fewest]
            out, by = self.eliminate(last_placed, ballots)
            how = by if len(last_placed) == len(remaining) else how
            remaining = [column for column in remaining if column != out]
            if len(remaining) == 1:
                return remaining[0], how

    def eliminate(self, last_placed, ballots):
        """Return which of the columns tied for the last place is eliminated, and how that was decided."""
        rule, lot = self.terms["tie_rule"], f"{self.lot}:{len(self.rounds)}"
        if len(last_placed) == 1:
            return last_placed[0], ""
        if rule == "first":
            return max(last_placed, key=lambda column: self.last(ballots, column)), "first"
        others = [column for column in last_placed if column not in self.captain]
        if not others:
            return max(last_placed, key=self.captain.index), "captain"
        if self.captain and len(others) == 1:
            return others[0], "captain"
        return others[draw(lot, len(others))], "lot"


# ------------------------------------------------------------------ hashes
def sha256(text):
    return hashlib.sha256(text.encode("ascii")).digest()


def lots_of(seed):
    """Return the commitments to a turn's seed: if it alone decides draws, as before version 5, and since."""
    return tuple(sha256(f"{label}:{seed}").hex() for label in ("crowdgame lot", "crowdgame lot 2"))


def mix_seed(seed, lot, red, yellow):
    """Return what decides the draws of a turn with these roots, empty for a side that doesn't move."""
    return seed if lot == lots_of(seed)[0] else sha256(f"{seed}:{red}:{yellow}").hex()


def draw(lot, among):
    return int.from_bytes(sha256(lot), "big") % among


def hash_node(left, right):
    try:
        return hashlib.sha256(b"\x01" + bytes.fromhex(left) + bytes.fromhex(right)).hexdigest()
    except ValueError:
        return ""


def hash_leaf(text):
    return hashlib.sha256(b"\x00" + text.encode("ascii")).digest()


def merkle_root(leaves):
    """RFC 6962: hash pairs level by level. A last node without a partner moves up unchanged."""
    level = list(leaves)
    if not level:
        return hashlib.sha256(b"").hexdigest()
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2])
        above = [hashlib.sha256(b"\x01" + left + right).digest() for left, right in pairs]
        level = above + level[len(above) * 2 :]
    return level[0].hex()


# ------------------------------------------------------------------ the rules
def new_game(slug, options):
    if slug not in GAMES:
        return UnknownGame()
    return GAMES[slug][0](check_options(slug, options))


def draw_options(options, lot):
    """Return the options with everything drawn that they leave to the lot."""
    drawn = {name: SIDES[lot % 2] if value == "lot" else value for name, value in options.items()}
    if "prizes" not in options:
        return drawn
    left, order = list(range(1, options["cards"] + 1)), []
    if options["prizes"] == "falling":
        left.reverse()
    for size in range(len(left), 0, -1):
        below = math.factorial(size - 1)
        place, lot = divmod(lot % (size * below) if options["prizes"] == "lot" else 0, below)
        order.append(left.pop(place))
    return dict(options, order=options["order"] or order)


def check_options(slug, options):
    """Return the options of a known game, completed by its defaults."""
    known = GAMES[slug][1]
    given = dict({name: values[0] if values else [] for name, values in known.items()}, **options)
    for name, value in given.items():
        values = known.get(name, ())
        fits = values is None or any(type(value) is type(v) and value == v for v in values)
        if not fits:
            raise InvalidRecord("the match: the game has no such option or value")
    return given


class UnknownGame:
    """A game whose rules are not in this script. It accepts the choices that the record calls legal."""

    columns, result = 0, None

    def to_move(self):
        return None

    def legal(self, side, said):
        return said

    def play(self, where, red, yellow):
        pass


class Grid:
    """A vertical grid: `stacks[i]` is column i + 1 from the bottom up."""

    def __init__(self, options):
        self.columns, self.rows = options["columns"], options["rows"]
        self.stacks = [[] for _ in range(self.columns)]
        self.result = "open"

    def open_columns(self):
        return [i for i, stack in enumerate(self.stacks, 1) if len(stack) < self.rows]

    def legal(self, side, said):
        return self.open_columns()

    def check(self, where, side, pick):
        if pick not in self.open_columns():
            raise InvalidRecord(f"{where}, {side}: column {pick} is full or does not exist")

    def drop(self, side, column):
        """Drop a ball. Returns its cell, or None if the column is full."""
        stack = self.stacks[column - 1]
        if len(stack) == self.rows:
            return None
        stack.append(side)
        return column - 1, len(stack) - 1

    def at(self, column, row):
        inside = 0 <= column < self.columns and 0 <= row < len(self.stacks[column])
        return self.stacks[column][row] if inside else None

    def has_line(self, cell):
        """Return whether the ball in this cell is part of a line of four or more."""
        side = self.at(*cell)
        for step in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for direction in (1, -1):
                column, row = cell[0] + direction * step[0], cell[1] + direction * step[1]
                while self.at(column, row) == side:
                    length += 1
                    column, row = column + direction * step[0], row + direction * step[1]
            if length >= LINE:
                return True
        return False

    def open_or_draw(self):
        return "open" if self.open_columns() else "draw"


class Simultaneous(Grid):
    """Both drop. In the same column, the token's holder drops first, and the token changes sides."""

    def __init__(self, options):
        super().__init__(options)
        if options["token"] == "lot":
            raise InvalidRecord("the match: the random draw for the token is missing")
        self.token, self.tie = options["token"], options["tie"]

    def to_move(self):
        return SIDES

    def play(self, where, red, yellow):
        picks = {"red": red, "yellow": yellow}
        for side in SIDES:
            if picks[side] is not None:
                self.check(where, side, picks[side])
        holder, other = self.token, "yellow" if self.token == "red" else "red"
        sides = [side for side in (holder, other) if picks[side] is not None]
        dropped = [(side, self.drop(side, picks[side])) for side in sides]
        winners = {side for side, cell in dropped if cell is not None and self.has_line(cell)}
        if len(winners) == len(SIDES):
            self.result = holder if self.tie == "holder" else other
        else:
            self.result = winners.pop() if winners else self.open_or_draw()
        if red is not None and red == yellow:
            self.token = other


class SingleSelector(Simultaneous):
    """The token's holder chooses first, the other side in the next turn. Then both drop as if at once."""

    def __init__(self, options):
        super().__init__(options)
        self.chosen = None

    def to_move(self):
        other = "yellow" if self.token == "red" else "red"
        return (self.token if self.chosen is None else other,)

    def play(self, where, red, yellow):
        picks = {"red": red, "yellow": yellow}
        for side in SIDES:
            if picks[side] is not None and side not in self.to_move():
                raise InvalidRecord(f"{where}, {side}: it was not its turn")
        if self.chosen is None:
            if picks[self.token] is not None:
                self.check(where, self.token, picks[self.token])
            self.chosen = {self.token: picks[self.token]}
        else:
            both = dict(picks, **self.chosen)
            self.chosen = None
            super().play(where, both["red"], both["yellow"])


class Alternating(Grid):
    """One side drops per turn. Without a pick, it passes."""

    def __init__(self, options):
        super().__init__(options)
        if options["first"] == "lot":
            raise InvalidRecord("the match: the random draw for the first move is missing")
        self.mover = options["first"]

    def to_move(self):
        return (self.mover,)

    def play(self, where, red, yellow):
        mover, other = (self.mover, "yellow" if self.mover == "red" else "red")
        picks = {"red": red, "yellow": yellow}
        if picks[other] is not None:
            raise InvalidRecord(f"{where}, {other}: it was not its turn")
        won = False
        if picks[mover] is not None:
            self.check(where, mover, picks[mover])
            won = self.has_line(self.drop(mover, picks[mover]))
        self.result = mover if won else self.open_or_draw()
        self.mover = other


class Trails:
    """Both heads move at once: 1 up, 2 right, 3 down, 4 left. A head that hits a trail or the edge loses."""

    columns = 4
    fields = {"small": (9, 7), "large": (13, 9)}
    steps = {1: (0, -1), 2: (1, 0), 3: (0, 1), 4: (-1, 0)}

    def __init__(self, options):
        self.width, self.height = self.fields[options["field"]]
        row = (self.height + 1) // 2
        self.heads, self.going = {"red": (2, row), "yellow": (self.width - 1, row)}, {"red": 2, "yellow": 4}
        self.walls, self.result = set(self.heads.values()), "open"

    def to_move(self):
        return SIDES

    def legal(self, side, said):
        back = {1: 3, 2: 4, 3: 1, 4: 2}[self.going[side]]
        return [way for way in self.steps if way != back]

    def play(self, where, red, yellow):
        for side, way in (("red", red), ("yellow", yellow)):
            if way is not None and way not in self.legal(side, ()):
                raise InvalidRecord(f"{where}, {side}: it cannot move in direction {way}")
            self.going[side] = way or self.going[side]
            step = self.steps[self.going[side]]
            self.heads[side] = self.heads[side][0] + step[0], self.heads[side][1] + step[1]
        met = self.heads["red"] == self.heads["yellow"]
        crashed = [side for side in SIDES if met or self.is_wall(self.heads[side])]
        self.walls |= set(self.heads.values())
        if crashed:
            self.result = "draw" if len(crashed) > 1 else "yellow" if crashed == ["red"] else "red"

    def is_wall(self, cell):
        inside = 1 <= cell[0] <= self.width and 1 <= cell[1] <= self.height
        return not inside or cell in self.walls


class Goofspiel:
    """Each turn has a prize, worth its number. The higher card wins it; cards that were bid are gone."""

    def __init__(self, options):
        self.columns, self.waits = options["cards"], options["tie"] == "waits"
        self.prizes = read_integers(options, "order", MATCH)
        cards = list(range(1, self.columns + 1))
        if sorted(self.prizes) != cards:
            raise InvalidRecord("the match: the random draw for the order of the prizes is missing")
        fixed = {"rising": cards, "falling": cards[::-1]}
        if self.prizes != fixed.get(options["prizes"], self.prizes):
            raise InvalidRecord("the match: the prizes are not in the order of the options")
        self.hands, self.points = {side: set(cards) for side in SIDES}, {"red": 0, "yellow": 0}
        self.at_stake, self.result = self.prizes[:1], "open"
        self.prizes = self.prizes[1:]

    def to_move(self):
        return SIDES

    def legal(self, side, said):
        return sorted(self.hands[side])

    def play(self, where, red, yellow):
        bids = {"red": red, "yellow": yellow}
        for side, card in bids.items():
            if card is not None and card not in self.hands[side]:
                raise InvalidRecord(f"{where}, {side}: it does not have the card {card}")
            self.hands[side] -= {card}
        following, self.prizes = self.prizes[:1], self.prizes[1:]
        if red == yellow:
            waiting = self.at_stake if self.waits and following else []
            self.at_stake = waiting + following
        else:
            self.points["red" if (red or 0) > (yellow or 0) else "yellow"] += sum(self.at_stake)
            self.at_stake = following
        if not self.at_stake or not all(self.hands.values()):
            red_points, yellow_points = self.points["red"], self.points["yellow"]
            self.result = (
                "draw" if red_points == yellow_points else "red" if red_points > yellow_points else "yellow"
            )


#: Options with all their values, the default first. None: the game checks the value.
WITH_TOKEN = {
    "columns": (7, 6),
    "rows": (MAX_ROWS,),
    "token": ("red", "yellow", "lot"),
    "tie": ("holder", "other"),
}
#: By slug: the rules and their options.
GAMES = {
    "simultaneous-captains-mistress": (Simultaneous, WITH_TOKEN),
    "single-selector": (SingleSelector, WITH_TOKEN),
    "captains-mistress": (
        Alternating,
        {"columns": (7, 6), "rows": (MAX_ROWS,), "first": ("lot", "red", "yellow")},
    ),
    "trails": (Trails, {"field": ("small", "large")}),
    "goofspiel": (
        Goofspiel,
        {
            "cards": (7, 5, 9),
            "prizes": ("lot", "rising", "falling"),
            "tie": ("waits", "nobody"),
            "order": None,
        },
    ),
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
