"""Altered and malformed match records that every verifier must reject."""

import json
from collections.abc import Callable
from typing import Any

from tests.voting.sample_matches import Record

Alteration = Callable[[Record], None]


def _side(record: Record, turn: int, side: str) -> Any:
    return record["counts"][turn - 1][side]


def _with_other_first_digit(digits: str) -> str:
    return ("1" if digits[0] == "0" else "0") + digits[1:]


def _set_column(record: Record) -> None:
    _side(record, 1, "red")["ballots"][2][0] = 3


def _set_blind(record: Record) -> None:
    ballot = _side(record, 2, "yellow")["ballots"][1]
    ballot[1] = _with_other_first_digit(ballot[1])


def _swap_ballots(record: Record) -> None:
    ballots = _side(record, 1, "red")["ballots"]
    ballots[0], ballots[1] = ballots[1], ballots[0]


def _drop_ballot(record: Record) -> None:
    _side(record, 4, "red")["ballots"].pop()


def _add_ballot(record: Record) -> None:
    _side(record, 5, "yellow")["ballots"].append([6, "0" * 32])


def _set_pick_played(record: Record) -> None:
    record["turns"][0]["red"] = 5


def _set_pick_counted(record: Record) -> None:
    _side(record, 1, "red")["pick"] = 5


def _set_both_picks(record: Record) -> None:
    _set_pick_played(record)
    _set_pick_counted(record)


def _set_count(record: Record) -> None:
    _side(record, 1, "yellow")["counts"][0] += 1


def _set_seed(record: Record) -> None:
    record["counts"][2]["seed"] = _with_other_first_digit(record["counts"][2]["seed"])


def _set_lot(record: Record) -> None:
    record["counts"][2]["lot"] = _with_other_first_digit(record["counts"][2]["lot"])


def _set_root(record: Record) -> None:
    _side(record, 4, "red")["root"] = _with_other_first_digit(_side(record, 4, "red")["root"])


def _set_deciding(record: Record) -> None:
    _side(record, 1, "red")["decided_by"] = "first"


def _set_legal(record: Record) -> None:
    _side(record, 3, "red")["legal"].pop()


def _set_result(record: Record) -> None:
    record["result"] = "yellow"


def _set_end(record: Record) -> None:
    record["ended_by"] = "forfeit"


def _set_terms(record: Record) -> None:
    record["terms"]["tally_method"] = "lottery"


def _swap_turns(record: Record) -> None:
    for part in ("turns", "counts"):
        record[part][0], record[part][1] = record[part][1], record[part][0]


def _drop_turn(record: Record) -> None:
    record["turns"].pop(), record["counts"].pop()


def _repeat_turn(record: Record) -> None:
    record["counts"][4] = json.loads(json.dumps(record["counts"][3]))


def _set_turn_id(record: Record) -> None:
    record["counts"][0]["turn"] += 1_000


def _set_times(record: Record) -> None:
    record["counts"][1]["sealed_at"] = record["counts"][1]["resolved_at"] + 1


def _drop_count(record: Record) -> None:
    record["counts"][0]["yellow"] = None


#: Alterations of the record "lots", each with the place that both verifiers must name.
ALTERATIONS: dict[str, tuple[Alteration, str]] = {
    "ballot column changed": (_set_column, "turn 1, red"),
    "ballot blind changed": (_set_blind, "turn 2, yellow"),
    "ballots swapped": (_swap_ballots, "turn 1, red"),
    "ballot removed": (_drop_ballot, "turn 4, red"),
    "ballot added": (_add_ballot, "turn 5, yellow"),
    "played pick changed": (_set_pick_played, "turn 1, red"),
    "counted pick changed": (_set_pick_counted, "turn 1, red"),
    "played and counted pick changed": (_set_both_picks, "turn 1, red"),
    "count changed": (_set_count, "turn 1, yellow"),
    "seed changed": (_set_seed, "turn 3"),
    "lot commitment changed": (_set_lot, "turn 3"),
    "root changed": (_set_root, "turn 4, red"),
    "deciding rule changed": (_set_deciding, "turn 1, red"),
    "legal column removed": (_set_legal, "turn 3, red"),
    "result changed": (_set_result, "the match"),
    "ending changed": (_set_end, "the match"),
    "terms changed": (_set_terms, "turn 1, red"),
    "turns swapped": (_swap_turns, "turn"),
    "last turn removed": (_drop_turn, "the match"),
    "turn repeated": (_repeat_turn, "turn 5"),
    "turn id changed": (_set_turn_id, "turn 1, red"),
    "seal time changed": (_set_times, "turn 2"),
    "count of a side removed": (_drop_count, "turn 1, yellow"),
}


def _alter_side(match: str, turn: int, side: str, **parts: Any) -> tuple[str, Alteration, str]:
    return match, lambda record: _side(record, turn, side).update(parts), f"turn {turn}, {side}"


def _first_ballot(match: str, choice: int) -> tuple[str, Alteration, str]:
    def alter(record: Record) -> None:
        _side(record, 1, "red")["ballots"][0][0] = choice

    return match, alter, "turn 1, red"


def _terms(match: str, **terms: str) -> tuple[str, Alteration, str]:
    return match, lambda record: record["terms"].update(terms), "turn 1"


#: Alterations of other records, each with the place that both verifiers must name.
ALTERED_WAYS: dict[str, tuple[str, Alteration, str]] = {
    "rounds changed": _alter_side("runoff", 1, "red", rounds=[[0, 0, 0, 7, 0, 0, 0]]),
    "rounds removed": _alter_side("runoff", 1, "red", rounds=[]),
    "rounds without runoff": _alter_side("approval", 1, "red", rounds=[[1, 2, 0, 2, 0, 0, 0]]),
    "captain changed": _alter_side("captain", 1, "red", captain=1),
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
