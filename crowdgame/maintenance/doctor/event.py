"""An event before it begins: do its settings let people in, and is there room for all of them?"""

import time
from collections.abc import Iterator
from math import ceil
from pathlib import Path

from django.conf import settings

from crowdgame.maintenance.doctor.finding import Finding, not_visible
from crowdgame.maintenance.doctor.processes import SPARE_FILES, Samples, read_samples
from voting.models import Event
from voting.terms import Admission, Lobby

PHONES_PER_GATEWAY = 10_000
KIB_PER_PHONE = 36
MEMORY = Path("/proc/meminfo")


def check_event(event: Event, people: int | None) -> Iterator[Finding]:
    """Check the event for this many people; None: for all who have a ticket or are on the class list."""
    invited = event.tickets.count()
    yield from _entrance(event, invited, people)
    if people := people or invited:
        yield from capacity_findings(people, read_samples())
        yield from memory_findings(people, MEMORY.read_text() if MEMORY.exists() else "")
    else:
        yield not_visible("how many people will come is not known", "Add `--people` with their number.")


def _entrance(event: Event, invited: int, people: int | None) -> Iterator[Finding]:
    if event.ends_at is not None and event.ends_at <= time.time() * 1000:
        yield Finding("the event has ended", "Set a later end on the console.")
    if event.lobby == Lobby.LOCKED:
        yield Finding("joining is locked", "Unlock it on the console.")
    if event.lobby == Lobby.CLOSED and event.next_match_at is None:
        yield not_visible("the lobby is not open, and no match is planned", "Open it when people may join.")
    if event.admission in {Admission.TICKETS, Admission.ROSTER} and invited < max(1, people or 0):
        yield Finding(f"{invited} people have a code to join", "Make tickets, or add to the class list.")


def capacity_findings(people: int, samples: Samples) -> Iterator[Finding]:
    """Compare the gateways of this machine with what so many phones need."""
    files = [int(most) for labels, most in samples["process_max_fds"] if labels["role"] == "gateway"]
    if not files:
        yield not_visible("the gateways are not visible from here", "Run this on their machine.")
        return
    room = sum(min(settings.EVENT_PHONES, most - SPARE_FILES) for most in files)
    if people > room:
        yield Finding(
            f"the gateways on this machine have room for {room} phones, but {people} people will come",
            "Raise EVENT_PHONES and `LimitNOFILE=`, or start more gateways.",
        )
    needed = ceil(people / PHONES_PER_GATEWAY) + 1
    if len(files) < needed:
        yield not_visible(
            f"running gateways: {len(files)}; needed for {people} people, with a spare: {needed}",
            "Start more: see docs/performance.md, Capacity planning.",
        )


def memory_findings(people: int, meminfo: str) -> Iterator[Finding]:
    """Check that the memory that the kernel reports as available holds so many phones."""
    fields = dict(line.split(":", 1) for line in meminfo.splitlines())
    free_mib = int(fields.get("MemAvailable", "0").split()[0]) // 1024
    needed_mib = people * KIB_PER_PHONE // 1024
    if fields and free_mib < needed_mib:
        yield Finding(
            f"{free_mib} MiB of memory are free, but {people} phones need {needed_mib}",
            "Stop other programs, or move gateways to another machine.",
        )
