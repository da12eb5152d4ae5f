"""Whatever a record is made of, both who count it again come to an end of their own, and to the same."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.voting.recording import MATCHES, Record
from tests.voting.verifying import SCRIPT, ours, records, standalone, theirs

__all__ = ["records"]

pytestmark = pytest.mark.django_db


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.just("0" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(thing: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a record."""
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, part in parts:
        yield (*way, key)
        yield from places(part, (*way, key))


def verdict(text: bytes, path: Path) -> bool:
    """Both come to an end of their own, and to the same."""
    path.write_bytes(text)
    said: int = standalone.main([str(path)])
    assert said == ours(text, path)[0], text
    return said == 0


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_damage_makes_either_stumble(
    data: st.DataObject, records: dict[str, Record], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = copy.deepcopy(records[data.draw(st.sampled_from(sorted(MATCHES)))])
    *way, last = data.draw(st.sampled_from(list(places(record))))
    thing = record
    for key in way:
        thing = thing[key]
    if data.draw(st.booleans()):
        del thing[last]
    else:
        thing[last] = data.draw(values)
    verdict(json.dumps(record).encode(), tmp_path / "record.json")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()))
@pytest.mark.parametrize("name", ["lots"])
def test_no_rubbish_makes_either_stumble(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes
) -> None:
    assert not verdict(text, tmp_path / "record.json")


@pytest.mark.parametrize("text", [b"", b"[" * 200_000, b'{"format":' + b"9" * 5_000 + b"}", b"\xff\xfe"])
def test_rubbish_of_a_kind_makes_neither_stumble(text: bytes, tmp_path: Path) -> None:
    assert ours(text, tmp_path / "record.json")[0] == theirs(text, tmp_path / "record.json")[0] == 1


def test_without_a_file_both_say_so(tmp_path: Path) -> None:
    missing = [sys.executable, "-I", str(SCRIPT), str(tmp_path / "none.json")]
    done = subprocess.run(missing, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    with pytest.raises(CommandError, match="No such file"):
        call_command("verify", str(tmp_path / "none.json"))


def test_names_do_not_move_the_cursor(records: dict[str, Record], tmp_path: Path) -> None:
    record = records["first"] | {"name": "\x1b[2J\u202eevil\ud800"}
    text = json.dumps(record).encode()
    assert "\x1b" not in ours(text, tmp_path / "record.json")[1]
    assert "\x1b" not in theirs(text, tmp_path / "record.json")[1]
