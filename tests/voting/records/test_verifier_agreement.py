import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from games.engine.game import SIDES
from tests.voting.altered_records import ALTERED, DISGUISES, WRONG_VALUES, put, value_at, value_paths
from tests.voting.records.test_dishonest_server import seal_again
from tests.voting.sample_histories import HISTORIES, SECRET
from tests.voting.sample_matches import EARLIER, MATCHES, Record
from tests.voting.verifiers import ROOT, SCRIPT, standalone, verdicts
from voting.counting.ballots import DRAW, RESIGN
from voting.counting.methods.voting_method import METHODS

pytestmark = pytest.mark.django_db

EXIT_CODES = {"VALID": 0, "INVALID": 1, "PARTLY CHECKED": 2}
BrowserVerifier = Callable[[str], tuple[str, Any]]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.just("0" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def as_version_3(record: Record) -> Record:
    """The record as the previous version would have written it: it lists only void seals, without causes."""
    old = deepcopy(record) | {"format": "crowdgame match 3"}
    for turn in (*old["counts"], *old.get("voided", ())):
        for seal in turn.get("seals", ()):
            seal.pop("epoch", None), seal.pop("void", None)
    for count in old["counts"]:
        *count["void_seals"], _ = count.pop("seals")
    return old


def as_version_2(record: Record) -> Record:
    """The record as an earlier version would have written it: in order of arrival, here any order."""
    old = as_version_3(record) | {"format": "crowdgame match 2"}
    for count in old["counts"]:
        for side, counted in ((side, count[side]) for side in SIDES if count[side]):
            ballots = counted["ballots"]
            order = counted.pop("arrivals", None) or list(reversed(range(len(ballots))))
            counted["ballots"] = [ballots[index] for index in order]
            if counted.get("captain") is not None:
                counted["captain"] = order.index(counted["captain"])
            leaves = [f"{count['turn']}:{side}:{choice}:{blind}" for choice, blind in counted["ballots"]]
            counted["root"] = standalone.merkle_root(map(standalone.hash_leaf, leaves))
    return old


@pytest.fixture(scope="module")
def all_versions(records: dict[str, Record]) -> dict[str, Record]:
    """The sample records, and those that an earlier version could have written."""
    earlier = {name: records[EARLIER.get(name, name)] for name in MATCHES if name != "lottery"}
    older = {f"{name}, version 2": as_version_2(record) for name, record in earlier.items()}
    histories = HISTORIES.keys() - {SECRET}
    return records | older | {f"{name}, version 3": as_version_3(records[name]) for name in histories}


@pytest.fixture(scope="module")
def browser_verifier(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserVerifier]:
    """The checks of `/verify` in one Node process. They return the verdict, and the failed checks."""
    out, frontend = tmp_path_factory.mktemp("verifier"), ROOT / "frontend"
    vite = frontend / "node_modules" / "vite" / "bin" / "vite.js"
    build = ["node", str(vite), "build", "--config", "vite.verifier.ts", "--outDir", str(out)]
    subprocess.run(build, cwd=frontend, check=True, timeout=60)
    pipe = subprocess.PIPE
    with subprocess.Popen(["node", str(out / "lines.js")], stdin=pipe, stdout=pipe, encoding="utf-8") as node:
        assert node.stdin
        assert node.stdout
        given, answers = node.stdin, node.stdout

        def verdict(text: str) -> tuple[str, Any]:
            given.write(text + "\n")
            given.flush()
            found, findings = json.loads(answers.readline())
            return found, findings

        yield verdict
    assert node.returncode == 0


def test_verifiers_confirm_every_match_of_every_version(
    all_versions: dict[str, Record], browser_verifier: BrowserVerifier, tmp_path: Path
) -> None:
    for name, record in all_versions.items():
        (code, text), (other_code, other) = verdicts(record, tmp_path)
        assert (code, other_code, other) == (0, 0, text), name
        assert browser_verifier(json.dumps(record)) == ("VALID", []), name


@pytest.mark.parametrize("name", ALTERED)
def test_verifiers_locate_every_alteration(
    name: str, records: dict[str, Record], browser_verifier: BrowserVerifier, tmp_path: Path
) -> None:
    match_name, alter, said = ALTERED[name]
    record = deepcopy(records[match_name])
    alter(record)
    ours, theirs = verdicts(record, tmp_path)
    for code, text in (ours, theirs):
        assert code == 1, text
        assert re.search(f"^{said}", text, re.MULTILINE), text
    assert ours == theirs or match_name != "eventful", "the same text about a history"
    assert browser_verifier(json.dumps(record))[0] == "INVALID"


@pytest.mark.parametrize(("name", "path", "value"), WRONG_VALUES)
def test_verifiers_reject_wrong_value(
    name: str, path: tuple[Any, ...], value: Any, records: dict[str, Record], tmp_path: Path
) -> None:
    record = deepcopy(records[name])
    put(*path, to=value)(record)
    assert [code for code, _ in verdicts(record, tmp_path)] == [1, 1]


@pytest.mark.parametrize("name", DISGUISES)
def test_verifiers_reject_lookalike_values_and_duplicate_keys(
    name: str, records: dict[str, Record], browser_verifier: BrowserVerifier, tmp_path: Path
) -> None:
    """Python accepts true and 1.0 as 1, and the last of duplicate keys; other parsers may not."""
    text = json.dumps(records["lots"])
    altered = re.sub(*DISGUISES[name], text, count=1)
    assert altered != text
    assert [code for code, _ in verdicts(altered.encode(), tmp_path)] == [1, 1]
    assert browser_verifier(altered)[0] == "INVALID"


def test_verifiers_reject_unsorted_ballots(records: dict[str, Record], tmp_path: Path) -> None:
    """In version 2 the server chose the order of the ballots, and so which one a lottery draws."""
    record = as_version_2(records[EARLIER["lots"]]) | {"format": "crowdgame match 3"}
    for code, text in verdicts(record, tmp_path):
        assert (code, "not sorted by leaf hash" in text) == (1, True)


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
def test_null_is_absent(name: str, keys: tuple[Any, ...], records: dict[str, Record], tmp_path: Path) -> None:
    missing, null = deepcopy(records[name]), deepcopy(records[name])
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


def revote(record: Record, random: Random) -> None:
    """Change ballots and terms as a server might, and seal and count them anew with verify.py."""
    terms = record["terms"]
    if random.random() < 0.5:
        terms["tally_method"] = random.choice([*METHODS])
        terms["tie_rule"] = random.choice(["first", "lot", "captain"])
    if random.random() < 0.3:
        terms["resign"] = random.choice(["half", "two_thirds", "three_quarters", "all", None])
    for counted in (count[side] for count in record["counts"] for side in SIDES if count[side]):
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
        verdict, findings = browser_verifier(text)
        found.add(verdict)
        assert EXIT_CODES[verdict] == exit_code, (seed, number, findings, output, text)
        # A game that the others don't know fails in the server's verifier.
        assert (own_code == 0) == (exit_code == 0), (seed, number, output, text)
    assert found == EXIT_CODES.keys()
