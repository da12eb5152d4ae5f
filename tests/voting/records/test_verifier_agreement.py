"""All verifiers agree, from the guide alone, and none crashes on damaged records."""

import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.voting.altered_records import ALTERED, DISGUISES, value_at, value_paths
from tests.voting.records.test_dishonest_server import seal_again
from tests.voting.records.test_match_record import as_version_2, as_version_3
from tests.voting.sample_histories import HISTORIES, SECRET
from tests.voting.sample_matches import EARLIER, MATCHES, Record
from tests.voting.verifiers import ROOT, SCRIPT, verdicts
from voting.counting.ballots import DRAW, RESIGN
from voting.counting.methods.voting_method import METHODS

pytestmark = pytest.mark.django_db

FRONTEND = ROOT / "frontend"
EXIT_CODES = {"VALID": 0, "INVALID": 1, "PARTLY CHECKED": 2}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.just("0" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


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
def all_versions(records: dict[str, Record]) -> dict[str, Record]:
    """The sample records, and those that an earlier version could have written."""
    older = {
        f"{name}, version 2": as_version_2(records[EARLIER.get(name, name)])
        for name in MATCHES
        if name != "lottery"
    }
    histories = HISTORIES.keys() - {SECRET}
    return records | older | {f"{name}, version 3": as_version_3(records[name]) for name in histories}


@pytest.fixture(scope="module")
def browser_verifier(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserVerifier]:
    out = tmp_path_factory.mktemp("verifier")
    vite = FRONTEND / "node_modules" / "vite" / "bin" / "vite.js"
    build = ["node", str(vite), "build", "--config", "vite.verifier.ts", "--outDir", str(out)]
    subprocess.run(build, cwd=FRONTEND, check=True, timeout=60)
    verifier = BrowserVerifier(out / "lines.js")
    yield verifier
    verifier.close()


def revote(record: Record, random: Random) -> None:
    """Change ballots and terms as a server might, and seal and count them anew with verify.py."""
    terms = record["terms"]
    if random.random() < 0.5:
        terms["tally_method"] = random.choice([*METHODS])
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


def random_choice(legal: list[int], terms: Record, random: Random) -> int:
    choice = METHODS[terms["tally_method"]].sample(lambda: random.choice(legal), random)
    if terms.get("draw_offers") and random.random() < 0.5:
        return choice + DRAW
    return choice + (RESIGN if terms.get("resign") and random.random() < 0.3 else 0)


def damaged_record(records: dict[str, Record], values: list[Any], random: Random) -> str:
    """A record with other ballots and terms, and with some values removed or replaced."""
    record = deepcopy(records[random.choice(sorted(records))])
    if random.random() < 0.4:
        with suppress(KeyError, IndexError, TypeError, ValueError):
            revote(record, random)
    if random.random() < 0.1:
        record["game"] = "stone"
    for _ in range(random.choice([0, 0, 1, 1, 2, 3])):
        depth = random.randint(1, 7)  # shallow values are as likely as deep ones
        *keys, last = random.choice([path for path in value_paths(record) if len(path) <= depth])
        parent = value_at(record, keys)
        if random.random() < 0.2:
            del parent[last]
        elif type(parent[last]) is int and random.random() < 0.6:
            parent[last] += random.choice([-2, -1, 1, 2])
        else:
            parent[last] = deepcopy(random.choice(values))
    return json.dumps(record)


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_verifiers_agree_on_damaged_records(
    count: int, all_versions: dict[str, Record], browser_verifier: BrowserVerifier, tmp_path: Path
) -> None:
    seed = os.environ.get("AGREEMENT_SEED", "1")
    values: list[Any] = [None, True, 1.0, 0.5, -1, 256, 2**53, "", "\u2028", [], {}]
    values += [RESIGN, DRAW + 3, 2**29 + 3]
    values += [value_at(record, path) for record in all_versions.values() for path in value_paths(record)]
    found = set()
    for number in range(count):
        text = damaged_record(all_versions, values, Random(f"{seed}-{number}"))
        (own_code, _), (exit_code, output) = verdicts(text.encode(), tmp_path)
        verdict, findings = browser_verifier.verdict(text)
        found.add(verdict)
        assert EXIT_CODES[verdict] == exit_code, (seed, number, findings, output, text)
        # A game that the others don't know fails in the server's verifier.
        assert (own_code == 0) == (exit_code == 0), (seed, number, output, text)
    assert found == EXIT_CODES.keys()


def test_browser_rejects_every_alteration(
    records: dict[str, Record], browser_verifier: BrowserVerifier
) -> None:
    texts = {
        name: re.sub(*disguise, json.dumps(records["lots"]), count=1) for name, disguise in DISGUISES.items()
    }
    for name, (match, alter, _) in ALTERED.items():
        record = deepcopy(records[match])
        alter(record)
        texts[name] = json.dumps(record)
    for name, text in texts.items():
        assert browser_verifier.verdict(text)[0] == "INVALID", name


def test_verifiers_agree_on_sample_records(
    all_versions: dict[str, Record], browser_verifier: BrowserVerifier
) -> None:
    for name, record in all_versions.items():
        assert browser_verifier.verdict(json.dumps(record)) == ("VALID", []), name


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("captain", ("counts", 0, "red", "captain")),
        ("captain", ("counts", 0, "yellow", "captain")),
        ("lots", ("counts", 0, "red", "captain")),
        ("lots", ("terms", "resign")),
        ("lots", ("sides",)),
    ],
)
def test_verifiers_treat_null_as_missing(
    name: str, keys: tuple[Any, ...], records: dict[str, Record], tmp_path: Path
) -> None:
    missing, null = copy.deepcopy(records[name]), copy.deepcopy(records[name])
    value_at(missing, keys[:-1]).pop(keys[-1], None)
    value_at(null, keys[:-1])[keys[-1]] = None
    expected = name == "lots"
    for record in (missing, null):
        assert [code == 0 for code, _ in verdicts(record, tmp_path)] == [expected] * 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()))
@example(text=b"[" * 200_000)
@example(text=b'{"format":' + b"9" * 5_000 + b"}")
def test_verifiers_reject_random_input(text: bytes, tmp_path: Path) -> None:
    assert [code for code, _ in verdicts(text, tmp_path)] == [1, 1]


def test_standalone_verifier_needs_only_python(records: dict[str, Record], tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text(json.dumps(records["lots"]))
    for name, status in (("record.json", 0), ("none.json", 1)):
        argv = [sys.executable, "-I", str(SCRIPT), name]
        done = subprocess.run(argv, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (status, "")
    with pytest.raises(CommandError, match="No such file"):
        call_command("verify", str(tmp_path / "none.json"))


def test_verifiers_strip_control_characters_from_names(records: dict[str, Record], tmp_path: Path) -> None:
    record = records["first"] | {"name": "\x1b[2J\u202eevil\ud800"}
    for _, text in verdicts(json.dumps(record).encode(), tmp_path):
        assert "\x1b" not in text
