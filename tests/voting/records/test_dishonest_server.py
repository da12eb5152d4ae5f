"""A dishonest server whose record verifies. It is detected, or is a limit of verification in the guide.

Anyone can compare the record with what phones and screens received: the seals, and the commitments to what is
drawn. `test_match_record.py` has the records that verifiers reject.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from games.engine.game import SIDES, Side
from tests.voting.sample_matches import Record
from tests.voting.verifiers import ROOT, standalone, verdicts
from voting.counting.commitments import FROM_ROOTS, Tree, ballot_leaf, commit_lot, hash_leaf, order_hash
from voting.records.log_check import find_log_faults, hash_record
from voting.records.match_record import read_match_record
from voting.transparency.entries import Entry

pytestmark = pytest.mark.django_db

GUIDE = (ROOT / "docs" / "verification.md").read_text()
OTHER_DRAW = {"seed": "5" * 32, "lot": commit_lot("5" * 32)}
OWN_BLIND = "a" * 32
Trick = Callable[[Record], None]


def received(record: Record) -> dict[Any, Any]:
    """What phones and screens received from a server with this record: seals, lots, and orders of arrival."""
    found: dict[Any, Any] = {"draw": record["draw"]["lot"]}
    for count in record["counts"]:
        turn, sides = count["turn"], [side for side in SIDES if count[side]]
        found[turn] = count["lot"]
        found |= {(turn, side): (count[side]["root"], len(count[side]["ballots"])) for side in sides}
        found["order", turn] = [order_of(count, side) for side in SIDES]
    return found


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
        for side in sides:
            listed, order = count[side]["ballots"], count[side].get("arrivals")
            by_leaf = dict(sorted(zip(leaves(count, side), listed, strict=True)))
            count[side] |= {"ballots": list(by_leaf.values()), "root": Tree(by_leaf).root.hex()}
            if order:  # ballots that the server has added come last
                arrived = [*(listed[index] for index in order), *listed[len(order) :]]
                count[side]["arrivals"] = [count[side]["ballots"].index(ballot) for ballot in arrived]
        roots = [(count[side] or {}).get("root", "") for side in SIDES]
        mixed = standalone.mix_seed(count["seed"], count["lot"], *roots)
        for side in sides:
            counted = count[side]
            choices, columns = [choice for choice, _ in counted["ballots"]], len(counted["counts"])
            counter = standalone.BallotCounter(choices, columns, record["terms"], f"{mixed}:{side}")
            if counted.get("arrivals"):
                counter.arrivals = counted["arrivals"]
            counted["pick"], counted["decided_by"] = counter.decide(counted["legal"])
            if counter.rounds:
                counted["rounds"] = counter.rounds
            counted["counts"] = counter.first
            record["turns"][number][side] = counted["pick"]
            for seal in count.get("seals", ())[-1:]:
                seal[side] = counted["root"]


def red(record: Record) -> Record:
    counted: Record = record["counts"][0]["red"]
    return counted


def add_ballot(record: Record) -> None:
    red(record)["ballots"].append([4, OWN_BLIND])


def win_lottery(record: Record) -> None:
    """Add ballots of its own, until the lottery draws one of them."""
    for number in range(10_000):
        attempt = deepcopy(record)
        red(attempt)["ballots"].append([6, sha256(b"%d" % number).hexdigest()[:32]])
        seal_again(attempt)
        if red(attempt)["pick"] == 6:
            record.update(attempt)
            return


def victim(record: Record) -> list[Any]:
    return next((ballot for ballot in red(record)["ballots"] if ballot[0] == 2), [])


def change_ballot(record: Record) -> None:
    victim(record)[0] = 3


def drop_ballot(record: Record) -> None:
    red(record)["ballots"].remove(victim(record))


def swap_seed_and_lot(record: Record) -> None:
    record["counts"][0] |= OTHER_DRAW | {"lot": commit_lot(OTHER_DRAW["seed"], FROM_ROOTS)}


def draw_again(record: Record) -> None:
    record["draw"] |= OTHER_DRAW


def change_arrivals(record: Record) -> None:
    record["counts"][0]["yellow"]["arrivals"].reverse()


def seal_twice(record: Record) -> None:
    """Publish a seal, then add ballots and publish another one 7 ms later."""
    (first,) = record["counts"][0]["seals"]
    record["counts"][0]["seals"] = [first, deepcopy(first) | {"at": first["at"] + 7}]
    record["counts"][0]["sealed_at"] += 7
    record["counts"][0]["resolved_at"] += 7
    red(record)["ballots"] += [[4, OWN_BLIND], [4, "b" * 32], [4, "c" * 32], [4, "d" * 32], [4, "e" * 32]]


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


def move_ballot(record: Record) -> None:
    ballot = victim(record)
    red(record)["ballots"].remove(ballot)
    record["counts"][0]["yellow"]["ballots"].append(ballot)


def replay_older_ballot(record: Record) -> None:
    victim(record)[:] = [3, OWN_BLIND]


class Attack(NamedTuple):
    """A trick, and who notices it: the `voter` concerned, all phones, or people by what phones show.

    If nobody does, the guide names the `limit`. With `halves`, the other half of the audience gets the truth.
    """

    match: str
    trick: Trick
    noticed: str
    limit: str = ""
    halves: bool = False
    voter_left: bool = False

    @property
    def is_before_seal(self) -> bool:
        return self.noticed in ("", "voter")

    def __str__(self) -> str:
        when = "before the seal" if self.is_before_seal else "to one half" if self.halves else "afterwards"
        return f"{self.trick.__name__} {when}"


AFTER = "phones verifier witness"
ATTACKS = (
    Attack("lots", add_ballot, "verifier witness", halves=True),
    *(
        Attack("lots", trick, AFTER)
        for trick in (add_ballot, hide_first_seal, pretend_added_time, write_old_format, draw_again)
    ),
    Attack("lots", leave_out_last_turn, "phones witness"),
    Attack("lots", drop_ballot, AFTER, voter_left=True),
    Attack("lots", drop_ballot, "", "**Phones that left.**", voter_left=True),
    *(
        Attack("lots", trick, noticed)
        for trick in (drop_ballot, change_ballot, move_ballot, replay_older_ballot)
        for noticed in (f"{AFTER} voter", "voter")
    ),
    Attack("lottery", swap_seed_and_lot, AFTER),
    Attack("lottery", win_lottery, "", "**Knowledge of the seed.**"),
    Attack("lots", add_ballot, "", "**Several ballots per person.**"),
    Attack("runoff by arrival", change_arrivals, "people verifier witness"),
    Attack("runoff by arrival", change_arrivals, "", "**Timeouts, order of arrival,"),
)


def log_of(record: Record) -> list[Entry]:
    """What a server logs that publishes this record."""
    entries: list[Any] = []
    for count in record["counts"]:
        turn, sides = {"turn": count["turn"]}, [side for side in SIDES if count[side]]
        entries.append({"type": "lot 1", "lot": count["lot"], **turn})
        for seal in count.get("seals", ()):
            roots: dict[str, Any] = {}
            for side in sides:
                order = order_of(count, side)
                roots[side] = {"root": seal[side], "ballots": len(leaves(count, side)), "order": order}
            entries.append({"type": "seal 1", "at": seal["at"], "epoch": 1, **turn, **roots})
            entries += [{"type": "seal void 1", **turn, **seal["void"]}] if "void" in seal else []
    if record["state"] == "ended":
        turns = [count["turn"] for count in record["counts"]]
        digest = hash_record(read_match_record(msgspec.json.encode(record)), turns, ())
        entries.append({"type": "match over 1", "turn": record["counts"][-1]["turn"], "record": digest})
    return msgspec.convert(entries, list[Entry])


def observers(attack: Attack, honest: Record, forged: Record) -> Iterator[str]:
    """Yield who notices the forged record. Before the seal, phones and the log know no other."""
    published = forged if attack.is_before_seal else honest
    before, log = received(published), log_of(published)
    after = before if attack.halves else received(forged)
    found = [key for key, value in before.items() if after.get(key) != value]
    if found:
        yield "people" if all(isinstance(key, tuple) and key[0] == "order" for key in found) else "phones"
    if list(find_log_faults(read_match_record(msgspec.json.encode(forged)), log)):
        yield "verifier"
    if log_of(forged)[: len(log)] != log:
        yield "witness"
    if victim(honest) and victim(honest) not in red(forged)["ballots"] and not attack.voter_left:
        yield "voter"


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_dishonest_server_is_noticed(attack: Attack, records: dict[str, Record], tmp_path: Path) -> None:
    """No verifier detects it in the record alone. Phones compare by themselves (`sealChecks.ts`)."""
    forged = deepcopy(records[attack.match])
    if attack.is_before_seal:
        forged |= {"turns": forged["turns"][:1], "counts": forged["counts"][:1]}
        forged |= {"result": "open", "ended_by": None, "state": "playing"}
    honest = deepcopy(forged)
    assert not list(observers(attack, honest, honest))
    attack.trick(forged)
    seal_again(forged)
    assert [code for code, _ in verdicts(forged, tmp_path)] == [0, 0]
    assert " ".join(observers(attack, honest, forged)) == attack.noticed
    assert bool(attack.limit) == (not attack.noticed)
    assert attack.limit in GUIDE.partition("## Limits of verification")[2]
