"""The transparency log in the database: append to it, sign checkpoints, read tiles, prove entries.

All transactions that append lock the head's row last, after all events.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Subquery

from voting.counting.commitments import hash_leaf
from voting.models import LIVE_STATES, LogEntry, LogHead, LogTileHash, LogWitness, Turn, TurnState
from voting.transparency.checkpoints import HASH_BYTES, Checkpoint
from voting.transparency.entries import BACKUP_EPOCH_LEAP, Entry, Lot, Restored, encode_entry, entry_turn
from voting.transparency.merkle import (
    CompactRange,
    InvalidProof,
    Subtrees,
    hash_range,
    prove_consistency,
    prove_inclusion,
)
from voting.transparency.notes import (
    SignedNote,
    VerifierKey,
    ed25519_verifier_key,
    parse_signatures,
    sign_note,
)
from voting.transparency.proof_files import ProofFile
from voting.transparency.tiles import ENTRIES, HEIGHT, WIDTH, Level, encode_bundle, tile_subtrees

HEAD_ID, KEY_BYTES = 1, 32
LOT_PREFIX = '{"type":"lot 1"'


@dataclass(frozen=True, slots=True)
class Log:
    """The log at one moment: its latest checkpoint, and the key that signs it."""

    compact_range: CompactRange
    origin: str
    private: bytes

    @property
    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.origin, self.compact_range.size, self.compact_range.root)

    @property
    def verifier_key(self) -> VerifierKey:
        return ed25519_verifier_key(self.origin, self.private)

    def sign(self, checkpoint: Checkpoint) -> SignedNote:
        """Sign a checkpoint of this log, and add the cosignatures of witnesses on it."""
        text = str(checkpoint)
        seen = LogWitness.objects.filter(size=checkpoint.size, root=checkpoint.root).order_by("pk")
        lines = "".join(seen.values_list("cosignature", flat=True))
        cosignatures = parse_signatures(lines) if lines else ()
        return SignedNote(text, (sign_note(text, self.origin, self.private), *cosignatures))


def append_entries(entries: Sequence[Entry]) -> None:
    """Append to the log. Call it last in the transaction that writes what the entries say."""
    if entries:
        _append(_lock_head(), entries)


def load_log() -> Log:
    """Return the log as it is now. Makes its key if it has none yet."""
    head = LogHead.objects.filter(pk=HEAD_ID).first()
    if head is None or not head.key:
        with transaction.atomic():
            head = _lock_head()
    return Log(_compact_range(head), head.origin, bytes(head.key))


def _lock_head() -> LogHead:
    """Lock the head. Begins a log with a new key if there is none, or a backup was restored."""
    head, _ = LogHead.objects.select_for_update(no_key=True).get_or_create(pk=HEAD_ID)
    if not head.key:
        _begin_log(head)
    return head


def _begin_log(head: LogHead) -> None:
    """Make a key. After a restored backup, log that, and the new lots of turns that the log has.

    These were open in the backup, and may be void by now.
    """
    earlier, head.key = head.origin, os.urandom(KEY_BYTES)
    head.origin = _new_origin(bytes(head.key))
    if earlier:
        restored = Q(state__in=LIVE_STATES) | Q(state=TurnState.VOID, epoch__gt=BACKUP_EPOCH_LEAP)
        turns = Turn.objects.filter(restored, pk__in=LogEntry.objects.values("turn"))
        lots = [Lot(turn=turn.pk, lot=turn.lot) for turn in turns.order_by("pk")]
        LogWitness.objects.update(size=None, root=b"", cosignature="", cosigned_at=None)
        _append(head, [Restored(origin=earlier), *lots])
    else:
        head.save()


def _new_origin(private: bytes) -> str:
    """Return a name that no other log has: an address can be used again, also by this server."""
    public = ed25519_verifier_key("", private).public
    return f"{urlsplit(settings.PUBLIC_URL).netloc or 'crowdgame'}/log/{sha256(public).hexdigest()[:8]}"


def _compact_range(head: LogHead) -> CompactRange:
    hashes = bytes(head.hashes)
    return CompactRange(
        head.size, tuple(hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES))
    )


def _append(head: LogHead, entries: Sequence[Entry]) -> None:
    contents = [encode_entry(entry) for entry in entries]
    after, completed = _compact_range(head).append(map(hash_leaf, contents))
    LogEntry.objects.bulk_create(
        LogEntry(pk=index, turn=entry_turn(entry), content=content.decode())
        for index, (entry, content) in enumerate(zip(entries, contents, strict=True), head.size)
    )
    LogTileHash.objects.bulk_create(
        LogTileHash(level=height // HEIGHT, index=index, hash=root)
        for height, index, root in completed
        if height % HEIGHT == 0
    )
    head.size, head.hashes = after.size, b"".join(after.hashes)
    head.save()


def read_tile(level: Level, index: int, width: int) -> bytes | None:
    """Return a tile or entry bundle; None if the log has no such one yet."""
    first = index * WIDTH
    if isinstance(level, int) and level:
        rows = LogTileHash.objects.filter(level=level, index__gte=first, index__lt=first + width)
        hashes = [bytes(one) for one in rows.order_by("index").values_list("hash", flat=True)]
        return b"".join(hashes) if len(hashes) == width else None
    entries = LogEntry.objects.filter(pk__gte=first, pk__lt=first + width).order_by("pk")
    contents = [content.encode() for content in entries.values_list("content", flat=True)]
    if len(contents) < width:
        return None
    return encode_bundle(contents) if level == ENTRIES else b"".join(map(hash_leaf, contents))


def log_subtrees(size: int) -> Subtrees:
    """Return the subtrees of the first `size` entries. Reading raises InvalidProof if one is missing."""

    def read(level: int, index: int, width: int) -> bytes:
        tile = read_tile(level, index, width)
        if tile is None:
            raise InvalidProof("the log lacks entries")
        return tile

    return tile_subtrees(read, size)


def log_root(size: int) -> bytes:
    return hash_range(log_subtrees(size), 0, size)


def has_checkpoint(checkpoint: Checkpoint) -> bool:
    """Return whether the entries of the log are those that the checkpoint commits to."""
    try:
        return log_root(checkpoint.size) == checkpoint.root
    except InvalidProof:
        return False


def prove_entries(turn_ids: Iterable[int]) -> list[tuple[str, ProofFile]]:
    """Return the turns' entries with proofs for the newest cosigned checkpoint, or without one the latest.

    Raises InvalidProof.
    """
    entries = LogEntry.objects.filter(turn__in=turn_ids).order_by("pk").values_list("pk", "content")
    if not entries:
        return []
    log = load_log()
    last = max(index for index, _ in entries)
    cosigned = LogWitness.objects.filter(size__gt=last).order_by("-size").first()
    if cosigned and cosigned.size:
        checkpoint = Checkpoint(log.origin, cosigned.size, bytes(cosigned.root))
    else:
        checkpoint = log.checkpoint
    return _prove(entries, log.sign(checkpoint), log_subtrees(checkpoint.size), checkpoint.size)


def prove_turns(turn_ids: Iterable[int], known: int) -> tuple[list[tuple[str, ProofFile]], list[bytes]]:
    """Return the turns' entries with proofs for the first checkpoint that has them and `known` entries.

    With them come the first lot, because the log can't have the seals of earlier turns, and all restores.
    Also returns the proof that this checkpoint extends the one with `known` entries. Raises InvalidProof.
    """
    first_lot = LogEntry.objects.filter(content__startswith=LOT_PREFIX).order_by("pk").values("pk")[:1]
    shown = Q(turn__in=turn_ids) | Q(turn=None) | Q(pk=Subquery(first_lot))
    log = load_log()
    proven = LogEntry.objects.filter(shown, pk__lt=log.checkpoint.size)
    entries = proven.order_by("pk").values_list("pk", "content")
    size = min(log.checkpoint.size, max(known, *(index + 1 for index, _ in entries), 1))
    subtrees = log_subtrees(size)
    note = log.sign(Checkpoint(log.origin, size, hash_range(subtrees, 0, size)))
    return _prove(entries, note, subtrees, size), prove_consistency(subtrees, min(known, size), size)


def _prove(
    entries: Iterable[tuple[int, str]], note: SignedNote, subtrees: Subtrees, size: int
) -> list[tuple[str, ProofFile]]:
    return [
        (content, ProofFile(index, tuple(prove_inclusion(subtrees, index, size)), note))
        for index, content in entries
    ]
