"""The ballots of a simulated crowd at a small server over real WebSockets."""

import asyncio
from collections import Counter
from dataclasses import replace

from tests.voting.fake_server import FakeServer, Seat, refusal
from tests.voting.rehearsal_helpers import (
    PHONES,
    PLAN,
    assert_the_books_agree,
    no_phone_breaks,
    rehearse,
    until_voted,
)
from voting.protocol import BallotCast, BallotRefused

__all__ = ["no_phone_breaks"]


def test_a_crowd_joins_votes_and_keeps_its_book() -> None:
    fake = FakeServer()
    report = rehearse(fake)
    assert (report.joined, report.connected, report.reconnects) == (PHONES, PHONES, 0)
    assert [entry.reveals_received for entry in report.turns] == [PHONES, PHONES]
    assert [len(ballots) for ballots in fake.sealed.values()] == [PHONES, PHONES]
    assert report.ballots.sent == report.ballots.acknowledged
    assert (report.ballots.refused, report.ballots.lost, report.unreadable) == ({}, 0, 0)
    assert report.ack_ms
    assert report.reveal_ms
    assert 0 <= report.reveal_ms.p50 < 60_000  # the small server's clock is an hour ahead
    assert_the_books_agree(report, fake)


def test_second_thoughts_have_a_growing_sequence() -> None:
    fake = FakeServer()
    rehearse(fake, replace(PLAN, phones=40, turns=1))
    sequences: dict[str, list[int]] = {}
    for voter, cast in fake.casts:
        if cast.sequence not in sequences.setdefault(voter, []):  # one unanswered for long is sent again
            sequences[voter].append(cast.sequence)
    assert set(map(tuple, sequences.values())) == {(1,), (1, 2)}


def test_an_unanswered_ballot_is_sent_again_the_same() -> None:
    attempts: Counter[tuple[int, int]] = Counter()

    def deaf_at_first(cast: BallotCast) -> bool:
        attempts[cast.turn, len(fake.casts)] += 1
        return len(fake.casts) > PHONES

    fake = FakeServer(window_ms=4000, accepts=deaf_at_first)
    report = rehearse(fake, replace(PLAN, turns=1))
    first = dict(reversed(fake.casts[:PHONES]))
    again = [(voter, cast) for voter, cast in fake.casts[PHONES:] if voter in first]
    assert any(first[voter] == cast for voter, cast in again)
    assert len(fake.sealed[1]) == PHONES
    assert report.ballots.lost == 0
    assert_the_books_agree(report, fake)


def test_a_new_epoch_brings_the_ballots_again() -> None:
    async def box_is_lost(fake: FakeServer) -> None:
        await until_voted(fake, PHONES)
        fake.lose_box()

    fake = FakeServer(window_ms=2500)
    report = rehearse(fake, replace(PLAN, turns=1), box_is_lost)
    assert len(fake.sealed[1]) == PHONES
    assert {cast.epoch for _, cast in fake.casts} == {1, 2}
    assert_the_books_agree(report, fake)


def test_an_unknown_box_is_told_again_with_the_new_epoch() -> None:
    async def box_is_lost_unsaid(fake: FakeServer) -> None:
        await until_voted(fake, PHONES // 2)
        fake.ballots, fake.epoch = {}, 2
        await asyncio.sleep(0.8)
        fake.lose_box()

    fake = FakeServer(window_ms=3000)
    report = rehearse(fake, replace(PLAN, turns=1), box_is_lost_unsaid)
    assert report.ballots.refused["unknown"]
    assert len(fake.sealed[1]) == PHONES
    assert_the_books_agree(report, fake)


def test_a_stale_ballot_is_sent_with_the_next_sequence() -> None:
    def has_seven(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "stale", last=7) if cast.sequence <= 7 else None

    fake = FakeServer(refuse=has_seven)
    report = rehearse(fake, replace(PLAN, turns=1))
    assert {sequence for _, _, sequence in fake.sealed[1].values()} <= {8, 9}
    assert len(fake.sealed[1]) == PHONES
    assert_the_books_agree(report, fake)


def test_a_busy_server_is_asked_again_soon() -> None:
    def is_busy_at_first(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "busy") if len(fake.casts) <= PHONES else None

    fake = FakeServer(window_ms=2500, refuse=is_busy_at_first)
    report = rehearse(fake, replace(PLAN, turns=1))
    assert report.ballots.refused["busy"] == PHONES
    assert len(fake.sealed[1]) == PHONES
    assert_the_books_agree(report, fake)


def test_a_ballot_refused_for_good_is_not_sent_again() -> None:
    fake = FakeServer(refuse=lambda seat, cast: refusal(cast, "illegal"))
    report = rehearse(fake, replace(PLAN, turns=1))
    assert report.ballots.acknowledged == 0
    assert report.ballots.refused == {"illegal": report.ballots.sent}
    assert len(set(fake.casts)) == len(fake.casts)


def test_a_forgotten_ballot_is_missed() -> None:
    report = rehearse(FakeServer(loses_ballot=True))
    assert [entry.missing for entry in report.turns] == [1, 1]
    assert (report.ballots.missing, report.ballots.lost) == (2, 0)
