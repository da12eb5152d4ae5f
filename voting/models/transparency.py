"""The tables of the transparency log (`voting.transparency`). They refer to no other table: entries stay."""

from django.db import models
from django.db.models import UniqueConstraint


class LogHead(models.Model):
    """The one row with the state of the log: its size and the roots of its complete subtrees.

    `key` is the private Ed25519 key. Restoring a backup deletes it, so that a new log begins.
    """

    size = models.BigIntegerField(default=0)
    hashes = models.BinaryField(default=b"")
    origin = models.CharField(max_length=200, blank=True, default="")
    key = models.BinaryField(default=b"")

    def __str__(self) -> str:
        return f"{self.origin} {self.size}"


class LogEntry(models.Model):
    """An entry of the log. Its id is its index."""

    turn = models.BigIntegerField(null=True, db_index=True)
    content = models.TextField()

    def __str__(self) -> str:
        return f"{self.pk}"


class LogTileHash(models.Model):
    """The hash at this place of all tiles of its level, from level 1 on."""

    level = models.PositiveSmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField()

    class Meta:
        constraints = [UniqueConstraint(fields=["level", "index"], name="log_tile_hash_once")]

    def __str__(self) -> str:
        return f"{self.level}/{self.index}"


class LogWitness(models.Model):
    """A witness that the operator accepts, and its latest cosignature.

    That is on the checkpoint with `size` and `root`; `cosigned_at` is in Unix milliseconds. The server sends
    new checkpoints to its `url`, if it has one.
    """

    key = models.CharField(max_length=2_000, unique=True)
    url = models.URLField(max_length=500, blank=True, default="")
    size = models.BigIntegerField(null=True)
    root = models.BinaryField(default=b"")
    cosignature = models.TextField(blank=True, default="")
    cosigned_at = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return self.key.partition("+")[0]
