"""Altered and malformed match records that every verifier must reject."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import Any

from games.engine.game import other_side
from tests.voting.sample_histories import SECRET
from tests.voting.sample_matches import Record

Alteration = Callable[[Record], None]
#: The name of a record, its alteration, and how a line about it starts, as a regular expression.
Altered = tuple[str, Alteration, str]


def value_at(record: Record, path: Sequence[Any]) -> Any:
    return reduce(getitem, path, record)


def value_paths(value: Any, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*prefix, key)
        yield from value_paths(item, (*prefix, key))


def put(*path: Any, to: Any) -> Alteration:
    """Replace the value at this path by `to`, or by what the function `to` returns for it."""
    *way, last = path

    def alter(record: Record) -> None:
        part = value_at(record, way)
        part[last] = to(deepcopy(part[last])) if callable(to) else to

    return alter


def _of_turns(to: Callable[[list[Any]], list[Any]]) -> Alteration:
    def alter(record: Record) -> None:
        for part in ("turns", "counts"):
            record[part] = to(record[part])

    return alter


def _of_side(turn: int, side: str, *path: Any, to: Any, match: str = "lots") -> Altered:
    return match, put("counts", turn - 1, side, *path, to=to), f"turn {turn}, {side}"


def _parts(match: str, turn: int, side: str, **parts: Any) -> Altered:
    return _of_side(turn, side, to=lambda counted: counted | parts, match=match)


def _first_ballot(match: str, choice: int) -> Altered:
    return _of_side(1, "red", "ballots", 0, 0, to=choice, match=match)


def _terms(match: str, **terms: Any) -> Altered:
    return match, put("terms", to=lambda before: before | terms), "turn 1"


def _ended(match: str, **changes: str | None) -> Altered:
    return match, lambda record: record.update(changes), "the match"


def _secret(*path: Any, to: Any, said: str) -> Altered:
    return SECRET, put("sides", *path, to=to), said


def _seals(number: int, *path: Any, to: Any) -> Alteration:
    return put("counts", number, "seals", *path, to=to)


def _other_digit(digits: str) -> str:
    return ("1" if digits[0] == "0" else "0") + digits[1:]


def _without_last(values: list[Any]) -> list[Any]:
    return values[:-1]


def _swap_first(values: list[Any]) -> list[Any]:
    return [values[1], values[0], *values[2:]]


def _play_and_count(record: Record) -> None:
    record["turns"][0]["red"] = record["counts"][0]["red"]["pick"] = 5


def _other_captain(record: Record) -> None:
    """Mark another ballot, with another choice, as the captain's."""
    red = record["counts"][0]["red"]
    choice = red["ballots"][red["captain"]][0]
    red["captain"] = next(index for index, ballot in enumerate(red["ballots"]) if ballot[0] != choice)


def _late_winner(record: Record) -> None:
    """Let the ballots for the column that won a tie by arrival arrive last."""
    red = record["counts"][0]["red"]
    red["arrivals"].sort(key=lambda index: red["ballots"][index][0] == red["pick"])


def _copied(*path: Any, to: tuple[Any, ...]) -> Alteration:
    return lambda record: put(*to, to=value_at(record, path))(record)


def _swap_seeds(record: Record) -> None:
    """Give a void turn the seed of a turn that counts: its draws were known then."""
    record["voided"][0] |= {name: record["counts"][0][name] for name in ("seed", "lot")}


ZEROS = "0" * 64
AGREED = {"result": "draw", "ended_by": "agreed", "state": "ended"}
NO_CAUSE = ".*has a seal that was replaced without a cause"
NO_LOSS = "turn 1: `restored` does not fit its epoch"
NO_COMMITMENT = "the ballots and side changes do not match"
NOT_LAST = "turn 2: the seal published last is not the one that counts"

ALTERED: dict[str, Altered] = {
    "ballot blind changed": _of_side(2, "yellow", "ballots", 1, 1, to=_other_digit),
    "ballots swapped": _of_side(1, "red", "ballots", to=_swap_first),
    "ballot added": _of_side(5, "yellow", "ballots", to=lambda ballots: [*ballots, [6, "0" * 32]]),
    "played pick changed": ("lots", put("turns", 0, "red", to=5), "turn 1, red"),
    "played and counted pick changed": ("lots", _play_and_count, "turn 1, red"),
    "count changed": _of_side(1, "yellow", "counts", 0, to=lambda count: count + 1),
    "seed changed": ("lots", put("counts", 2, "seed", to=_other_digit), "turn 3"),
    "lot commitment changed": ("lots", put("counts", 2, "lot", to=_other_digit), "turn 3"),
    "deciding rule changed": _of_side(1, "red", "decided_by", to="first"),
    "legal column removed": _of_side(3, "red", "legal", to=_without_last),
    "ending changed": ("lots", put("ended_by", to="forfeit"), "the match"),
    "terms changed": ("lots", put("terms", "tally_method", to="lottery"), "turn 1, red"),
    "turns swapped": ("lots", _of_turns(_swap_first), "turn"),
    "last turn removed": ("lots", _of_turns(_without_last), "the match"),
    "last count removed": ("lots", put("counts", to=_without_last), "the match: it has"),
    "turn repeated": ("lots", put("counts", to=lambda turns: [*turns[:4], turns[3], *turns[5:]]), "turn 5"),
    "turn id changed": ("lots", put("counts", 0, "turn", to=lambda turn: turn + 1_000), "turn 1, red"),
    "seal time changed": ("lots", put("counts", 1, "sealed_at", to=lambda at: at + 10**6), "turn 2"),
    "count of a side removed": _of_side(1, "yellow", to=None),
    "rounds removed": _parts("runoff", 1, "red", rounds=[]),
    "rounds without runoff": _parts("approval", 1, "red", rounds=[[1, 2, 0, 2, 0, 0, 0]]),
    "wall ignored": ("trails", put("result", to="yellow"), "the match"),
    "step back": ("trails", put("turns", 1, "yellow", to=3), "turn 2"),
    "prizes reordered": ("goofspiel", put("options", "order", to=_swap_first), "the match"),
    "token swapped": ("lots", put("options", "token", to=other_side), "the match"),
    "start redrawn": ("goofspiel", put("draw", "seed", to=_other_digit), "the match"),
    "draw of another seed": ("lots", put("draw", "lot", to=_other_digit), "the match"),
    "unknown prize": ("goofspiel", put("options", "order", 0, to=6), "the match"),
    "card bid twice": _of_side(2, "red", "legal", to=[1, 2, 3, 4, 5], match="goofspiel"),
    "captain changed": ("captain", _other_captain, "turn 1, red"),
    "winner arrived last": ("first", _late_winner, "turn 1, red"),
    "arrival missing": _of_side(1, "red", "arrivals", to=_without_last, match="first"),
    "arrival repeated": _of_side(1, "red", "arrivals", to=lambda a: [a[0], *a[:-1]], match="first"),
    "arrivals removed": _of_side(1, "red", "arrivals", to=[], match="first"),
    "arrivals without need": _parts("lots", 1, "red", arrivals=[0, 1, 2]),
    "captain removed": _parts("captain ranks", 1, "yellow", captain=None),
    "captain index too high": _parts("captain", 1, "red", captain=4),
    "captain index negative": _parts("captain", 1, "red", captain=-1),
    "captain without tie rule": _parts("approval", 1, "red", captain=0),
    "resignation removed": _parts("resigned", 2, "red", pick=4, decided_by="approval"),
    "empty set": _first_ballot("approval", 2**29),
    "set of one column": _first_ballot("approval", 2**29 + 1),
    "set with unknown column": _first_ballot("approval", 2**29 + 1 + 2**7),
    "ranking for approval": _first_ballot("approval", 1 + 2 * 256),
    "set for ranking": _first_ballot("runoff", 2**29 + 3),
    "ranking of four columns": _first_ballot("runoff", 1 + 2 * 256 + 3 * 256**2 + 4 * 256**3),
    "ranking with duplicate column": _first_ballot("runoff", 1 + 256),
    "ranking with gap": _first_ballot("runoff", 1 + 2 * 256**2),
    "set for plurality": _first_ballot("lots", 2**29 + 3),
    "points for unknown column": _first_ballot("score", 2**29 + 5 + 6**7),
    "single point as set": _first_ballot("score", 2**29 + 6),
    "ranking for score": _first_ballot("score", 1 + 2 * 256),
    "total points changed": _parts("score", 1, "red", counts=[6, 6, 0, 1, 0, 0, 1]),
    "captain's points ignored": _parts("score", 1, "yellow", pick=5),
    "points counted as approvals": _terms("score", tally_method="approval"),
    "resignation not allowed": _first_ballot("lots", 2**30 + 1),
    "two resignation flags": _first_ballot("resigned", 2**31 + 3),
    "resignation without column": _first_ballot("resigned", 2**30),
    "draw not allowed": _first_ballot("lots", 2**31 + 1),
    "draw and resignation": _first_ballot("draw accepted", 2**31 + 2**30 + 3),
    "draw offers not in the terms": _terms("draw accepted", draw_offers=False),
    "agreed draw denied": ("draw accepted", put("ended_by", to="board"), "the match"),
    "agreed draw left out": _ended("draw offered by both", result="open", ended_by=None),
    "lapsed offer accepted": _ended("draw offers lapsed", **AGREED),
    "offer accepted after a win": _ended("won despite offers", **AGREED),
    "played on after a draw": ("draw accepted in secret", _of_turns(lambda them: [*them, them[1]]), "turn 4"),
    "resign share changed": _terms("both resigned", resign="all"),
    "resolved before the seal": (
        "lots",
        put("counts", 1, to=lambda turn: turn | {"resolved_at": turn["sealed_at"] - 1}),
        "turn 2: it was resolved before it was sealed$",
    ),
    "id of an earlier turn": ("lots", put("counts", 1, "turn", to=1), r"turn 2: its id \d+ is not higher"),
    "voter removed": _secret("summary", "turns", 0, "red", to=1, said=r"turn 1: red has (\d|more) ballots"),
    "side change removed": _secret("turns", 1, "side_changes", to=[], said=f"turn 2: {NO_COMMITMENT}"),
    "other blind": _secret("turns", 1, "side_changes", 0, 1, to="ab" * 16, said=f"turn 2: {NO_COMMITMENT}"),
    "other commitment": _secret("turns", 0, "turn_commitment", to=ZEROS, said=f"turn 1: {NO_COMMITMENT}"),
    "side change not counted": _secret(
        "summary", "turns", 1, "to_yellow", to=0, said="turn 2: .*side changes"
    ),
    "voter added": _secret("summary", "turns", 1, "yellow", to=9, said="(turn 2: the|the match: the number)"),
}
#: Alterations of the record of the eventful match.
_HISTORY: dict[str, tuple[Alteration, str]] = {
    "seed of a void turn": (put("voided", 0, "seed", to="0" * 32), ".*seed that does not match"),
    "the same seed": (_swap_seeds, ".*has the seed of a turn that counts"),
    "void turn that counts": (_copied("counts", 0, "turn", to=("voided", 0, "turn")), ".*also counts"),
    "void turn after its replacement": (put("voided", 0, "turn", to=10**12), ".*is later than turn 2"),
    "void turns out of order": (put("voided", to=lambda turns: turns[::-1]), ".*in the order of the ids"),
    "void turn without a reason": (put("voided", 0, "reason", to=None), ".*has only one of"),
    "void seal that counts": (
        _copied("counts", 0, "sealed_at", to=("counts", 0, "seals", 0, "at")),
        "turn 1: a void seal has the time of another seal",
    ),
    "no seals": (_seals(1, to=[]), NOT_LAST),
    "seal of another time": (_seals(1, 0, "at", to=1), NOT_LAST),
    "seal of another root": (_seals(1, 0, "red", to=ZEROS), NOT_LAST),
    "seal of another epoch": (_seals(1, 0, "epoch", to=2), NOT_LAST),
    "seal that never counted at the end": (_seals(1, to=lambda seals: [*seals, {"at": 1}]), NOT_LAST),
    "void seal at the end": (
        _copied("counts", 0, "seals", 0, "void", to=("counts", 1, "seals", 0, "void")),
        NOT_LAST,
    ),
    "replaced seal without a cause": (_seals(0, 0, "void", to=None), NO_CAUSE),
    "lost box without an epoch": (_seals(0, 0, "void", "reason", to="box_lost"), NO_CAUSE),
    "epoch after that of the next seal": (
        _seals(0, 0, "void", to=lambda void: void | {"reason": "box_lost", "epoch": 3}),
        NO_CAUSE,
    ),
    "seal of a void turn unexplained": (put("voided", 0, "seals", to=lambda a: [*a, {"at": 1}]), NO_CAUSE),
    "loss denied": (put("counts", 0, "epoch", to=1), NO_LOSS),
    "loss invented": (put("counts", 1, "restored", to="phones"), "turn 2: `restored` does not fit"),
    "backup denied": (put("counts", 0, "epoch", to=5_000), NO_LOSS),
    "ended match said to be aborted": (put("state", to="aborted"), ".*`state` is aborted"),
}
ALTERED |= {name: ("eventful", *altered) for name, altered in _HISTORY.items()}

#: Values of a wrong type, or that cannot be.
WRONG_VALUES: list[tuple[str, tuple[Any, ...], Any]] = [
    (SECRET, ("terms", "max_side_changes"), None),
    (SECRET, ("terms", "max_side_changes"), 1.0),
    (SECRET, ("terms", "turn_points"), None),
    (SECRET, ("sides", "summary", "loyal"), []),
    (SECRET, ("sides", "summary", "loyal", 0), -1),
    (SECRET, ("sides", "summary", "in_time"), True),
    (SECRET, ("sides", "summary", "too_soon"), 2**53),
    (SECRET, ("sides", "turns", 1, "side_changes", 0, 1), "\u2028"),
    (SECRET, ("counts", 0, "red", "root"), "x"),
    ("runoff", ("counts", 0, "red", "rounds", 0, 0), 1.0),
    ("runoff", ("counts", 0, "red", "rounds", 0, 0), True),
    ("eventful", ("state",), "paused"),
    ("eventful", ("voided",), None),
    ("eventful", ("voided", 0), 1),
    ("eventful", ("voided", 0, "number"), 0),
    ("eventful", ("voided", 0, "reason"), "boredom"),
    ("eventful", ("voided", 0, "seals", 0), {"at": 1, "red": "x"}),
    ("eventful", ("counts", 0, "epoch"), 0),
    ("eventful", ("counts", 0, "epoch"), True),
    ("eventful", ("counts", 0, "restored"), "memory"),
    ("eventful", ("counts", 0, "void_seals"), [{"red": ZEROS}]),
    ("eventful", ("counts", 0, "seals", 0), {"red": ZEROS}),
    ("eventful", ("counts", 0, "seals", 0, "epoch"), None),
    ("eventful", ("counts", 0, "seals", 0, "epoch"), 0),
    ("eventful", ("counts", 0, "seals", 0, "void"), 1),
    ("eventful", ("counts", 0, "seals", 0, "void", "reason"), "boredom"),
    ("eventful", ("counts", 0, "seals", 0, "void", "epoch"), 0),
    ("eventful", ("counts", 0, "seals", 0, "void", "at"), None),
]

#: Patterns in the text of a record and replacements that a lenient parser reads as equal.
DISGUISES = {
    "true for legal column": (r'"legal": \[1,', '"legal": [true,'),
    "float for legal column": (r'"legal": \[1, 2,', '"legal": [1, 2.0,'),
    "false for count": (r'"counts": \[0,', '"counts": [false,'),
    "float for count": (r'"counts": \[0,', '"counts": [0.0,'),
    "true for ballot column": (r'\[1, "', '[true, "'),
    "float for ballot column": (r'\[4, "', '[4.0, "'),
    "float for counted pick": (r'"pick": (\d)', r'"pick": \1.0'),
    "float for played pick": (r'"turns": \[\{"red": (\d)', r'"turns": [{"red": \1.0'),
    "float for turn id": (r'"turn": (\d+)', r'"turn": \1.0'),
    "float for time": (r'"sealed_at": (\d+)', r'"sealed_at": \1.0'),
    "text for pick": (r'"pick": (\d)', r'"pick": "\1"'),
    "duplicate result key": (r'"result":', '"result": "yellow", "result":'),
    "duplicate root key": (r'"root":', '"root": null, "root":'),
    "duplicate unknown key": (r"^\{", '{"x": 1, "x": 2, '),
    "NaN": (r"^\{", '{"x": NaN, '),
    "lone surrogate": (r'"name": "', '"name": "\\\\ud800'),
}
