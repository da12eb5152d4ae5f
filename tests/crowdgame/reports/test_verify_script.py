"""Whoever takes a record from the house can take the script that counts it again, and run it."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from tests.voting.match_helpers import RED_WINS, play, start
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.django_db


def test_the_house_serves_the_script_that_counts_its_records(
    client: Client, box: BallotBox, tmp_path: Path
) -> None:
    match = start(box).match
    play(match, box, RED_WINS)
    script, record = tmp_path / "verify.py", tmp_path / "match.json"
    script.write_bytes(client.get("/verify.py").content)
    content = client.get(f"/record/{match.event.code}/1.json").content
    record.write_bytes(content)
    count = [sys.executable, "-I", str(script), str(record)]
    assert subprocess.run(count, capture_output=True, check=False).returncode == 0
    record.write_bytes(content.replace(b'"result":"red"', b'"result":"yellow"'))
    assert record.read_bytes() != content
    assert subprocess.run(count, capture_output=True, check=False).returncode == 1


def test_it_is_shown_as_text_and_its_way_is_told(client: Client, box: BallotBox) -> None:
    match = start(box).match
    play(match, box, RED_WINS)
    answer = client.get("/verify.py")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert 'href="/verify.py"' in client.get(f"/report/{match.event.code}/1").content.decode()
