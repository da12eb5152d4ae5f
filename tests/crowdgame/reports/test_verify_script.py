"""The verification script can be downloaded like the records, and run on them."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from tests.voting.match_helpers import RED_WINS, play, start
from voting.ballot_box.ballot_box import BallotBox

pytestmark = pytest.mark.django_db


def test_downloaded_script_verifies_downloaded_record(client: Client, box: BallotBox, tmp_path: Path) -> None:
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


def test_verify_script_is_plain_text_and_linked_from_report(client: Client, box: BallotBox) -> None:
    match = start(box).match
    play(match, box, RED_WINS)
    response = client.get("/verify.py")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert 'href="/verify.py"' in client.get(f"/report/{match.event.code}/1").content.decode()
