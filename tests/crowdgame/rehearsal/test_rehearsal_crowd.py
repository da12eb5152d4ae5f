"""The ballots of a simulated crowd at a fake server over real WebSockets."""

import asyncio
from collections import Counter
from dataclasses import replace

from tests.voting.fake_server import FakeServer, Seat, refusal
from tests.voting.rehearsal_helpers import (
    PHONES,
    PLAN,
    assert_ledgers_agree,
    no_phone_breaks,
    rehearse,
    until_voted,
)
from voting.protocol import BallotCast, BallotRefused

__all__ = ["no_phone_breaks"]


def test_crowd_votes_and_report_matches_server() -> None:
    fake = FakeServer()
    report = rehearse(fake)
    assert (report.joined, report.connected, report.reconnects) == (PHONES, PHONES, 0)
    assert [entry.reveals_received for entry in report.turns] == [PHONES, PHONES]
    assert [len(ballots) for ballots in fake.sealed.values()] == [PHONES, PHONES]
    assert report.ballots.sent == report.ballots.acknowledged
    assert (report.ballots.refused, report.ballots.lost, report.unreadable) == ({}, 0, 0)
    assert report.ack_ms
    assert report.reveal_ms
    assert 0 <= report.reveal_ms.p50 < 60_000  # the fake server's clock is an hour ahead
    assert_ledgers_agree(report, fake)


def test_changed_vote_increases_sequence() -> None:
    fake = FakeServer()
    rehearse(fake, replace(PLAN, phones=40, turns=1))
    sequences: dict[str, list[int]] = {}
    for voter, cast in fake.casts:
        if cast.sequence not in sequences.setdefault(voter, []):  # an unanswered ballot is resent
            sequences[voter].append(cast.sequence)
    assert set(map(tuple, sequences.values())) == {(1,), (1, 2)}


def test_unanswered_ballot_is_resent_unchanged() -> None:
    attempts: Counter[tuple[int, int]] = Counter()

    def ignore_first_ballots(cast: BallotCast) -> bool:
        attempts[cast.turn, len(fake.casts)] += 1
        return len(fake.casts) > PHONES

    fake = FakeServer(window_ms=4000, accepts=ignore_first_ballots)
    report = rehearse(fake, replace(PLAN, turns=1))
    first = dict(reversed(fake.casts[:PHONES]))
    resent = [(voter, cast) for voter, cast in fake.casts[PHONES:] if voter in first]
    assert any(first[voter] == cast for voter, cast in resent)
    assert len(fake.sealed[1]) == PHONES
    assert report.ballots.lost == 0
    assert_ledgers_agree(report, fake)


def test_ballots_are_resent_in_new_epoch() -> None:
    async def lose_box(fake: FakeServer) -> None:
        await until_voted(fake, PHONES)
        fake.lose_box()

    fake = FakeServer(window_ms=2500)
    report = rehearse(fake, replace(PLAN, turns=1), lose_box)
    assert len(fake.sealed[1]) == PHONES
    assert {cast.epoch for _, cast in fake.casts} == {1, 2}
    assert_ledgers_agree(report, fake)


def test_ballot_refused_as_unknown_is_resent_in_new_epoch() -> None:
    async def lose_box_silently(fake: FakeServer) -> None:
        await until_voted(fake, PHONES // 2)
        fake.ballots, fake.epoch = {}, 2
        await asyncio.sleep(0.8)
        fake.lose_box()

    fake = FakeServer(window_ms=3000)
    report = rehearse(fake, replace(PLAN, turns=1), lose_box_silently)
    assert report.ballots.refused["unknown"]
    assert len(fake.sealed[1]) == PHONES
    assert_ledgers_agree(report, fake)


def test_stale_ballot_is_resent_with_next_sequence() -> None:
    def refuse_up_to_seven(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "stale", last=7) if cast.sequence <= 7 else None

    fake = FakeServer(refuse=refuse_up_to_seven)
    report = rehearse(fake, replace(PLAN, turns=1))
    assert {sequence for _, _, sequence in fake.sealed[1].values()} <= {8, 9}
    assert len(fake.sealed[1]) == PHONES
    assert_ledgers_agree(report, fake)


def test_busy_refusal_is_retried() -> None:
    def refuse_first_ballots(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "busy") if len(fake.casts) <= PHONES else None

    fake = FakeServer(window_ms=2500, refuse=refuse_first_ballots)
    report = rehearse(fake, replace(PLAN, turns=1))
    assert report.ballots.refused["busy"] == PHONES
    assert len(fake.sealed[1]) == PHONES
    assert_ledgers_agree(report, fake)


def test_permanently_refused_ballot_is_not_resent() -> None:
    fake = FakeServer(refuse=lambda seat, cast: refusal(cast, "illegal"))
    report = rehearse(fake, replace(PLAN, turns=1))
    assert report.ballots.acknowledged == 0
    assert report.ballots.refused == {"illegal": report.ballots.sent}
    assert len(set(fake.casts)) == len(fake.casts)


def test_report_counts_ballots_lost_by_server() -> None:
    report = rehearse(FakeServer(loses_ballot=True))
    assert [entry.missing for entry in report.turns] == [1, 1]
    assert (report.ballots.missing, report.ballots.lost) == (2, 0)
