"""The transparency log: whether its entries are complete, and witnesses that lag behind."""

import time
from collections.abc import Iterator

from crowdgame.maintenance.doctor.finding import Finding, not_visible
from voting.models import LogWitness
from voting.transparency.log import has_checkpoint, load_log

MAX_LAG_S = 600


def check_log() -> Iterator[Finding]:
    checkpoint = load_log().checkpoint
    if not has_checkpoint(checkpoint):
        yield Finding(
            "entries of the transparency log are missing or changed, so its witnesses report it",
            "Restore a backup; this begins a new log.",
        )
    for witness in LogWitness.objects.order_by("pk"):
        lag_s = time.time() - (witness.cosigned_at or 0) / 1000
        if (witness.size or 0) < checkpoint.size and lag_s > MAX_LAG_S:
            yield not_visible(
                f"the witness {witness} has cosigned {witness.size or 0} of {checkpoint.size} log entries",
                "Start it again, or run `crowdgame witnesses remove`.",
            )
