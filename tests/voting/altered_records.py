"""Altered and malformed match records that every verifier must reject."""

from collections.abc import Callable
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import Any

from tests.voting.sample_matches import Record

Alteration = Callable[[Record], None]


def _set(*path: Any, to: Any) -> Alteration:
    """Replace the value at this path by `to`, or by what the function `to` returns for it."""
    *way, last = path

    def alter(record: Record) -> None:
        part: Any = reduce(getitem, way, record)
        part[last] = to(deepcopy(part[last])) if callable(to) else to

    return alter


def _set_side(turn: int, side: str, *path: Any, to: Any) -> tuple[Alteration, str]:
    return _set("counts", turn - 1, side, *path, to=to), f"turn {turn}, {side}"


def _all(*alterations: Alteration) -> Alteration:
    def alter_all(record: Record) -> None:
        for alter in alterations:
            alter(record)

    return alter_all


def _with_other_first_digit(digits: str) -> str:
    return ("1" if digits[0] == "0" else "0") + digits[1:]


def _without_last(values: list[Any]) -> list[Any]:
    return values[:-1]


def _swap_first(values: list[Any]) -> list[Any]:
    return [values[1], values[0], *values[2:]]


PLAYED, COUNTED = _set("turns", 0, "red", to=5), _set_side(1, "red", "pick", to=5)[0]

#: Alterations of the record "lots", each with the place that both verifiers must name.
ALTERATIONS: dict[str, tuple[Alteration, str]] = {
    "ballot column changed": _set_side(1, "red", "ballots", 2, 0, to=3),
    "ballot blind changed": _set_side(2, "yellow", "ballots", 1, 1, to=_with_other_first_digit),
    "ballots swapped": _set_side(1, "red", "ballots", to=_swap_first),
    "ballot removed": _set_side(4, "red", "ballots", to=_without_last),
    "ballot added": _set_side(5, "yellow", "ballots", to=lambda ballots: [*ballots, [6, "0" * 32]]),
    "played pick changed": (PLAYED, "turn 1, red"),
    "counted pick changed": (COUNTED, "turn 1, red"),
    "played and counted pick changed": (_all(PLAYED, COUNTED), "turn 1, red"),
    "count changed": _set_side(1, "yellow", "counts", 0, to=lambda count: count + 1),
    "seed changed": (_set("counts", 2, "seed", to=_with_other_first_digit), "turn 3"),
    "lot commitment changed": (_set("counts", 2, "lot", to=_with_other_first_digit), "turn 3"),
    "root changed": _set_side(4, "red", "root", to=_with_other_first_digit),
    "deciding rule changed": _set_side(1, "red", "decided_by", to="first"),
    "legal column removed": _set_side(3, "red", "legal", to=_without_last),
    "result changed": (_set("result", to="yellow"), "the match"),
    "ending changed": (_set("ended_by", to="forfeit"), "the match"),
    "terms changed": (_set("terms", "tally_method", to="lottery"), "turn 1, red"),
    "turns swapped": (_all(_set("turns", to=_swap_first), _set("counts", to=_swap_first)), "turn"),
    "last turn removed": (
        _all(_set("turns", to=_without_last), _set("counts", to=_without_last)),
        "the match",
    ),
    "turn repeated": (_set("counts", to=lambda turns: [*turns[:4], turns[3], *turns[5:]]), "turn 5"),
    "turn id changed": (_set("counts", 0, "turn", to=lambda turn: turn + 1_000), "turn 1, red"),
    "seal time changed": (
        _set("counts", 1, to=lambda turn: turn | {"sealed_at": turn["resolved_at"] + 1}),
        "turn 2",
    ),
    "count of a side removed": _set_side(1, "yellow", to=None),
}


def _alter_side(match: str, turn: int, side: str, **parts: Any) -> tuple[str, Alteration, str]:
    alter, place = _set_side(turn, side, to=lambda counted: counted | parts)
    return match, alter, place


def _other_captain(record: Record) -> None:
    """Mark another ballot, with another choice, as the captain's."""
    red = record["counts"][0]["red"]
    choice = red["ballots"][red["captain"]][0]
    red["captain"] = next(index for index, ballot in enumerate(red["ballots"]) if ballot[0] != choice)


def _late_winner(record: Record) -> None:
    """Let the ballots for the column that won a tie by arrival arrive last."""
    red = record["counts"][0]["red"]
    red["arrivals"].sort(key=lambda index: red["ballots"][index][0] == red["pick"])


def _arrivals(to: Callable[[list[int]], list[int]]) -> tuple[str, Alteration, str]:
    return ("first", *_set_side(1, "red", "arrivals", to=to))


def _first_ballot(match: str, choice: int) -> tuple[str, Alteration, str]:
    return (match, *_set_side(1, "red", "ballots", 0, 0, to=choice))


def _terms(match: str, **terms: Any) -> tuple[str, Alteration, str]:
    return match, _set("terms", to=lambda before: before | terms), "turn 1"


def _agreed(match: str) -> tuple[str, Alteration, str]:
    changes = {"result": "draw", "ended_by": "agreed", "state": "ended"}
    return match, _all(*(_set(key, to=value) for key, value in changes.items())), "the match"


#: Alterations of other records, each with the place that both verifiers must name.
ALTERED_WAYS: dict[str, tuple[str, Alteration, str]] = {
    "rounds changed": _alter_side("runoff", 1, "red", rounds=[[0, 0, 0, 7, 0, 0, 0]]),
    "rounds removed": _alter_side("runoff", 1, "red", rounds=[]),
    "rounds without runoff": _alter_side("approval", 1, "red", rounds=[[1, 2, 0, 2, 0, 0, 0]]),
    "wall ignored": ("trails", _set("result", to="yellow"), "the match"),
    "step back": ("trails", _set("turns", 1, "yellow", to=3), "turn 2"),
    "prizes reordered": ("goofspiel", _set("options", "order", to=_swap_first), "the match"),
    "token swapped": (
        "lots",
        _set("options", "token", to=lambda token: "red" if token == "yellow" else "yellow"),
        "the match",
    ),
    "start redrawn": ("goofspiel", _set("draw", "seed", to=_with_other_first_digit), "the match"),
    "draw of another seed": ("lots", _set("draw", "lot", to=_with_other_first_digit), "the match"),
    "unknown prize": ("goofspiel", _set("options", "order", 0, to=6), "the match"),
    "card bid twice": ("goofspiel", _set_side(2, "red", "legal", to=[1, 2, 3, 4, 5])[0], "turn 2, red"),
    "captain changed": ("captain", _other_captain, "turn 1, red"),
    "winner arrived last": ("first", _late_winner, "turn 1, red"),
    "arrival missing": _arrivals(_without_last),
    "arrival repeated": _arrivals(lambda arrivals: [arrivals[0], *arrivals[:-1]]),
    "arrivals removed": _arrivals(lambda arrivals: []),
    "arrivals without need": _alter_side("lots", 1, "red", arrivals=[0, 1, 2]),
    "captain removed": _alter_side("captain ranks", 1, "yellow", captain=None),
    "captain index too high": _alter_side("captain", 1, "red", captain=4),
    "captain index negative": _alter_side("captain", 1, "red", captain=-1),
    "captain without tie rule": _alter_side("approval", 1, "red", captain=0),
    "resignation removed": _alter_side("resigned", 2, "red", pick=4, decided_by="approval"),
    "empty set": _first_ballot("approval", 2**29),
    "set of one column": _first_ballot("approval", 2**29 + 1),
    "set with unknown column": _first_ballot("approval", 2**29 + 1 + 2**7),
    "ranking for approval": _first_ballot("approval", 1 + 2 * 256),
    "set for ranking": _first_ballot("runoff", 2**29 + 3),
    "ranking of four columns": _first_ballot("runoff", 1 + 2 * 256 + 3 * 256**2 + 4 * 256**3),
    "ranking with duplicate column": _first_ballot("runoff", 1 + 256),
    "ranking with gap": _first_ballot("runoff", 1 + 2 * 256**2),
    "set for plurality": _first_ballot("lots", 2**29 + 3),
    "points changed": _first_ballot("score", 2**29 + 4 + 3 * 6),
    "points for unknown column": _first_ballot("score", 2**29 + 5 + 6**7),
    "single point as set": _first_ballot("score", 2**29 + 6),
    "ranking for score": _first_ballot("score", 1 + 2 * 256),
    "total points changed": _alter_side("score", 1, "red", counts=[6, 6, 0, 1, 0, 0, 1]),
    "winner by points changed": _alter_side("score", 1, "red", pick=1),
    "captain's points ignored": _alter_side("score", 1, "yellow", pick=5),
    "points counted as approvals": _terms("score", tally_method="approval"),
    "resignation not allowed": _first_ballot("lots", 2**30 + 1),
    "two resignation flags": _first_ballot("resigned", 2**31 + 3),
    "resignation without column": _first_ballot("resigned", 2**30),
    "draw not allowed": _first_ballot("lots", 2**31 + 1),
    "draw and resignation": _first_ballot("draw accepted", 2**31 + 2**30 + 3),
    "draw offers not in the terms": _terms("draw accepted", draw_offers=False),
    "agreed draw denied": ("draw accepted", _set("ended_by", to="board"), "the match"),
    "agreed draw left out": (
        "draw offered by both",
        _all(_set("result", to="open"), _set("ended_by", to=None)),
        "the match",
    ),
    "lapsed offer accepted": _agreed("draw offers lapsed"),
    "offer accepted after a win": _agreed("won despite offers"),
    "played on after a draw": (
        "draw accepted in secret",
        _all(*(_set(key, to=lambda turns: [*turns, turns[1]]) for key in ("turns", "counts"))),
        "turn 4",
    ),
    "resign share changed": _terms("both resigned", resign="all"),
    "tie rule changed": _terms("captain", tie_rule="first"),
}


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
