"""Rename a cup and its teams, and let a late team replace the computer. The draw stays as it is."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from crowdgame.organizer.cups.cups import (
    CupError,
    CupProgress,
    changing_cup,
    load_cup_progress,
    name_event,
)
from crowdgame.organizer.cups.models import Cup, CupPairing
from voting.matches import locked_event
from voting.models import Event
from voting.names import clean_name
from voting.terms import PHONES


def rename_cup(cup_id: int, name: str, teams: Sequence[str]) -> tuple[Event, ...]:
    """Rename the cup and its teams (names by seed). Returns the events that changed.

    A name for the computer's seed is that of a team that replaces it. Raises CupError if the cup has been
    deleted, or if the computer's first pairing has started.
    """
    with changing_cup(cup_id) as cup:
        before = load_cup_progress(cup)
        if before.filler and len(teams) >= before.filler:
            if not may_replace_filler(cup):
                raise CupError(_("The computer's first pairing has already started."))
            cup.teams.filter(seed=before.filler).update(source=PHONES)
        Cup.objects.filter(pk=cup.pk).update(name=clean_name(name))
        for seed, team in enumerate(teams, 1):
            cup.teams.filter(seed=seed).update(name=clean_name(team))
        after = load_cup_progress(Cup.objects.get(pk=cup.pk))
        held = cup.pairings.exclude(event=None).select_related("event").order_by("number")
        return tuple(row.event for row in held if row.event and _rename(row, row.event, before, after))


def may_replace_filler(cup: Cup) -> bool:
    """Whether the computer fills a place of the cup, and none of its pairings has started or is decided."""
    progress = load_cup_progress(cup)
    held = [meeting.teams for meeting in progress.meetings if meeting.held]
    return progress.filler is not None and not any(progress.filler in teams for teams in held)


def _rename(row: CupPairing, held: Event, before: CupProgress, after: CupProgress) -> bool:
    """Rename a pairing's event and teams, and return whether anything changed.

    Keeps names that the organizer has edited there.
    """
    pairing = before.draw[row.number - 1]
    was, now = name_event(before, pairing), name_event(after, pairing)
    with locked_event(held.pk) as event:
        changed = Event.objects.filter(pk=event.pk, name=was).exclude(name=now).update(name=now)
        for number, seed in ((1, row.red), (2, row.yellow)):
            team = event.teams.filter(number=number, name=before.names[seed])
            changed += team.exclude(name=after.names[seed]).update(name=after.names[seed])
    return bool(changed)
