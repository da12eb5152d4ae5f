"""The witnesses that the operator accepts: store their cosignatures, send them new checkpoints."""

import time
from collections.abc import Iterable
from http import HTTPStatus

from django.db.models import Subquery

from voting.models import LogEntry, LogWitness
from voting.names import clean_name
from voting.transparency.checkpoints import SIZE, Checkpoint, read_checkpoint
from voting.transparency.cosignatures import find_cosignature
from voting.transparency.log import has_checkpoint, load_log, log_subtrees
from voting.transparency.log_reader import TIMEOUT_S, post
from voting.transparency.merkle import prove_consistency
from voting.transparency.notes import (
    InvalidNote,
    SignedNote,
    encode_base64,
    parse_signatures,
    parse_verifier_key,
)

ATTEMPTS = 2
SHOWN_NAMES, MAX_NAME = 3, 24


class UnknownWitness(Exception):
    """No accepted witness cosigned the checkpoint."""


class WitnessRefuses(Exception):
    """The witness doesn't cosign the checkpoint."""


def store_cosignatures(content: bytes) -> None:
    """Store the cosignatures of accepted witnesses on a checkpoint of this log.

    Raises InvalidNote or UnknownWitness.
    """
    note, checkpoint = read_checkpoint(content, load_log().verifier_key)
    found = [
        (witness, cosignature)
        for witness in LogWitness.objects.all()
        if (cosignature := find_cosignature(note, parse_verifier_key(witness.key)))
    ]
    if not found:
        raise UnknownWitness
    if not has_checkpoint(checkpoint):
        raise InvalidNote("the log doesn't have this checkpoint")
    for witness, cosignature in found:
        newest = LogWitness.objects.filter(pk=witness.pk).exclude(size__gte=checkpoint.size)
        newest.update(
            size=checkpoint.size,
            root=checkpoint.root,
            cosignature=str(cosignature),
            cosigned_at=time.time_ns() // 1_000_000,
        )


def newest_cosigned(key_id: str) -> SignedNote | None:
    """Return the newest checkpoint that the witness with this key id cosigned, in hex."""
    for witness in LogWitness.objects.filter(key__contains=f"+{key_id}+", size__isnull=False):
        log = load_log()
        return log.sign(Checkpoint(log.origin, witness.size or 0, bytes(witness.root)))
    return None


def witness_names(turn_ids: Iterable[int]) -> tuple[str, ...]:
    """Return the names of the first witnesses that cosigned all entries of these turns, to be shown."""
    last = LogEntry.objects.filter(turn__in=turn_ids).order_by("-pk").values("pk")[:1]
    found = LogWitness.objects.filter(size__gt=Subquery(last)).order_by("pk")[:SHOWN_NAMES]
    return tuple(filter(None, (clean_name(str(witness))[:MAX_NAME] for witness in found)))


def submit_checkpoint(witness: LogWitness, timeout_s: float = TIMEOUT_S) -> None:
    """Send the latest checkpoint to the witness's address (c2sp.org/tlog-witness) and store its cosignature.

    Raises Unreachable, InvalidNote, InvalidProof, UnknownWitness or WitnessRefuses.
    """
    log, old_size = load_log(), witness.size or 0
    note = log.sign(log.checkpoint)
    for _ in range(ATTEMPTS):
        proof = prove_consistency(log_subtrees(log.checkpoint.size), old_size, log.checkpoint.size)
        lines = [f"old {old_size}", *map(encode_base64, proof), "", str(note)]
        answer = post(f"{witness.url.rstrip('/')}/add-checkpoint", "\n".join(lines).encode(), timeout_s)
        if answer.status != HTTPStatus.CONFLICT or not SIZE.fullmatch(answer.text):
            break
        old_size = int(answer.text)
        if old_size > log.checkpoint.size:
            raise WitnessRefuses(f"{witness} has seen {old_size} entries, but the log has less")
    if answer.status != HTTPStatus.OK:
        raise WitnessRefuses(f"{witness} answered {answer.status} to a checkpoint")
    signatures = parse_signatures(f"{answer.text}\n")
    store_cosignatures(str(SignedNote(note.text, (*note.signatures[:1], *signatures))).encode())
