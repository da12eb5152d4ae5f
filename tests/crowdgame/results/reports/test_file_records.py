"""The record in a report that was downloaded as one file."""

from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from crowdgame.results.reports import views
from tests.voting.match_helpers import play
from tests.voting.turns.secret_side_helpers import start_secret
from tests.voting.verifiers import ours, theirs
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, LogWitness, Match
from voting.records.log_proof import PROOF_OPENS
from voting.transparency.accepted_witnesses import store_cosignatures
from voting.transparency.cosignatures import Cosigner
from voting.transparency.log import load_log
from voting.transparency.notes import COSIGNATURE_V1, SignedNote

pytestmark = pytest.mark.django_db


def report_file(client: Client, match: Match) -> bytes:
    return client.get(f"/report/{match.event.code}/{match.number}.html").content


@pytest.mark.parametrize("verify", [ours, theirs])
def test_verifiers_read_the_record_in_a_report_file(
    client: Client, match: Match, tmp_path: Path, verify: Callable[[bytes, Path], tuple[int, str]]
) -> None:
    Event.objects.update(name="</script><script id=record>")
    file = report_file(client, match)
    code, output = verify(file, tmp_path / "report.html")
    assert code == 0
    assert "VALID: red won, Rooks" in output.splitlines()
    assert output.startswith("</script><script id=record>, match 1")
    other_pick = file.replace(b'"pick":1', b'"pick":2', 1)
    assert verify(other_pick, tmp_path / "report.html")[0] == 1
    assert verify(file.replace(b'id="record"', b""), tmp_path / "report.html")[0] == 1


def test_report_file_has_no_record_while_sides_are_secret(box: BallotBox, client: Client) -> None:
    secret = start_secret(box)
    play(secret, box, [(1, 2)])
    assert b'id="record"' not in report_file(client, secret)


def test_file_omits_large_record(client: Client, match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MAX_FILE_RECORD_BYTES", 100)
    assert b'id="record"' not in report_file(client, match)


def cosign(cosigner: Cosigner) -> None:
    """Accept the witness, and let it cosign the latest checkpoint."""
    LogWitness.objects.create(key=str(cosigner.verifier_key))
    log = load_log()
    note = log.sign(log.checkpoint)
    cosigned = SignedNote(note.text, (*note.signatures, cosigner.cosign(note.text, 1)))
    store_cosignatures(str(cosigned).encode())


def test_report_file_proves_what_the_log_has(client: Client, match: Match, tmp_path: Path) -> None:
    witness, other = (Cosigner(name, COSIGNATURE_V1, name.encode() * 8) for name in ("east", "west"))
    cosign(witness)
    file, path = report_file(client, match), tmp_path / "report.html"

    def verify(content: bytes, **options: object) -> str:
        path.write_bytes(content)
        out = StringIO()
        with suppress(SystemExit):
            call_command("verify", str(path), stdout=out, **options)
        return out.getvalue().splitlines()[-1]

    assert verify(file) == "not checked: whether the log has others. --log checks that"
    assert verify(file, witness=[str(witness.verifier_key)]).startswith("not checked")
    assert verify(file, witness=[str(other.verifier_key)]) == "INVALID: 1 fault"
    assert verify(file, log_key=str(other.verifier_key)) == "INVALID: 1 fault"
    head, opens, proof = file.partition(PROOF_OPENS)
    assert b"lot 1" in proof
    assert verify(head + opens + proof.replace(b'"index":2,', b'"index":3,')) == "INVALID: 1 fault"
    rewritten = head.replace(b'"ended_by":"board"', b'"ended_by":"forfeit"')
    assert verify(rewritten + opens + proof).startswith("INVALID")
    assert verify(head) == "VALID: red won, Rooks"
