"""The research export: each voter's votes across turns, without identities, if voters agreed beforehand."""

import csv
import io
from collections import Counter

import pytest
from django.test import Client

from crowdgame.maintenance.retention import anonymize_ballots
from crowdgame.results.reports.study import HEADER, studied_matches, study_rows
from tests.voting.match_helpers import (
    new_event,
    only_turn,
    open_now,
    organizer,
    play_out,
    play_turn,
    store,
    vote,
)
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import HAND_VOTER_PREFIX, Ballot
from voting.matches import end_match
from voting.models import Event, Match, TallyRecord
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db(transaction=True)

CONSENT = "A study of the university: how do crowds agree? Ask Ada, room 12."


def played(event: Event, box: BallotBox, *, ended: bool = True) -> Match:
    """Play two turns in which `red1` and `red2` vote alike, then end the match."""
    match = start_match(event.pk, box)
    for red, yellow in (([3, 3, 4], [1]), ([5, 5, 3], [2])):
        play_turn(only_turn(match), box, red, yellow)
    if ended:
        end_match(match, "draw", "board", box.now())
    return match


def rows_of(event: Event) -> list[dict[str, str]]:
    head, *rows = study_rows(event)
    assert head == HEADER
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_study_links_votes_of_a_voter_without_identity(box: BallotBox) -> None:
    event = new_event(consent=CONSENT, in_study=True)
    played(event, box)
    rows = rows_of(event)
    by_voter: dict[str, list[str]] = {}
    for row in rows:
        by_voter.setdefault(row["voter"], []).append(f"{row['turn']}: {row['side']} {row['choice']}")
    assert sorted(by_voter) == ["1", "2", "3", "4"]
    red, other, yellow = ("1: red 3", "2: red 5"), ("1: red 4", "2: red 3"), ("1: yellow 1", "2: yellow 2")
    assert Counter(map(tuple, by_voter.values())) == {red: 2, other: 1, yellow: 1}
    picked = {f"{row['turn']}: {row['side']} {row['picked']}" for row in rows}
    assert picked == {"1: red 3", "1: yellow 1", "2: red 5", "2: yellow 2"}
    text = str(rows)
    assert "red1" not in text
    assert "yellow1" not in text
    firsts = {next(row["side"] + row["choice"] for row in rows_of(event)) for _ in range(60)}
    assert firsts == {"red3", "red4", "yellow1"}, "voters' numbers are shuffled"


def test_study_excludes_matches_without_notice_and_anonymized_tallies(box: BallotBox) -> None:
    event = new_event(consent="We take pictures of the hall.")
    played(event, box)
    assert not studied_matches(event).exists()
    Event.objects.filter(pk=event.pk).update(consent=CONSENT, in_study=True)
    event.refresh_from_db()
    assert rows_of(event) == []
    match = played(event, box)
    played(event, box, ended=False)
    assert {row["match"] for row in rows_of(event)} == {"2"}
    record = TallyRecord.objects.filter(turn__match=match).first()
    assert record
    TallyRecord.objects.filter(pk=record.pk).update(sealed=anonymize_ballots(bytes(record.sealed)))
    assert rows_of(event) == []


def test_study_excludes_counted_hands(box: BallotBox) -> None:
    turn = only_turn(start_match(new_event(consent=CONSENT, in_study=True).pk, box))
    open_now(turn, box)
    vote(turn, box, [3])
    store(turn, [Ballot(f"{HAND_VOTER_PREFIX}y{number}", "yellow", 5, 1) for number in range(3)])
    end_match(play_out(turn, box).match, "draw", "board", box.now())
    assert [(row["side"], row["choice"]) for row in rows_of(turn.match.event)] == [("red", "3")]


def test_consent_text_is_fixed_during_a_match(box: BallotBox) -> None:
    event = new_event(consent=CONSENT)

    def change(consent: str) -> str:
        """Return the text that phones show."""
        Event.objects.update(consent=consent)
        event.refresh_from_db()
        return load_snapshot(event).consent

    match = start_match(event.pk, box)
    assert change("") == CONSENT
    end_match(match, "draw", "board", box.now())
    assert change("") == ""
    start_match(event.pk, box)
    assert change(CONSENT) == ""


def test_study_export_is_a_private_download(box: BallotBox, client: Client) -> None:
    event = new_event(consent=CONSENT, in_study=True)
    played(event, box)
    client.force_login(organizer())
    response = client.get(f"/console/{event.code}/study.csv")
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    assert (tuple(rows[0]), len(rows)) == (HEADER, 1 + 8)
    assert "Votes for research (1 match)" in client.get(f"/console/{event.code}/edit/").content.decode()
