"""The checks of `/verify`, written from the guide alone, give the same verdict as docs/verify.py.

Set AGREEMENT_SEED for other alterations.
"""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from copy import deepcopy
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from tests.voting.records.test_dishonest_server import seal_again
from tests.voting.records.test_match_record import as_version_2, as_version_3
from tests.voting.sample_histories import HISTORIES
from tests.voting.sample_matches import MATCHES, Record, record_of
from tests.voting.verifiers import ROOT, standalone
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import RESIGN

pytestmark = pytest.mark.django_db

FRONTEND = ROOT / "frontend"
EXIT_CODES = {"VALID": 0, "INVALID": 1, "PARTLY CHECKED": 2}
#: Values that fields of a record have, to be put where they don't belong.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, -1, 7, 255, 256, RESIGN, 2**29 + 3, 2**31, 2**53, 1.0, 0.5, "", "red"),
    *("yellow", "draw", "open", "board", "time", "forfeit", "resign", "deserted", "conceded", "agreed"),
    *("plurality", "lottery", "approval", "instant_runoff", "score", "runoff", "first", "lot", "captain"),
    *("random", "pass", "half", "all", "holder", "other", "next", "nobody", "rising", "falling", "large"),
    *("0" * 32, "F" * 32, "0" * 64, "é", "\u2028", [], {}, [1], [[1, "0" * 32]], {"red": 1, "yellow": 2}),
    *("phones", "database", "backup", "taken_back", "superseded", "stopped", "playing", "ended", "aborted"),
    *(1_000, 1_001, 1_003, -(2**53)),
    *(
        "crowdgame match 2",
        "crowdgame match 5",
        "trails",
        "time_added",
        "box_lost",
        "goofspiel",
        "single-selector",
        "stone",
    ),
)


class Altered(NamedTuple):
    name: str
    seed: str
    text: str


class BrowserVerifier:
    """The checks of `/verify` in one long-lived Node process."""

    def __init__(self, script: Path) -> None:
        self._node = subprocess.Popen(
            ["node", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def verdict(self, text: str) -> tuple[str, Any]:
        """The verdict on a record, and its failed checks."""
        assert self._node.stdin
        assert self._node.stdout
        self._node.stdin.write(text + "\n")
        self._node.stdin.flush()
        verdict, findings = json.loads(self._node.stdout.readline())
        return verdict, findings

    def close(self) -> None:
        assert self._node.stdin
        self._node.stdin.close()
        assert self._node.wait(10) == 0


@pytest.fixture(scope="module")
def histories(django_db_blocker: DjangoDbBlocker) -> dict[str, Record]:
    """The records of HISTORIES."""
    box = BallotBox()
    box.delete_all_events()
    with django_db_blocker.unblock(), transaction.atomic():
        played = {
            name: json.loads(msgspec.json.encode(record_of(play_it(box))))
            for name, play_it in HISTORIES.items()
        }
        transaction.set_rollback(True)
    box.close()
    return played


@pytest.fixture(scope="module")
def all_versions(all_records: dict[str, Record], histories: dict[str, Record]) -> dict[str, Record]:
    """The sample records, and those that an earlier version could have written."""
    older = {f"{name}, version 2": as_version_2(all_records[name]) for name in MATCHES if name != "lottery"}
    older |= {f"{name}, version 3": as_version_3(histories[name]) for name in histories}
    return all_records | older | histories


@pytest.fixture(scope="module")
def browser_verifier(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserVerifier]:
    out = tmp_path_factory.mktemp("verifier")
    vite = FRONTEND / "node_modules" / "vite" / "bin" / "vite.js"
    build = ["node", str(vite), "build", "--config", "vite.verifier.ts", "--outDir", str(out)]
    subprocess.run(build, cwd=FRONTEND, check=True, timeout=60)
    verifier = BrowserVerifier(out / "lines.js")
    yield verifier
    verifier.close()


def places(value: Any, random: Random) -> tuple[Any, Any]:
    """A random container in a record and a key or index in it; shallow ones are as likely as deep ones."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = random.choice(keys)
        inner = value[key]
        if not (isinstance(inner, dict | list) and inner) or random.random() < 0.15:
            return value, key
        value = inner


def other_value(value: Any, random: Random) -> Any:
    if type(value) is int and random.random() < 0.6:
        return value + random.choice([-2, -1, 1, 2])
    if isinstance(value, str) and value and random.random() < 0.4:
        at = random.randrange(len(value))
        return value[:at] + random.choice("0123456789abcdefF ") + value[at + 1 :]
    return deepcopy(random.choice(VALUES))


def alter(record: Record, random: Random) -> None:
    """Change, delete, swap or duplicate a value anywhere."""
    container, key = places(record, random)
    kind = random.choice(["change", "change", "delete", "swap", "duplicate"])
    if kind == "change":
        container[key] = other_value(container[key], random)
    elif kind == "delete":
        del container[key]
    elif kind == "swap":
        other, place = (
            places(record, random) if random.random() < 0.3 else (container, random_key(container, random))
        )
        container[key], other[place] = deepcopy(other[place]), deepcopy(container[key])
    elif isinstance(container, list):
        container.insert(random.randrange(len(container) + 1), deepcopy(container[key]))
    else:
        container[random_key(container, random)] = deepcopy(container[key])


def random_key(container: Any, random: Random) -> Any:
    return random.choice(list(container) if isinstance(container, dict) else range(len(container)))


def revote(record: Record, random: Random) -> None:
    """Change ballots and terms as a server might, and seal and count them anew with verify.py."""
    terms = record["terms"]
    if random.random() < 0.5:
        terms["tally_method"] = random.choice(["plurality", "lottery", "approval", "instant_runoff", "score"])
        terms["tie_rule"] = random.choice(["first", "lot", "captain"])
    if random.random() < 0.3:
        terms["resign"] = random.choice(["half", "two_thirds", "three_quarters", "all", None])
    for counted in (count[side] for count in record["counts"] for side in ("red", "yellow") if count[side]):
        for ballot in counted["ballots"]:
            if random.random() < 0.7:
                ballot[0] = random_choice(counted["legal"], terms, random)
        order = list(range(len(counted["ballots"])))
        random.shuffle(order)
        counted.pop("arrivals", None)
        counted.pop("rounds", None)
        if terms["tie_rule"] == "first" and order:
            counted["arrivals"] = order
        if terms["tie_rule"] == "captain" and order:
            counted["captain"] = random.choice([None, *order])
    seal_again(record)


def end(record: Record, random: Random) -> None:
    """Leave out the last turn, or end the match in another way, or play a game that nobody knows."""
    if random.random() < 0.6:
        del record["turns"][-1], record["counts"][-1]
        for turns in (sides["turns"] for sides in (record.get("sides"),) if sides):
            del turns[-1], record["sides"]["summary"]["turns"][-1]
    if random.random() < 0.3:
        record["game"] = "stone"
    results, endings = ("red", "yellow", "draw", "open"), ("board", "time", "conceded", "agreed", None)
    if random.random() < 0.8:
        record |= {"result": random.choice(results), "ended_by": random.choice(endings)}


def rewrite_history(record: Record, random: Random) -> None:
    """Change what the record says besides its counts, or alter one value of it."""
    turns = record["counts"] + record.get("voided", [])
    one, other = random.choice(turns), random.choice(turns)
    kind = random.choice(["seed", "turn", "loss", "seals", "void", "state", "alter"])
    if kind == "seed":
        one |= {name: other[name] for name in ("seed", "lot")}
    elif kind == "turn":
        one["turn"] = other["turn"] + random.choice([-1, 0, 1])
    elif kind == "loss":
        one |= {
            "epoch": random.choice([1, 2, 1_000, 1_001]),
            "restored": random.choice(("phones", "database", "backup", None)),
        }
    elif kind == "seals":
        times = [seal["at"] for turn in turns for seal in turn.get("seals", turn.get("void_seals", []))]
        seal = {"at": random.choice([*times, one.get("sealed_at"), 1]), "red": "0" * 64}
        if random.random() < 0.7:
            epoch, reason = random.choice([1, 2]), random.choice(["time_added", "box_lost"])
            seal["void"] = {"reason": reason, "at": 1, "epoch": epoch}
        kind = random.choice(["void_seals", "seals"])
        one[kind] = [seal, *one.get(kind, [])] if random.random() < 0.7 else [seal] * random.choice([1, 2])
    elif kind == "void":
        void = {name: one[name] for name in ("turn", "seed", "lot")} | {"number": random.randint(1, 3)}
        record.setdefault("voided", []).insert(0, void)
        void["turn"] += random.choice([0, 1, 10**6])
    elif kind == "state":
        record["state"] = random.choice(["playing", "ended", "aborted", None])
    else:
        history = [turn for turn in turns if {"number", "void_seals", "seals", "restored"} & set(turn)]
        alter(random.choice(history), random)


def random_choice(legal: list[int], terms: Record, random: Random) -> int:
    method, several = terms["tally_method"], random.sample(legal, min(len(legal), random.randint(1, 3)))
    number = several[0]
    if len(several) > 1 and method == "approval":
        number = 2**29 + sum(2 ** (choice - 1) for choice in several)
    elif len(several) > 1 and method == "instant_runoff":
        number = sum(choice << 8 * place for place, choice in enumerate(several))
    elif len(several) > 1 and method == "score":
        number = 2**29 + sum(random.randint(0, 5) * 6 ** (choice - 1) for choice in several)
    return number + (RESIGN if terms.get("resign") and random.random() < 0.3 else 0)


def altered_record(all_versions: dict[str, Record], seed: str) -> Altered:
    random = Random(seed)
    name = random.choice(sorted(HISTORIES) if random.random() < 0.3 else sorted(all_versions))
    record = deepcopy(all_versions[name])
    if random.random() < 0.4:
        with suppress(KeyError, IndexError, TypeError, ValueError):
            revote(record, random)
    if random.random() < 0.2:
        with suppress(IndexError):  # no turns
            end(record, random)
    if random.random() < (0.5 if name in HISTORIES else 0.1):
        with suppress(IndexError):  # no turns
            rewrite_history(record, random)
    for _ in range(random.choice([0, 0, 1, 1, 2, 3])):
        with suppress(IndexError):  # an empty container
            alter(record, random)
    return Altered(name, seed, json.dumps(record))


def script_verdict(text: str, path: Path) -> tuple[int, str]:
    path.write_text(text, encoding="utf-8")
    with redirect_stdout(StringIO()) as out:
        return standalone.main([str(path)]), out.getvalue()


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_verifiers_agree_on_altered_records(
    count: int, all_versions: dict[str, Record], browser_verifier: BrowserVerifier, tmp_path: Path
) -> None:
    seed = os.environ.get("AGREEMENT_SEED", "1")
    verdicts: Counter[str] = Counter()
    for number in range(count):
        altered = altered_record(all_versions, f"{seed}-{number}")
        exit_code, output = script_verdict(altered.text, tmp_path / "record.json")
        verdict, findings = browser_verifier.verdict(altered.text)
        verdicts[verdict] += 1
        if EXIT_CODES[verdict] != exit_code:
            pytest.fail(f"{altered.seed}, {altered.name}: {verdict}, {findings}\n{output}\n{altered.text}")
    print(verdicts)
    assert len(verdicts) == len(EXIT_CODES)


def test_verifiers_agree_on_sample_records(
    all_versions: dict[str, Record], browser_verifier: BrowserVerifier
) -> None:
    for name, record in all_versions.items():
        assert browser_verifier.verdict(json.dumps(record)) == ("VALID", []), name
