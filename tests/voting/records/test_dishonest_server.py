"""A dishonest server whose record verifies. It is detected, or is a limit of verification in the guide.

Anyone can compare the record with what phones and screens received: the seals, and the commitments to what is
drawn. `test_match_record.py` has the records that verifiers reject.
"""

from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from games.engine.game import SIDES, Side
from tests.voting.sample_matches import Record
from tests.voting.verifiers import ROOT, standalone, verdicts
from voting.counting.commitments import FROM_ROOTS, Tree, ballot_leaf, commit_lot, hash_leaf, order_hash

pytestmark = pytest.mark.django_db

GUIDE = (ROOT / "docs" / "verification.md").read_text()
OTHER_DRAW = {"seed": "5" * 32, "lot": commit_lot("5" * 32)}
OWN_BLIND = "a" * 32
Trick = Callable[[Record], None]


def received(record: Record) -> dict[Any, Any]:
    """What phones and screens received from a server with this record: seals, lots, and orders of arrival."""
    seals = {
        (count["turn"], side): (count[side]["root"], len(count[side]["ballots"]))
        for count in record["counts"]
        for side in SIDES
        if count[side]
    }
    orders = {
        ("order", count["turn"]): [order_of(count, side) for side in SIDES] for count in record["counts"]
    }
    lots = {count["turn"]: count["lot"] for count in record["counts"]}
    return {"draw": record["draw"]["lot"], **seals, **orders, **lots}


def leaves(count: Record, side: str) -> list[bytes]:
    turn: Any = count["turn"]
    return [hash_leaf(ballot_leaf(turn, side, *ballot)) for ballot in count[side]["ballots"]]  # type: ignore[arg-type]


def order_of(count: Record, side: Side) -> str | None:
    arrivals = (count[side] or {}).get("arrivals")
    return order_hash([leaves(count, side)[index] for index in arrivals]) if arrivals else None


def seal_again(record: Record) -> None:
    """Make the counts, roots and picks of a record with other ballots consistent, as a server would."""
    for number, count in enumerate(record["counts"]):
        sides = [side for side in SIDES if count[side]]
        arrived = {side: in_order_of_arrival(count[side]) for side in sides}
        for side in sides:
            by_leaf = dict(sorted(zip(leaves(count, side), count[side]["ballots"], strict=True)))
            count[side] |= {"ballots": list(by_leaf.values()), "root": Tree(by_leaf).root.hex()}
        roots = [(count[side] or {}).get("root", "") for side in SIDES]
        mixed = standalone.mix_seed(count["seed"], count["lot"], *roots)
        for side in sides:
            counted = count[side]
            choices = [choice for choice, _ in counted["ballots"]]
            counter = standalone.BallotCounter(
                choices, len(counted["counts"]), record["terms"], f"{mixed}:{side}"
            )
            if counted.get("arrivals"):
                counted["arrivals"] = [counted["ballots"].index(ballot) for ballot in arrived[side]]
                counter.arrivals = counted["arrivals"]
            counted["pick"], counted["decided_by"] = counter.decide(counted["legal"])
            if counter.rounds:
                counted["rounds"] = counter.rounds
            counted["counts"] = counter.first
            record["turns"][number][side] = counted["pick"]
            for seal in count.get("seals", ())[-1:]:
                seal[side] = counted["root"]


def in_order_of_arrival(counted: Record) -> list[Any]:
    """A ballot that the server has added comes last."""
    listed: list[Any] = counted["ballots"]
    order = counted.get("arrivals") or range(len(listed))
    return [listed[index] for index in order] + listed[len(order) :]


def red(record: Record) -> Record:
    """Red's first count."""
    counted: Record = record["counts"][0]["red"]
    return counted


def add_ballot(record: Record) -> None:
    red(record)["ballots"].append([4, OWN_BLIND])
    seal_again(record)


def win_lottery(record: Record) -> None:
    """Add ballots of its own, until the lottery draws one of them."""
    for number in range(10_000):
        attempt = deepcopy(record)
        red(attempt)["ballots"].append([6, sha256(b"%d" % number).hexdigest()[:32]])
        seal_again(attempt)
        if red(attempt)["pick"] == 6:
            record.update(attempt)
            return


def change_ballot(record: Record) -> None:
    next(ballot for ballot in red(record)["ballots"] if ballot[0] == 2)[0] = 3
    seal_again(record)


def drop_ballot(record: Record) -> None:
    ballots = red(record)["ballots"]
    ballots.remove(next(ballot for ballot in ballots if ballot[0] == 2))
    seal_again(record)


def swap_seed_and_lot(record: Record) -> None:
    record["counts"][0] |= OTHER_DRAW | {"lot": commit_lot(OTHER_DRAW["seed"], FROM_ROOTS)}
    seal_again(record)


def draw_again(record: Record) -> None:
    """Begin the match anew with another seed, until it likes the token."""
    record["draw"] |= OTHER_DRAW


def change_arrivals(record: Record) -> None:
    record["counts"][0]["yellow"]["arrivals"].reverse()
    seal_again(record)


def seal_twice(record: Record) -> None:
    """Publish a seal, then add ballots and publish another one 7 ms later."""
    (first,) = record["counts"][0]["seals"]
    record["counts"][0]["seals"] = [first, deepcopy(first) | {"at": first["at"] + 7}]
    record["counts"][0]["sealed_at"] += 7
    record["counts"][0]["resolved_at"] += 7
    red(record)["ballots"] += [[4, OWN_BLIND], [4, "b" * 32], [4, "c" * 32], [4, "d" * 32], [4, "e" * 32]]
    seal_again(record)


def hide_first_seal(record: Record) -> None:
    seal_twice(record)
    del record["counts"][0]["seals"][0]


def pretend_added_time(record: Record) -> None:
    seal_twice(record)
    first = record["counts"][0]["seals"][0]
    first["void"] = {"reason": "time_added", "at": first["at"] + 1, "epoch": 1}


def write_old_format(record: Record) -> None:
    """A record of version 3 need not list the first seal."""
    hide_first_seal(record)
    record["format"] = "crowdgame match 3"


def leave_out_last_turn(record: Record) -> None:
    record["turns"].pop()
    record["counts"].pop()
    record |= {"result": "open", "ended_by": None, "state": "playing"}


#: A sample match for each trick, which no verifier can detect. The record differs from what was received.
DETECTED: dict[str, tuple[str, Trick]] = {
    "drops a ballot": ("lots", drop_ballot),
    "changes a ballot": ("lots", change_ballot),
    "adds a ballot after the seal": ("lots", add_ballot),
    "seals twice and hides the first seal": ("lots", hide_first_seal),
    "seals twice and says that time was added": ("lots", pretend_added_time),
    "seals twice and writes a record of version 3": ("lots", write_old_format),
    "swaps a seed and its commitment": ("lottery", swap_seed_and_lot),
    "draws again at the start": ("lots", draw_again),
    "changes the order of arrival": ("runoff by arrival", change_arrivals),
    "leaves out the last turn": ("lots", leave_out_last_turn),
}

#: What phones leave to people, by the field of their messages that differs.
LEFT_TO_PEOPLE = {"changes the order of arrival": "order"}


def differences(record: Record, before: dict[Any, Any]) -> list[Any]:
    """What someone finds who compares the record with what the phones received."""
    after = received(record)
    return [key for key, value in before.items() if after.get(key) != value]


@pytest.mark.parametrize("name", DETECTED)
def test_record_of_dishonest_server_differs_from_what_was_received(
    name: str, records: dict[str, Record], tmp_path: Path
) -> None:
    """Phones compare roots and lots by themselves (`sealChecks.ts`)."""
    match, trick = DETECTED[name]
    record = deepcopy(records[match])
    before = received(record)
    assert not differences(record, before)
    trick(record)
    assert [code for code, _ in verdicts(record, tmp_path)] == [0, 0]
    found = differences(record, before)
    assert found
    noticed = [key for key in found if not (isinstance(key, tuple) and key[0] == "order")]
    assert bool(noticed) == (name not in LEFT_TO_PEOPLE)
    assert all(f"`{field}`" in GUIDE.partition("Compare roots")[2] for field in LEFT_TO_PEOPLE.values())


@pytest.mark.parametrize(
    ("match", "trick", "limit"),
    [
        ("lots", add_ballot, "**Several ballots per person.**"),
        ("lottery", win_lottery, "**Knowledge of the seed.**"),
        ("runoff by arrival", change_arrivals, "**Timeouts, order of arrival, and sides of a duel.**"),
    ],
)
def test_what_nobody_detects_is_in_the_guide(
    match: str, trick: Trick, limit: str, records: dict[str, Record], tmp_path: Path
) -> None:
    """Done before the seal, so that seals and record agree."""
    record = deepcopy(records[match])
    record |= {"turns": record["turns"][:1], "counts": record["counts"][:1]}
    record |= {"result": "open", "ended_by": None, "state": "playing"}
    trick(record)
    assert [code for code, _ in verdicts(record, tmp_path)] == [0, 0]
    assert limit in GUIDE.partition("## Limits of verification")[2]
