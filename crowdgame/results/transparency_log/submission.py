"""Send new checkpoints to the witnesses that have an address, each in a thread that nothing waits for."""

import logging
import time
from dataclasses import dataclass, field
from threading import Thread

from django.db import DatabaseError, connection
from django.db.models import Q

from voting.models import LogHead, LogWitness
from voting.transparency.accepted_witnesses import UnknownWitness, WitnessRefuses, submit_checkpoint
from voting.transparency.log import HEAD_ID
from voting.transparency.log_reader import Unreachable
from voting.transparency.merkle import InvalidProof
from voting.transparency.notes import InvalidNote

INTERVAL_S = 5.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class CheckpointSender:
    """A job of the scheduler. One attempt with each witness runs at a time."""

    threads: dict[int, Thread] = field(default_factory=dict)
    asked_at: float = float("-inf")

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self.asked_at < INTERVAL_S:
            return
        self.asked_at = now
        self.threads = {pk: thread for pk, thread in self.threads.items() if thread.is_alive()}
        for witness in find_due_witnesses():
            if witness.pk not in self.threads:
                thread = Thread(target=_submit, args=[witness], name="checkpoints", daemon=True)
                self.threads[witness.pk] = thread
                thread.start()


def find_due_witnesses() -> list[LogWitness]:
    """Return the witnesses with an address that haven't cosigned the latest checkpoint."""
    size = LogHead.objects.filter(pk=HEAD_ID).values("size")
    return list(LogWitness.objects.exclude(url="").filter(Q(size=None) | Q(size__lt=size)))


def _submit(witness: LogWitness) -> None:
    try:
        submit_checkpoint(witness)
    except (Unreachable, InvalidNote, InvalidProof, UnknownWitness, WitnessRefuses, DatabaseError) as error:
        log.warning("the witness %s did not cosign: %s", witness, error)
    finally:
        connection.close()
