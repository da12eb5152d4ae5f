"""Damaged records: `manage.py verify` and the standalone verifier never crash, and they agree."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.voting.altered_records import value_at
from tests.voting.sample_matches import Record
from tests.voting.verifiers import SCRIPT, verdicts

pytestmark = pytest.mark.django_db


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.just("0" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


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
