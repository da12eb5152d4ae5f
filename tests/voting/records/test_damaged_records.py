"""Damaged records: `manage.py verify` and the standalone verifier never crash, and they agree."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.voting.sample_matches import SECRET, Record
from tests.voting.verifiers import SCRIPT, ours, theirs

pytestmark = pytest.mark.django_db


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.just("0" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def value_paths(value: Any, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every value in a record."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*prefix, key)
        yield from value_paths(item, (*prefix, key))


def verifies(text: bytes, path: Path) -> bool:
    """Whether the record verifies; both verifiers must agree.

    The standalone one checks a game that it does not know in part (2), where ours fails.
    """
    exit_code, _ = theirs(text, path)
    assert exit_code in {0, 1, 2}
    assert (exit_code == 0) == (ours(text, path)[0] == 0), text
    return exit_code == 0


def value_at(record: Record, keys: Sequence[Any]) -> Any:
    value: Any = record
    for key in keys:
        value = value[key]
    return value


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
    path = tmp_path / "record.json"
    assert verifies(json.dumps(null).encode(), path) == verifies(json.dumps(missing).encode(), path)
    assert name == "captain" or verifies(json.dumps(null).encode(), path)


@pytest.mark.parametrize(
    ("name", "keys", "value"),
    [
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
    ],
)
def test_verifiers_reject_value_of_wrong_type(
    name: str, keys: tuple[Any, ...], value: Any, all_records: dict[str, Record], tmp_path: Path
) -> None:
    record = copy.deepcopy(all_records[name])
    assert verifies(json.dumps(record).encode(), tmp_path / "record.json")
    value_at(record, keys[:-1])[keys[-1]] = value
    assert not verifies(json.dumps(record).encode(), tmp_path / "record.json")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_verifiers_survive_any_damaged_value(
    data: st.DataObject, all_records: dict[str, Record], tmp_path: Path
) -> None:
    record = copy.deepcopy(all_records[data.draw(st.sampled_from(sorted(all_records)))])
    *keys, last = data.draw(st.sampled_from(list(value_paths(record))))
    parent = value_at(record, keys)
    if data.draw(st.booleans()):
        del parent[last]
    else:
        parent[last] = data.draw(values)
    verifies(json.dumps(record).encode(), tmp_path / "record.json")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()))
def test_verifiers_reject_random_input(text: bytes, tmp_path: Path) -> None:
    assert not verifies(text, tmp_path / "record.json")


@pytest.mark.parametrize("text", [b"", b"[" * 200_000, b'{"format":' + b"9" * 5_000 + b"}", b"\xff\xfe"])
def test_verifiers_reject_malformed_files(text: bytes, tmp_path: Path) -> None:
    assert ours(text, tmp_path / "record.json")[0] == theirs(text, tmp_path / "record.json")[0] == 1


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
    text = json.dumps(record).encode()
    assert "\x1b" not in ours(text, tmp_path / "record.json")[1]
    assert "\x1b" not in theirs(text, tmp_path / "record.json")[1]
