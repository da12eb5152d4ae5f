"""`manage.py verify RECORD.json`: recount a whole match, as `docs/verify.py` does on its own.

Prints one fault per line and exits with status 1 if there are any. Needs neither database nor Redis.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.engine.errors import BadRecord
from games.engine.game import SIDES
from voting.records.log_check import find_log_faults, find_older_turns
from voting.records.log_proof import LogProof, proven_entries, read_log_proof
from voting.records.match_record import MatchRecord, read_match_record, side_count
from voting.records.recount import find_faults, find_gaps
from voting.terms import Ending, MatchState
from voting.transparency.checkpoints import read_checkpoint
from voting.transparency.cosignatures import find_cosignature
from voting.transparency.entries import decode_entry
from voting.transparency.log_reader import LogReader, Unreachable, check_root
from voting.transparency.merkle import InvalidProof
from voting.transparency.notes import InvalidNote, parse_verifier_key

BY_PLAYERS = {
    Ending.CONCEDED: "the record says that the loser resigned",
    Ending.AGREED: "the record says that both agreed to a draw",
}


class Command(BaseCommand):
    help = "Recount a match from its record: ballots, roots, random draws, picks, rules and result."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("record", type=Path, metavar="RECORD.json|REPORT.html")
        parser.add_argument(
            "--log", metavar="URL|FOLDER", help="also compare with the log of this server, or a copy of it"
        )
        parser.add_argument("--log-key", metavar="VKEY", help="of the log (default: the key it shows)")
        parser.add_argument(
            "--witness",
            metavar="VKEY",
            action="append",
            default=[],
            help="require that this witness has cosigned all entries of the match",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            content = options["record"].read_bytes()
            record, proof = read_match_record(content), read_log_proof(content)
        except (BadRecord, OSError, ValueError) as refusal:
            raise CommandError(printable(str(refusal))) from refusal
        found, older = compare(record, proof, options)
        faults = [*map(str, find_faults(record)), *found]
        for fault in faults:
            self.stdout.write(printable(fault))
        if faults:
            self.stdout.write(f"INVALID: {len(faults)} {'fault' if len(faults) == 1 else 'faults'}")
            sys.exit(1)
        for line in summary(record):
            self.stdout.write(printable(line))
        if older:
            turns = ", ".join(map(str, older))
            raise CommandError(
                f"not checked: the log began after the turns with the ids {turns}", returncode=2
            )
        for line in log_summary(proof, options):
            self.stdout.write(printable(line))


def compare(
    record: MatchRecord, proof: LogProof | None, options: dict[str, Any]
) -> tuple[list[str], list[int]]:
    """Compare the record with a log, or else with the proof in its file. Returns as `compare_with_log`."""
    if options["log"]:
        reader = LogReader(options["log"])
        return compare_with_log(record, reader, options["log_key"], options["witness"])
    return compare_with_proof(record, proof, options["log_key"], options["witness"]) if proof else ([], [])


def log_summary(proof: LogProof | None, options: dict[str, Any]) -> Iterable[str]:
    by = f"cosigned by {len(options['witness'])} witnesses" if options["witness"] else "not cosigned"
    if options["log"]:
        yield f"The log has all lots, seals and voids of the match, and no others ({by})"
    elif proof:
        key = options["log_key"] or proof.key
        yield f"The log has all lots, seals and voids of the match, as {key} signed ({by})"
        yield "not checked: whether the log has others. --log checks that"


def compare_with_log(
    record: MatchRecord, reader: LogReader, log_key: str | None, witness_keys: Sequence[str]
) -> tuple[list[str], list[int]]:
    """Compare the record with the entries that all witnesses have cosigned.

    Returns the faults, and the ids of turns that are older than the log. Raises CommandError.
    """
    try:
        key = parse_verifier_key(log_key) if log_key else reader.read_key()
        _, checkpoint = read_checkpoint(reader.read("checkpoint"), key)
        entries = reader.read_entries(checkpoint)
        seen = checkpoint.size
        for witness in map(parse_verifier_key, witness_keys):
            note, cosigned = read_checkpoint(reader.read(f"cosigned/{witness.key_id.hex()}"), key)
            if find_cosignature(note, witness) is None:
                raise InvalidNote(f"the witness {witness.name} has cosigned nothing")
            check_root(entries, cosigned)
            seen = min(seen, cosigned.size)
        logged = list(map(decode_entry, entries))
        older = find_older_turns(record, logged)
        return list(find_log_faults(record, logged[:seen], older)), older
    except Unreachable as error:
        raise CommandError(printable(f"{error}"), returncode=2) from error
    except (InvalidNote, InvalidProof, msgspec.DecodeError) as error:
        return [f"the log: {error}"], []


def compare_with_proof(
    record: MatchRecord, proof: LogProof, log_key: str | None, witness_keys: Sequence[str]
) -> tuple[list[str], list[int]]:
    """Compare the record with the entries in its report file. Returns the same as `compare_with_log`."""
    try:
        witnesses = [parse_verifier_key(key) for key in witness_keys]
        logged = proven_entries(proof, parse_verifier_key(log_key or proof.key), witnesses)
    except (InvalidNote, InvalidProof, ValueError) as error:
        return [f"the log: {error}"], []
    older = find_older_turns(record, logged)
    return list(find_log_faults(record, logged, older)), older


def summary(record: MatchRecord) -> Iterable[str]:
    """Yield the lines printed for a record without faults."""
    ballots = sum(len(c.ballots) for t in record.counts for c in (side_count(t, s) for s in SIDES) if c)
    yield f"{record.name}: {record.teams.red} (red) against {record.teams.yellow} (yellow)"
    counted = f"{len(record.turns)} turns, {ballots} ballots"
    yield f"{counted}: all ballots, commitments, draws, picks and moves are valid"
    yield from (f"not checked: {gap}" for gap in find_gaps(record))
    if record.ended_by in BY_PLAYERS and not record.terms.draw_offers:
        yield f"VALID so far: {BY_PLAYERS[record.ended_by]}, which no ballot proves"
    elif record.result == "open":
        aborted = record.state == MatchState.ABORTED
        yield f"VALID so far: the match {'was aborted without a result' if aborted else 'has no result'}"
    elif record.result == "draw":
        yield "VALID: a draw"
    else:
        yield f"VALID: {record.result} won, {getattr(record.teams, record.result)}"


def printable(text: str) -> str:
    """Replace characters that could control the terminal or that it cannot encode. Names are untrusted."""
    shown = "".join(char if char.isprintable() else "?" for char in text)
    encoding = sys.stdout.encoding or "utf-8"
    return shown.encode(encoding, "replace").decode(encoding)
