"""A witness: cosigns only checkpoints that are consistent with the last one it cosigned.

Its folder holds its key, the key of the log and that checkpoint. One witness follows one log.
"""

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

import msgspec

from voting.counting.commitments import EMPTY
from voting.transparency.checkpoints import SIZE, Checkpoint, decode_hash, parse_checkpoint, read_checkpoint
from voting.transparency.cosignatures import Cosigner
from voting.transparency.log_reader import LogReader
from voting.transparency.merkle import InvalidProof, hash_range, prove_consistency, verify_consistency
from voting.transparency.notes import (
    InvalidNote,
    NoteSignature,
    SignedNote,
    VerifierKey,
    is_signed,
    parse_note,
    parse_verifier_key,
)

MAX_PROOF_LINES = 63
PRIVATE_BYTES = 32


class InconsistentLog(Exception):
    """The log showed two histories. The message says how."""


class Refused(Exception):
    """An answer of the witness protocol other than 200."""

    def __init__(self, status: HTTPStatus, body: str = "") -> None:
        super().__init__(body)
        self.status, self.body = status, body


class StoredCosigner(msgspec.Struct, frozen=True, kw_only=True):
    """The witness's key in `key.json`."""

    name: str
    kind: int
    private: str


@dataclass(frozen=True, slots=True)
class Witness:
    """The witness with this folder, which one process uses at a time."""

    folder: Path
    cosigner: Cosigner
    log_key: VerifierKey

    @property
    def origin_hash(self) -> str:
        return sha256(self.log_key.name.encode()).hexdigest()

    def latest(self) -> SignedNote | None:
        """Return the last checkpoint that the witness cosigned."""
        path = self.folder / "checkpoint"
        return parse_note(path.read_bytes()) if path.exists() else None

    def latest_checkpoint(self) -> Checkpoint:
        note = self.latest()
        return parse_checkpoint(note.text) if note else Checkpoint(self.log_key.name, 0, EMPTY)

    def examine(self, reader: LogReader, now_s: int) -> SignedNote | None:
        """Cosign the log's newest checkpoint if it is larger than the last and consistent with it.

        Returns the cosigned checkpoint, None if there is nothing new. Raises InconsistentLog and keeps both
        checkpoints; Unreachable or InvalidNote if the log has no valid checkpoint now.
        """
        content, latest = reader.read("checkpoint"), self.latest_checkpoint()
        shown = parse_checkpoint(parse_note(content).text)
        if shown.origin != self.log_key.name:
            self._keep_evidence(content)
            raise InconsistentLog(f"instead of the log {self.log_key.name}, there is now {shown.origin}")
        note, offered = read_checkpoint(content, self.log_key)
        older, newer = sorted((latest, offered), key=lambda checkpoint: checkpoint.size)
        try:
            subtrees = reader.subtrees(newer.size)
            if hash_range(subtrees, 0, newer.size) != newer.root:
                raise InvalidProof("its tiles have another root")
            proof = prove_consistency(subtrees, older.size, newer.size)
            verify_consistency(older.size, older.root, newer.size, newer.root, proof)
        except InvalidProof as error:
            self._keep_evidence(content)
            raise InconsistentLog(
                f"the checkpoint of size {offered.size} contradicts that of size {latest.size}: {error}"
            ) from error
        return self._cosign(note, now_s) if offered.size > latest.size else None

    def add_checkpoint(self, body: bytes, now_s: int) -> NoteSignature:
        """Answer `add-checkpoint` of c2sp.org/tlog-witness with a cosignature. Raises Refused."""
        old_size, proof, content = _parse_submission(body)
        note, offered = self._read_offered(content)
        if old_size > offered.size:
            raise Refused(HTTPStatus.BAD_REQUEST)
        latest = self.latest_checkpoint()
        if latest.size == offered.size and latest.root != offered.root:
            self._keep_evidence(content)
        if old_size != latest.size:
            raise Refused(HTTPStatus.CONFLICT, f"{latest.size}\n")
        try:
            verify_consistency(latest.size, latest.root, offered.size, offered.root, proof)
        except InvalidProof as error:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY) from error
        return self._cosign(note, now_s).signatures[-1]

    def _read_offered(self, content: bytes) -> tuple[SignedNote, Checkpoint]:
        try:
            note = parse_note(content)
            offered = parse_checkpoint(note.text)
        except InvalidNote as error:
            raise Refused(HTTPStatus.BAD_REQUEST) from error
        if offered.origin != self.log_key.name:
            raise Refused(HTTPStatus.NOT_FOUND)
        with suppress(InvalidNote):
            if is_signed(note, self.log_key):
                return note, offered
        raise Refused(HTTPStatus.FORBIDDEN)

    def _cosign(self, note: SignedNote, now_s: int) -> SignedNote:
        """Cosign and store before anyone gets the cosignature."""
        own = [signature for signature in note.signatures if signature.is_by(self.log_key)]
        cosigned = SignedNote(note.text, (*own, self.cosigner.cosign(note.text, now_s)))
        _replace(self.folder / "checkpoint", str(cosigned).encode())
        return cosigned

    def _keep_evidence(self, content: bytes) -> None:
        """Keep the two contradicting checkpoints."""
        if latest := self.latest():
            _replace(self.folder / "evidence-1", str(latest).encode())
        _replace(self.folder / "evidence-2", content)


def open_witness(
    folder: Path, name: str, kind: int, log_key: VerifierKey | None, reader: LogReader
) -> Witness:
    """Return the witness of this folder. A new one gets a key, and follows the log that the reader shows.

    Raises InvalidNote if the folder's log isn't `log_key`; also Unreachable and InvalidProof.
    """
    own, pinned = folder / "key.json", folder / "log.vkey"
    if not pinned.exists():
        _replace(pinned, f"{log_key or reader.read_key()}\n".encode())
    if not own.exists():
        made = StoredCosigner(name=name, kind=kind, private=secrets.token_hex(PRIVATE_BYTES))
        _replace(own, msgspec.json.encode(made))
    stored = msgspec.json.decode(own.read_bytes(), type=StoredCosigner)
    followed = parse_verifier_key(pinned.read_text())
    if log_key not in (None, followed):
        raise InvalidNote(f"the folder {folder} follows another log, {followed}")
    return Witness(folder, Cosigner(stored.name, stored.kind, bytes.fromhex(stored.private)), followed)


def _parse_submission(body: bytes) -> tuple[int, list[bytes], bytes]:
    """Return the old size, the consistency proof and the checkpoint. Raises Refused."""
    head, _, content = body.partition(b"\n\n")
    first, *lines = head.decode("ascii", "replace").split("\n")
    word, _, size = first.partition(" ")
    if word != "old" or not SIZE.fullmatch(size) or len(lines) > MAX_PROOF_LINES:
        raise Refused(HTTPStatus.BAD_REQUEST)
    try:
        return int(size), [decode_hash(line) for line in lines], content
    except InvalidNote as error:
        raise Refused(HTTPStatus.BAD_REQUEST) from error


def _replace(path: Path, content: bytes) -> None:
    """Write a private file completely, or not at all. Afterwards, it survives a power failure."""
    new = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(parent)
    os.close(parent)
