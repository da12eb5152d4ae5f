import os
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from crowdgame.server.laptop.network import free_port
from tests.voting.match_helpers import RED_WINS, play, start
from voting.ballot_box.ballot_box import BallotBox
from voting.models import LogEntry, LogHead, LogTileHash, LogWitness, Match
from voting.records.exports import export_match
from voting.transparency.checkpoints import parse_checkpoint, read_checkpoint
from voting.transparency.cosignatures import find_cosignature
from voting.transparency.entries import Entry, Lot
from voting.transparency.log import append_entries, load_log
from voting.transparency.log_reader import LogReader, get, post
from voting.transparency.notes import parse_note, parse_verifier_key

pytestmark = pytest.mark.django_db(transaction=True)


def append(*lots: str) -> None:
    entries: list[Entry] = [Lot(turn=number, lot=lot * 64) for number, lot in enumerate(lots, 1)]
    with transaction.atomic():
        append_entries(entries)


def restart_log(*lots: str) -> None:
    """A dishonest server begins its log again with the same key, and with these lots."""
    LogEntry.objects.all().delete()
    LogTileHash.objects.all().delete()
    LogHead.objects.update(size=0, hashes=b"")
    append(*lots)


def run(*arguments: str) -> tuple[int, str]:
    """Run a command in this process. Returns its exit status and what it prints."""
    out = StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=out)
    except CommandError as error:
        return error.returncode, f"{error}"
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


class WitnessCommand:
    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder

    def look(self, *options: str) -> tuple[int, str]:
        return run("witness", self.url, "--folder", str(self.folder), "--once", *options)

    @property
    def key(self) -> str:
        self.look()
        return self.look()[1].splitlines()[0].split()[-1]


@pytest.fixture
def witness(url: str, tmp_path: Path) -> WitnessCommand:
    return WitnessCommand(url, tmp_path / "witness")


def test_log_is_served_as_files_that_are_cached_for_seconds_only(url: str, client: Any) -> None:
    """A restored backup may change every file, so that none is immutable."""
    append(*"0" * 256, "1")
    log = load_log()
    reader = LogReader(url)
    _, checkpoint = read_checkpoint(reader.read("checkpoint"), reader.read_key())
    assert checkpoint == log.checkpoint
    assert len(reader.read_entries(checkpoint)) == 257
    assert len(reader.read("tile/0/000")) == 256 * 32
    assert len(reader.read("tile/1/000.p/1")) == 32
    for path, kind in (
        ("checkpoint", "text/plain; charset=utf-8"),
        ("tile/0/001.p/1", "application/octet-stream"),
        ("tile/entries/001.p/1", "application/octet-stream"),
        ("proof/257", "application/json"),
    ):
        found = client.get(f"/log/{path}")
        assert (found.status_code, found.headers["Content-Type"]) == (200, kind)
        assert found.headers["Cache-Control"] == "public, max-age=2"
    missing = ("tile/0/001.p/2", "tile/0/001", "tile/0/x999/x999/x999/x999/999", "tile/../checkpoint")
    for path in (*missing, "proof/258", "cosigned/00000000"):
        refused = client.get(f"/log/{path}")
        assert (refused.status_code, refused.headers["Cache-Control"]) == (404, "private, no-store")


def test_witness_is_accepted_by_the_operator(url: str, witness: WitnessCommand) -> None:
    append("0")
    status, printed = witness.look()
    assert status == 0
    assert "crowdgame witnesses add VKEY" in printed
    call_command("witnesses", "add", witness.key)
    append("1", "2")
    assert witness.look()[1].splitlines()[-1] == "Cosigned 3 entries."
    key = parse_verifier_key(witness.key)
    note = parse_note(LogReader(url).read("checkpoint"))
    assert find_cosignature(note, key)
    append("3")
    assert find_cosignature(parse_note(LogReader(url).read("checkpoint")), key) is None
    assert parse_note(LogReader(url).read(f"cosigned/{key.key_id.hex()}")) == note
    proof = msgspec.json.decode(LogReader(url).read("proof/2"))[0]["proof"]
    assert proof.endswith(str(note))
    call_command("witnesses", "remove", witness.key)
    assert get(f"{url}/log/cosigned/{key.key_id.hex()}").status == 404


def test_cosignature_on_repeated_or_foreign_checkpoint_does_not_count(
    url: str, witness: WitnessCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    append("0", "1")
    call_command("witnesses", "add", witness.key)
    witness.look()
    LogWitness.objects.update(cosigned_at=1)
    cosigned = (witness.folder / "checkpoint").read_bytes()
    assert post(f"{url}/log/cosignatures", cosigned).status == 204
    assert LogWitness.objects.get().cosigned_at == 1
    append("2")
    with monkeypatch.context() as patch:
        synced = list[str]()
        patch.setattr(os, "fsync", lambda file: synced.append(os.readlink(f"/proc/self/fd/{file}")))
        witness.look()
    assert synced[-2:] == [str(witness.folder / "checkpoint.new"), str(witness.folder)], "before it answers"
    assert (LogWitness.objects.get().cosigned_at != 1, LogWitness.objects.get().size) == (True, 3)
    restart_log("0", "9")  # the witness cosigned a history that the server no longer has
    assert post(f"{url}/log/cosignatures", cosigned).status == 400
    assert post(f"{url}/log/cosignatures", b"no note").status == 400
    assert get(f"{url}/log/cosignatures").status == 405
    assert LogWitness.objects.get().size == 3


def replace_entry() -> None:
    LogEntry.objects.filter(pk=1).update(content=LogEntry.objects.get(pk=0).content)
    append("2")


@pytest.mark.parametrize(
    "rewrite",
    [
        *(partial(restart_log, *lots) for lots in ("19", "09345", "1", "")),
        replace_entry,
        partial(LogHead.objects.update, key=b""),
    ],
    ids=["same size", "larger", "smaller", "empty", "replaced entry", "new log"],
)
def test_witness_detects_two_histories(rewrite: Callable[[], None], witness: WitnessCommand) -> None:
    append("0", "1")
    assert witness.look()[0] == 0
    first = load_log().checkpoint
    rewrite()
    status, printed = witness.look()
    assert (status, "INCONSISTENT LOG" in printed) == (1, True)
    evidence = [(witness.folder / f"evidence-{number}").read_bytes() for number in (1, 2)]
    found = [parse_checkpoint(parse_note(content).text) for content in evidence]
    assert found == [first, load_log().checkpoint]
    assert witness.look()[0] == 1


def test_witness_ignores_older_checkpoint_and_outage(witness: WitnessCommand, url: str) -> None:
    append("0", "1")
    assert witness.look()[0] == 0
    kept, older = (witness.folder / "checkpoint").read_bytes(), LogHead.objects.values("size", "hashes").get()
    append("2")
    assert witness.look()[0] == 0
    with_both = (witness.folder / "checkpoint").read_bytes()
    assert parse_note(with_both).text != parse_note(kept).text
    newer = LogHead.objects.values("size", "hashes").get()
    LogHead.objects.update(**older)  # as from a cache
    assert witness.look()[0] == 0
    LogHead.objects.update(**newer)
    away = WitnessCommand(f"http://127.0.0.1:{free_port()}", witness.folder)
    assert away.look()[0] == 2
    assert (witness.folder / "checkpoint").read_bytes() == with_both
    status, printed = witness.look("--log-key", str(load_log().verifier_key).replace("crowdgame", "other"))
    assert (status, printed) == (2, "malformed verifier key")


def test_record_is_verified_by_log(box: BallotBox, url: str, witness: WitnessCommand, tmp_path: Path) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS)
    match = Match.objects.get()
    exported = export_match(match.event.code, 1)
    assert exported
    path, rewritten = tmp_path / "match.json", tmp_path / "rewritten.json"
    path.write_bytes(msgspec.json.encode(exported.record))
    call_command("witnesses", "add", witness.key)
    witness.look()
    status, printed = run("verify", str(path), "--log", url, "--witness", witness.key)
    assert status == 0, printed
    assert "cosigned by 1 witnesses" in printed
    changed = msgspec.structs.replace(exported.record, draw=None)
    rewritten.write_bytes(msgspec.json.encode(changed))
    assert run("verify", str(rewritten))[0] == 0
    status, printed = run("verify", str(rewritten), "--log", url)
    assert (status, "another record" in printed) == (1, True)
    restart_log()
    play(start(box).match, box, RED_WINS)
    status, printed = run("verify", str(path), "--log", url, "--witness", witness.key)
    assert (status, "its checkpoint commits to" in printed) == (1, True)
    restart_log()
    status, printed = run("verify", str(path), "--log", url)
    assert (status, "not checked: the log began after the turns" in printed) == (2, True)
