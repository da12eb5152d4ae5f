"""What somebody may do to a record, and what is none but looks like one."""

import json
from collections.abc import Callable
from typing import Any

from tests.voting.recording import Record

Alteration = Callable[[Record], None]


def _side(record: Record, turn: int, side: str) -> Any:
    return record["counts"][turn - 1][side]


def _another(digits: str) -> str:
    return ("1" if digits[0] == "0" else "0") + digits[1:]


def _set_column(record: Record) -> None:
    _side(record, 1, "red")["ballots"][2][0] = 3


def _set_blind(record: Record) -> None:
    ballot = _side(record, 2, "yellow")["ballots"][1]
    ballot[1] = _another(ballot[1])


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
    record["counts"][2]["seed"] = _another(record["counts"][2]["seed"])


def _set_lot(record: Record) -> None:
    record["counts"][2]["lot"] = _another(record["counts"][2]["lot"])


def _set_root(record: Record) -> None:
    _side(record, 4, "red")["root"] = _another(_side(record, 4, "red")["root"])


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


#: Each with the places that both scripts must name; the record is the one of "lots".
ALTERATIONS: dict[str, tuple[Alteration, str]] = {
    "a ballot's column": (_set_column, "turn 1, red"),
    "a ballot's blind": (_set_blind, "turn 2, yellow"),
    "two ballots' order": (_swap_ballots, "turn 1, red"),
    "a ballot dropped": (_drop_ballot, "turn 4, red"),
    "a ballot added": (_add_ballot, "turn 5, yellow"),
    "a pick played": (_set_pick_played, "turn 1, red"),
    "a pick counted": (_set_pick_counted, "turn 1, red"),
    "a pick, wherever it stands": (_set_both_picks, "turn 1, red"),
    "a count": (_set_count, "turn 1, yellow"),
    "a seed": (_set_seed, "turn 3"),
    "a lot's commitment": (_set_lot, "turn 3"),
    "a root": (_set_root, "turn 4, red"),
    "how it was decided": (_set_deciding, "turn 1, red"),
    "what was legal": (_set_legal, "turn 3, red"),
    "the result": (_set_result, "the match"),
    "how it ended": (_set_end, "the match"),
    "the terms": (_set_terms, "turn 1, red"),
    "two turns' order": (_swap_turns, "turn"),
    "the last turn dropped": (_drop_turn, "the match"),
    "a turn repeated": (_repeat_turn, "turn 5"),
    "a turn's id": (_set_turn_id, "turn 1, red"),
    "when it was sealed": (_set_times, "turn 2"),
    "a side's whole count": (_drop_count, "turn 1, yellow"),
}


def _way(match: str, turn: int, side: str, **parts: Any) -> tuple[str, Alteration, str]:
    return match, lambda record: _side(record, turn, side).update(parts), f"turn {turn}, {side}"


def _first_ballot(match: str, choice: int) -> tuple[str, Alteration, str]:
    def alter(record: Record) -> None:
        _side(record, 1, "red")["ballots"][0][0] = choice

    return match, alter, "turn 1, red"


def _terms(match: str, **terms: str) -> tuple[str, Alteration, str]:
    return match, lambda record: record["terms"].update(terms), "turn 1"


#: Each of one of the matches, with the place that both scripts must name.
ALTERED_WAYS: dict[str, tuple[str, Alteration, str]] = {
    "the rounds": _way("runoff", 1, "red", rounds=[[0, 0, 0, 7, 0, 0, 0]]),
    "no rounds": _way("runoff", 1, "red", rounds=[]),
    "rounds of no runoff": _way("approval", 1, "red", rounds=[[1, 2, 0, 2, 0, 0, 0]]),
    "another captain": _way("captain", 1, "red", captain=1),
    "no captain": _way("captain ranks", 1, "yellow", captain=None),
    "a captain beyond the list": _way("captain", 1, "red", captain=4),
    "a captain before the list": _way("captain", 1, "red", captain=-1),
    "a captain without a say": _way("approval", 1, "red", captain=0),
    "nobody resigned": _way("resigned", 2, "red", pick=4, decided_by="approval"),
    "a set of nothing": _first_ballot("approval", 2**29),
    "a set of one": _first_ballot("approval", 2**29 + 1),
    "a set with a column that is not there": _first_ballot("approval", 2**29 + 1 + 2**7),
    "a ranking for approval": _first_ballot("approval", 1 + 2 * 256),
    "a set for a ranking": _first_ballot("runoff", 2**29 + 3),
    "a ranking of four": _first_ballot("runoff", 1 + 2 * 256 + 3 * 256**2 + 4 * 256**3),
    "a ranking that says one twice": _first_ballot("runoff", 1 + 256),
    "a ranking with a gap": _first_ballot("runoff", 1 + 2 * 256**2),
    "several for most votes": _first_ballot("lots", 2**29 + 3),
    "a wish that cannot be": _first_ballot("lots", 2**30 + 1),
    "two wishes": _first_ballot("resigned", 2**31 + 3),
    "a wish for nothing": _first_ballot("resigned", 2**30),
    "the share": _terms("both resigned", resign="all"),
    "the tie's rule": _terms("captain", tie_rule="first"),
}


#: Each a pattern of the record's text, and what takes its place: the same to a careless reader.
DISGUISES = {
    "true for a legal column": (r'"legal": \[1,', '"legal": [true,'),
    "a fraction for a legal column": (r'"legal": \[1, 2,', '"legal": [1, 2.0,'),
    "false for a count": (r'"counts": \[0,', '"counts": [false,'),
    "a fraction for a count": (r'"counts": \[0,', '"counts": [0.0,'),
    "true for a ballot's column": (r'\[1, "', '[true, "'),
    "a fraction for a ballot's column": (r'\[4, "', '[4.0, "'),
    "a fraction for a pick": (r'"pick": (\d)', r'"pick": \1.0'),
    "a fraction for a pick played": (r'"turns": \[\{"red": (\d)', r'"turns": [{"red": \1.0'),
    "a fraction for a turn's id": (r'"turn": (\d+)', r'"turn": \1.0'),
    "a fraction for a time": (r'"sealed_at": (\d+)', r'"sealed_at": \1.0'),
    "text for a pick": (r'"pick": (\d)', r'"pick": "\1"'),
    "the result twice": (r'"result":', '"result": "yellow", "result":'),
    "a root twice": (r'"root":', '"root": null, "root":'),
    "a key of no meaning twice": (r"^\{", '{"x": 1, "x": 2, '),
    "no number": (r"^\{", '{"x": NaN, '),
    "half a letter": (r'"name": "', '"name": "\\\\ud800'),
}
