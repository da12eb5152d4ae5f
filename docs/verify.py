#!/usr/bin/env python3
"""Count a crowdgame match again, from its record alone: python3 verify.py RECORD.json

Nothing but Python 3.8 is needed, and nothing of the project is used: what is checked is written here a second
time. Exit status 0 when all is right, 1 with a line a fault when anything is wrong.

For every turn: the seed is the one committed to; each side to move has its ballots, all for legal columns;
their Merkle root (RFC 6962) is the one committed to; the counts are those of the ballots; the pick is what
the match's terms make of them; it is what was played; and the rules of the game make of all picks the result.
"""

import hashlib
import json
import re
import sys

SIDES = ("red", "yellow")
TERMS = {
    "tally_method": ("plurality", "lottery", "approval", "instant_runoff"),
    "tie_rule": ("first", "lot", "captain"),
    "no_ballot_rule": ("random", "pass", "forfeit"),
}
#: Which part of a side's ballots gives the match up, where the terms have a `resign`.
SHARES = {"half": (1, 2), "two_thirds": (2, 3), "three_quarters": (3, 4), "all": (1, 1)}
#: A ballot's number: with this in it wishes to resign, with that in it is a set of columns, a bit each.
RESIGN, SET = 2**30, 2**29
MAX_RANKED = 3
BLIND = re.compile(r"([0-9a-f]{32})?\Z")
MAX_ROWS = 6
LINE = 4
MATCH = "the match"


class InvalidRecord(Exception):
    """A record that cannot be counted at all, or not any further."""


def main(arguments):
    if len(arguments) != 1:
        say("usage: python3 verify.py RECORD.json")
        return 1
    faults, summary = [], ""
    try:
        summary = Recount(read(arguments[0]), faults).verify()
    except InvalidRecord as wrong:
        faults.append(str(wrong))
    for line in faults:
        say(line)
    say(f"WRONG: {len(faults)} {'fault' if len(faults) == 1 else 'faults'}" if faults else summary)
    return 1 if faults else 0


def say(text):
    """Names are other people's: nothing of them moves the cursor, and any terminal can show the line."""
    shown = "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
    encoding = sys.stdout.encoding or "utf-8"
    print(shown.encode(encoding, "replace").decode(encoding))


# ------------------------------------------------------------------ reading
def read(path):
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
        return json.loads(text, object_pairs_hook=reject_duplicate_keys, parse_constant=reject_constant)
    except OSError as error:
        raise InvalidRecord(f"the file cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InvalidRecord("the file is not JSON") from None


def reject_duplicate_keys(pairs):
    """A key told twice would be read in one way here, and in another way elsewhere."""
    parent = dict(pairs)
    if len(parent) < len(pairs):
        raise InvalidRecord("the match: a key is there twice")
    return parent


def reject_constant(name):
    raise ValueError(name)


def read_field(parent, key, kind, where):
    """A part of the record that must be there and of this kind; `None` in `kind` allows null."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(parent, dict) or key not in parent:
        raise InvalidRecord(f"{where}: `{key}` is missing")
    value = parent[key]
    fits = any(value is None if one is None else type(value) is one for one in kinds)
    if not fits or (type(value) is str and re.search("[\ud800-\udfff]", value)):
        raise InvalidRecord(f"{where}: `{key}` is not what it should be")
    return value


def read_optional(parent, key, kind, where):
    """The same for a part that may be missing: null means that it is."""
    return None if parent.get(key) is None else read_field(parent, key, kind, where)


def read_integers(parent, key, where):
    """Whole ones: to Python true is 1 as well, and so is 1.0."""
    numbers = read_field(parent, key, list, where)
    if any(type(number) is not int for number in numbers):
        raise InvalidRecord(f"{where}: `{key}` is not what it should be")
    return numbers


def read_rounds(counted, where):
    """The counts of a runoff, which other ways to count leave out."""
    rounds = read_field(counted, "rounds", list, where) if "rounds" in counted else []
    if any(type(part) is not list or [*map(type, part)] != [int] * len(part) for part in rounds):
        raise InvalidRecord(f"{where}: `rounds` is not what it should be")
    return rounds


def read_pick(picks, side, where):
    """A side left out is a side without a pick."""
    if type(picks) is not dict:
        raise InvalidRecord(f"{where}: its picks are not what they should be")
    return read_field(picks, side, (int, None), where) if side in picks else None


def is_ballot(ballot, legal, terms):
    if type(ballot) is not list or [type(part) for part in ballot] != [int, str]:
        return False
    choice, blind = ballot
    most = RESIGN if terms.get("resign") is None else 2 * RESIGN
    return 0 < choice < most and has_legal_columns(choice, legal, terms) and BLIND.match(blind) is not None


def is_side_change(change):
    """The side changed to, and a blind."""
    if type(change) is not list or [type(part) for part in change] != [str, str]:
        return False
    return change[0] in SIDES and BLIND.match(change[1]) is not None


def has_legal_columns(choice, legal, terms):
    """One column, or several in the way in which the match takes them."""
    said, columns = choice % RESIGN, decode_columns(choice)
    if not columns or len(set(columns)) < len(columns) or any(column not in legal for column in columns):
        return False
    if len(columns) == 1:
        return said == columns[0]
    if terms["tally_method"] == "instant_runoff":
        return said < SET and len(columns) <= MAX_RANKED
    return terms["tally_method"] == "approval" and said >= SET


def decode_columns(choice):
    """The columns of a ballot: a set's from left to right, a ranking's in its order, or one alone."""
    said, columns = choice % RESIGN, []
    if said >= SET:
        return [bit + 1 for bit in range(29) if (said - SET) // 2**bit % 2]
    while said:
        said, column = divmod(said, 256)
        columns.append(column)
    return columns


# ------------------------------------------------------------------ the whole match
class Recount:
    """Of one record; what is wrong goes into `faults`."""

    def __init__(self, record, faults):
        self.record, self.faults = record, faults
        if read_field(record, "format", str, MATCH) != "crowdgame match 2":
            raise InvalidRecord("the match: this is no match record of a kind known here")
        self.turns, self.counts = (read_field(record, key, list, MATCH) for key in ("turns", "counts"))
        if len(self.turns) != len(self.counts):
            raise InvalidRecord(
                f"the match: it has {len(self.turns)} turns and {len(self.counts)} counts of turns"
            )
        self.terms = read_field(record, "terms", dict, MATCH)
        for name, values in TERMS.items():
            if read_field(self.terms, name, str, MATCH) not in values:
                raise InvalidRecord(f"the match: `{name}` is not known")
        if read_optional(self.terms, "resign", str, MATCH) not in (None, *SHARES):
            raise InvalidRecord("the match: `resign` is not known")
        for name, kind in (("max_side_changes", int), ("turn_points", bool)):
            if name in self.terms:
                read_field(self.terms, name, kind, MATCH)
        self.game = new_game(
            read_field(record, "game", str, MATCH), read_field(record, "options", dict, MATCH)
        )
        read_field(record, "code", str, MATCH), read_field(record, "match", int, MATCH)
        self.sides = SecretSides(record, self.counts, self.faults)
        self.last, self.ballots = 0, 0

    def expect(self, where, what, expected, said):
        if expected != said:
            self.faults.append(f"{where}: {what} {expected}, and the record says {said}")

    def verify(self):
        """What to tell of a record that is right."""
        result = "open"
        for number, (picks, count) in enumerate(zip(self.turns, self.counts), 1):
            where = f"turn {number}"
            if result != "open":
                raise InvalidRecord(f"{where}: the match was over before it")
            self.verify_turn(where, picks, count)
            self.sides.verify_turn(where, count)
            self.game.play(where, *(read_pick(picks, side, where) for side in SIDES))
            result = self.result_after(where, count)
        self.verify_end(result)
        return self.summary()

    def verify_turn(self, where, picks, count):
        turn, seed = read_field(count, "turn", int, where), read_field(count, "seed", str, where)
        sealed, resolved = (
            read_field(count, key, (int, None), where) for key in ("sealed_at", "resolved_at")
        )
        if sealed is not None and resolved is not None and sealed > resolved:
            self.faults.append(f"{where}: it was resolved before it was sealed")
        if turn <= self.last:
            self.faults.append(f"{where}: its id {turn} is not after the one before")
        self.last = turn
        if not re.match(r"[0-9a-f]{32}\Z", seed):
            raise InvalidRecord(f"{where}: the seed is not 32 hexadecimal digits")
        if sha256(f"crowdgame lot:{seed}").hex() != read_field(count, "lot", str, where):
            self.faults.append(f"{where}: the seed is not the one that was committed to in `lot`")
        lost = losing_sides(where, count) or self.sides.deserted_side(where)
        for side in SIDES:
            place, expected = f"{where}, {side}", None
            counted = read_field(count, side, (dict, None), where)
            if (counted is None) == (side in self.game.to_move()):
                raise InvalidRecord(f"{place}: it was {'' if counted is None else 'not '}to move")
            if counted is not None:
                expected = self.verify_side(place, turn, f"{seed}:{side}", counted)
            self.expect(place, "its pick is", None if lost else expected, read_pick(picks, side, where))

    def verify_side(self, place, turn, lot, counted):
        """What the ballots come to."""
        legal, ballots = self.game.legal(), read_field(counted, "ballots", list, place)
        self.expect(place, "the legal columns were", legal, read_integers(counted, "legal", place))
        for number, ballot in enumerate(ballots, 1):
            if not is_ballot(ballot, legal, self.terms):
                raise InvalidRecord(f"{place}: ballot {number} is for no legal column, or its blind is none")
        self.ballots += len(ballots)
        side = lot.split(":")[1]
        root = merkle_root([f"{turn}:{side}:{choice}:{blind}" for choice, blind in ballots])
        self.expect(
            place, "the root of its ballots is", root, read_field(counted, "root", (str, None), place)
        )
        count = BallotCounter(
            [choice for choice, _ in ballots], self.game.columns, self.terms_for(counted), lot
        )
        captain = read_optional(counted, "captain", int, place)
        if captain is not None:
            count.captain = self.captain_columns(place, counted["ballots"], captain)
        self.expect(place, "the counts are", count.first, read_integers(counted, "counts", place))
        pick, decided_by = count.decide(legal)
        self.expect(place, "the rounds are", count.rounds, read_rounds(counted, place))
        self.expect(place, "the ballots come to", pick, read_field(counted, "pick", (int, None), place))
        self.expect(place, "it was decided by", decided_by, read_field(counted, "decided_by", str, place))
        return pick

    def captain_columns(self, place, ballots, at):
        """The columns that the captain's ballot names."""
        if self.terms["tie_rule"] != "captain" or not 0 <= at < len(ballots):
            raise InvalidRecord(f"{place}: no ballot of a captain is at {at}")
        return decode_columns(ballots[at][0])

    def terms_for(self, counted):
        """Who ran out of time is said, not shown: of two without a ballot one may have had time left."""
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
        return self.game.result

    def verify_end(self, result):
        self.expect(MATCH, "the result is", result, read_field(self.record, "result", str, MATCH))
        lost = losing_sides("the last turn", self.counts[-1]).values() if self.counts else ()
        by_time = "time" if self.record.get("ended_by") == "time" else "forfeit"
        given_up = by_time if "forfeit" in lost else "resign"
        ended_by = None if result == "open" else given_up if lost else "board"
        if self.counts and self.sides.deserted_side(f"turn {len(self.counts)}"):
            ended_by = "deserted"
        self.expect(
            MATCH, "it was ended by", ended_by, read_field(self.record, "ended_by", (str, None), MATCH)
        )

    def summary(self):
        name, result = read_field(self.record, "name", str, MATCH), self.record["result"]
        teams = read_field(self.record, "teams", dict, MATCH)
        red, yellow = read_field(teams, "red", str, MATCH), read_field(teams, "yellow", str, MATCH)
        ends = {
            "open": "RIGHT as far as it goes: the match has no result",
            "draw": "RIGHT: nobody won",
            "red": f"RIGHT: red won, {red}",
            "yellow": f"RIGHT: yellow won, {yellow}",
        }
        counted = f"{len(self.turns)} turns, {self.ballots} ballots"
        right = "every ballot, root, lot, pick and rule is right"
        return f"{name}: {red} (red) against {yellow} (yellow)\n{counted}: {right}\n{ends.get(result, '')}"


class SecretSides:
    """Where they were secret: how many were on each, a turn, and who changed over before it."""

    def __init__(self, record, counts, faults):
        self.faults, self.turns = faults, {}
        secret = record["terms"].get("max_side_changes", 0)
        sides = read_optional(record, "sides", dict, MATCH)
        if sides is None:
            if secret and record.get("result") != "open":
                raise InvalidRecord("the match: its sides were secret, and nothing tells of them")
            return
        story, side_changes = (
            read_field(sides, "summary", dict, MATCH),
            read_field(sides, "turns", list, MATCH),
        )
        held, loyal = read_field(story, "turns", list, MATCH), read_integers(story, "loyal", MATCH)
        people = [*loyal, *(read_field(story, key, int, MATCH) for key in ("in_time", "too_soon"))]
        if len(loyal) != len(SIDES) or not all(0 <= number < 2**53 for number in people):
            raise InvalidRecord("the match: what its sides came to is not what it should be")
        if not len(held) == len(side_changes) == len(counts):
            raise InvalidRecord("the match: its secret sides are not told turn by turn")
        self.left, before = {"red": 0, "yellow": 0}, None
        for number, (now, change) in enumerate(zip(held, side_changes), 1):
            before = self.read_turn(f"turn {number}", now, change, before)

    def read_turn(self, where, now, change, before):
        red, yellow, to_red, to_yellow = (
            read_field(now, key, int, where) for key in ("red", "yellow", "to_red", "to_yellow")
        )
        if before and (red, yellow) != (before[0] + to_red - to_yellow, before[1] + to_yellow - to_red):
            self.faults.append(f"{where}: the changes of side do not lead to it from the turn before")
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
            raise InvalidRecord(f"{where}: a change of side is not what it should be")
        came = tuple(sum(side == one for one, _ in side_changes) for side in SIDES)
        if came != (to_red, to_yellow):
            self.faults.append(f"{where}: {came} changed over, and the record says {(to_red, to_yellow)}")
        self.turns[where] = ({"red": red, "yellow": yellow}, abandoned, turn_commitment, side_changes)
        return red, yellow

    def deserted_side(self, where):
        """The side that everybody had left."""
        abandoned = self.turns[where][1] if where in self.turns else []
        return abandoned[0] if abandoned else None

    def verify_turn(self, where, count):
        """What was told at the seal is made of both roots and of those who changed over."""
        if where not in self.turns:
            return
        held, _, turn_commitment, side_changes = self.turns[where]
        roots = []
        for side in SIDES:
            counted = count[side] or {"ballots": [], "root": merkle_root([])}
            roots.append(counted["root"] or "")
            if len(counted["ballots"]) > held[side]:
                self.faults.append(f"{where}: more voted for {side} than were there")
        leaves = sorted((blind, side) for side, blind in side_changes)
        tree = merkle_root([f"{count['turn']}:to {side}:{blind}" for blind, side in leaves])
        if turn_commitment != hash_node(hash_node(*roots), tree):
            self.faults.append(f"{where}: ballots and changes of side are not those of `turn_commitment`")


def losing_sides(where, count):
    """The sides that gave the match up or were not there, and which of both."""
    sides = {side: read_field(count, side, (dict, None), where) or {} for side in SIDES}
    why = {side: counted.get("decided_by") for side, counted in sides.items()}
    return {side: how for side, how in why.items() if how in ("forfeit", "resign")}


class BallotCounter:
    """Of a side's ballots, in order of arrival: what each names, and the picks and rounds they come to."""

    def __init__(self, choices, columns, terms, lot):
        self.choices, self.terms, self.lot = choices, terms, lot
        self.named = [decode_columns(choice) for choice in choices]
        self.columns = range(1, columns + 1)
        self.all_columns = terms["tally_method"] == "approval"
        self.first = self.counted([named if self.all_columns else named[:1] for named in self.named])
        self.captain, self.rounds = [], []

    def counted(self, ballots):
        return [sum(column in ballot for ballot in ballots) for column in self.columns]

    def decide(self, legal):
        """The pick, and how it came about."""
        if not self.choices:
            if self.terms["no_ballot_rule"] == "random":
                return legal[draw(self.lot, len(legal))], "random"
            return None, self.terms["no_ballot_rule"]
        method = self.terms["tally_method"]
        pick = {"lottery": self.lottery, "instant_runoff": self.runoff}.get(method, self.most_votes)()
        return (None, "resign") if self.is_given_up() else pick

    def is_given_up(self):
        resigning = sum(choice >= RESIGN for choice in self.choices)
        part, total = SHARES.get(self.terms.get("resign"), (2, 1))
        return resigning > 0 and resigning * total >= len(self.choices) * part

    def lottery(self):
        return self.named[draw(self.lot, len(self.named))][0], "lottery"

    def most_votes(self):
        leaders = [column for column in self.columns if self.first[column - 1] == max(self.first)]
        if len(leaders) == 1:
            return leaders[0], self.terms["tally_method"]
        if self.terms["tie_rule"] == "first":
            return min(leaders, key=lambda column: self.last(self.named, column)), "first"
        kept = [column for column in leaders if column in self.captain]
        if self.terms["tie_rule"] == "captain" and len(kept) == 1:
            return kept[0], "captain"
        leaders = kept if self.terms["tie_rule"] == "captain" and kept else leaders
        return leaders[draw(self.lot, len(leaders))], "lot"

    def last(self, ballots, column):
        """When the last ballot for it came."""
        return max(place for place, ballot in enumerate(ballots) if column in ballot)

    def runoff(self):
        """Round by round without the last one; the ballots of whoever is out go on to their next choice."""
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
        """Of those that tie for the last place."""
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


def draw(lot, among):
    return int.from_bytes(sha256(lot), "big") % among


def hash_node(left, right):
    try:
        return hashlib.sha256(b"\x01" + bytes.fromhex(left) + bytes.fromhex(right)).hexdigest()
    except ValueError:
        return ""


def merkle_root(leaves):
    """RFC 6962: pairs become nodes, level by level; one without a partner goes up as it is."""
    level = [hashlib.sha256(b"\x00" + leaf.encode("ascii")).digest() for leaf in leaves]
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
        raise InvalidRecord("the match: the rules of this game are not in this script")
    game, known = GAMES[slug]
    given = dict({name: values[0] for name, values in known.items()}, **options)
    for name, value in given.items():
        fits = name in known and any(type(value) is type(v) and value == v for v in known[name])
        if not fits:
            raise InvalidRecord("the match: its options are not this game's")
    return game(given)


class Grid:
    """A standing cabinet: `stacks[i]` is column i + 1 from the bottom up."""

    def __init__(self, options):
        self.columns, self.rows = options["columns"], options["rows"]
        self.stacks = [[] for _ in range(self.columns)]
        self.result = "open"

    def open_columns(self):
        return [i for i, stack in enumerate(self.stacks, 1) if len(stack) < self.rows]

    def legal(self):
        return self.open_columns()

    def check(self, where, side, pick):
        if pick not in self.open_columns():
            raise InvalidRecord(f"{where}, {side}: column {pick} is full, or there is none")

    def drop(self, side, column):
        """Where it lands, or None if there is no room."""
        stack = self.stacks[column - 1]
        if len(stack) == self.rows:
            return None
        stack.append(side)
        return column - 1, len(stack) - 1

    def at(self, column, row):
        inside = 0 <= column < self.columns and 0 <= row < len(self.stacks[column])
        return self.stacks[column][row] if inside else None

    def has_line(self, cell):
        """Whether the checker there stands in a line of four or more."""
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
    """Both drop; in a conflict the token's holder first, and the token changes hands."""

    def __init__(self, options):
        super().__init__(options)
        if options["token"] == "lot":
            raise InvalidRecord("the match: the lot for the token is not drawn")
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
    """The token's holder chooses first, the other in the turn after; then both drop as if at once."""

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
                raise InvalidRecord(f"{where}, {side}: it was not to move")
        if self.chosen is None:
            if picks[self.token] is not None:
                self.check(where, self.token, picks[self.token])
            self.chosen = {self.token: picks[self.token]}
        else:
            both = dict(picks, **self.chosen)
            self.chosen = None
            super().play(where, both["red"], both["yellow"])


class Alternating(Grid):
    """One side drops a turn; without a pick the turn passes."""

    def __init__(self, options):
        super().__init__(options)
        if options["first"] == "lot":
            raise InvalidRecord("the match: the lot for who begins is not drawn")
        self.mover = options["first"]

    def to_move(self):
        return (self.mover,)

    def play(self, where, red, yellow):
        mover, other = (self.mover, "yellow" if self.mover == "red" else "red")
        picks = {"red": red, "yellow": yellow}
        if picks[other] is not None:
            raise InvalidRecord(f"{where}, {other}: it was not to move")
        won = False
        if picks[mover] is not None:
            self.check(where, mover, picks[mover])
            won = self.has_line(self.drop(mover, picks[mover]))
        self.result = mover if won else self.open_or_draw()
        self.mover = other


#: Options with all their values, the default first.
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
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
