"""What a snapshot shows of the turn that was resolved last."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import msgspec
from django.utils.translation import gettext
from msgspec.structs import replace

from games.engine.game import SIDES, Resolution, Side
from games.engine.texts import translate_drawing, translate_text
from voting import protocol
from voting.counting.pacing import RevealSteps, find_close_call, pace_reveal
from voting.counting.tally import SideTally
from voting.models import Match, TallyRecord, Turn
from voting.positions import Position
from voting.terms import Pace


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """A match in its `position`, with its `live` turn, and the tallies that its reveal shows.

    `steps` are those of the reveal, unless they have yet to be planned.
    """

    match: Match
    position: Position
    live: Turn | None
    tallies: Sequence[TallyRecord]
    steps: RevealSteps | None = None


def show_reveal(shown: ShownMatch) -> protocol.Reveal:
    match, position, records = shown.match, shown.position, shown.tallies
    turn, kept = position.turns[-1], position.revealed_with_last
    tallies = _public_tallies(match, records)
    red, yellow = (tallies.get(side) for side in SIDES)
    resolution = position.resolutions[-1]
    return protocol.Reveal(
        turn=turn.pk,
        number=turn.number,
        sealed_at=turn.sealed_at or 0,
        resolved_at=turn.resolved_at or 0,
        red=red,
        yellow=yellow,
        resolution=_translate_resolution(resolution),
        steps=shown.steps or plan_reveal(match, resolution, records),
        close_call=find_close_call(resolution, tallies),
        seed=None if match.is_secret else turn.seed,
        concealed=replace(show_concealed(kept), seed=kept.seed) if kept else None,
        turn_commitment=turn.turn_commitment or None,
    )


def _translate_resolution(resolution: Resolution) -> Resolution:
    sentences = tuple(translate_text(sentence, gettext) for sentence in resolution.sentences)
    before = resolution.before and translate_drawing(resolution.before, gettext)
    return replace(resolution, sentences=sentences, before=before)


def plan_reveal(match: Match, resolution: Resolution, records: Iterable[TallyRecord]) -> RevealSteps:
    """Return the steps of the reveal of a turn with these tallies. They follow from what the reveal shows."""
    tallies = _public_tallies(match, records)
    names: dict[Side, str] = {"red": match.red.name, "yellow": match.yellow.name}
    return pace_reveal(resolution, tallies, find_close_call(resolution, tallies), names, Pace(match.pace))


def _public_tallies(match: Match, records: Iterable[TallyRecord]) -> dict[Side, SideTally]:
    return {cast(Side, record.side): _tally(record, match) for record in records}


def show_concealed(turn: Turn) -> protocol.Concealed:
    """A concealed turn: it reveals only the seal, nothing of the votes."""
    record = turn.tallies.get()
    return protocol.Concealed(
        turn=turn.pk,
        number=turn.number,
        side=cast(Side, record.side),
        sealed_at=turn.sealed_at or 0,
        root=record.root,
        ballots=record.ballots,
    )


def _tally(record: TallyRecord, match: Match) -> SideTally:
    if match.is_secret:
        return SideTally(counts=(), ballots=0, pick=record.pick, decided_by=None)
    return msgspec.convert(record, SideTally, from_attributes=True)
