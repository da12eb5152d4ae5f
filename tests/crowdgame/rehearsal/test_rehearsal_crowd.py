"""The ballots of a simulated crowd at a small server over real WebSockets."""

import asyncio
from collections import Counter
from dataclasses import replace

from tests.voting.rehearsing import (
    PHONES,
    PLAN,
    assert_the_books_agree,
    no_phone_breaks,
    rehearse,
    until_voted,
)
from tests.voting.small_hall import Seat, SmallHall, refusal
from voting.protocol import BallotCast, BallotRefused

__all__ = ["no_phone_breaks"]


def test_a_crowd_joins_votes_and_keeps_its_book() -> None:
    small = SmallHall()
    report = rehearse(small)
    assert (report.joined, report.connected, report.reconnects) == (PHONES, PHONES, 0)
    assert [entry.told for entry in report.turns] == [PHONES, PHONES]
    assert [len(ballots) for ballots in small.sealed.values()] == [PHONES, PHONES]
    assert report.ballots.sent == report.ballots.acknowledged
    assert (report.ballots.refused, report.ballots.lost, report.unreadable) == ({}, 0, 0)
    assert report.ack_ms
    assert report.reveal_ms
    assert 0 <= report.reveal_ms.p50 < 60_000  # the small server's clock is an hour ahead
    assert_the_books_agree(report, small)


def test_second_thoughts_have_a_growing_sequence() -> None:
    small = SmallHall()
    rehearse(small, replace(PLAN, phones=40, turns=1))
    sequences: dict[str, list[int]] = {}
    for voter, cast in small.casts:
        if cast.sequence not in sequences.setdefault(voter, []):  # one unanswered for long is sent again
            sequences[voter].append(cast.sequence)
    assert set(map(tuple, sequences.values())) == {(1,), (1, 2)}


def test_an_unanswered_ballot_is_sent_again_the_same() -> None:
    heard: Counter[tuple[int, int]] = Counter()

    def deaf_at_first(cast: BallotCast) -> bool:
        heard[cast.turn, len(small.casts)] += 1
        return len(small.casts) > PHONES

    small = SmallHall(window_ms=4000, hears=deaf_at_first)
    report = rehearse(small, replace(PLAN, turns=1))
    first = dict(reversed(small.casts[:PHONES]))
    again = [(voter, cast) for voter, cast in small.casts[PHONES:] if voter in first]
    assert any(first[voter] == cast for voter, cast in again)
    assert len(small.sealed[1]) == PHONES
    assert report.ballots.lost == 0
    assert_the_books_agree(report, small)


def test_a_new_epoch_brings_the_ballots_again() -> None:
    async def box_is_lost(small: SmallHall) -> None:
        await until_voted(small, PHONES)
        small.lose_box()

    small = SmallHall(window_ms=2500)
    report = rehearse(small, replace(PLAN, turns=1), box_is_lost)
    assert len(small.sealed[1]) == PHONES
    assert {cast.epoch for _, cast in small.casts} == {1, 2}
    assert_the_books_agree(report, small)


def test_an_unknown_box_is_told_again_with_the_new_epoch() -> None:
    async def box_is_lost_unsaid(small: SmallHall) -> None:
        await until_voted(small, PHONES // 2)
        small.ballots, small.epoch = {}, 2
        await asyncio.sleep(0.8)
        small.lose_box()

    small = SmallHall(window_ms=3000)
    report = rehearse(small, replace(PLAN, turns=1), box_is_lost_unsaid)
    assert report.ballots.refused["unknown"]
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_a_stale_ballot_is_sent_with_the_next_sequence() -> None:
    def has_seven(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "stale", last=7) if cast.sequence <= 7 else None

    small = SmallHall(refuse=has_seven)
    report = rehearse(small, replace(PLAN, turns=1))
    assert {sequence for _, _, sequence in small.sealed[1].values()} <= {8, 9}
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_a_busy_server_is_asked_again_soon() -> None:
    def is_busy_at_first(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "busy") if len(small.casts) <= PHONES else None

    small = SmallHall(window_ms=2500, refuse=is_busy_at_first)
    report = rehearse(small, replace(PLAN, turns=1))
    assert report.ballots.refused["busy"] == PHONES
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_a_ballot_refused_for_good_is_not_sent_again() -> None:
    small = SmallHall(refuse=lambda seat, cast: refusal(cast, "illegal"))
    report = rehearse(small, replace(PLAN, turns=1))
    assert report.ballots.acknowledged == 0
    assert report.ballots.refused == {"illegal": report.ballots.sent}
    assert len(set(small.casts)) == len(small.casts)


def test_a_forgotten_ballot_is_missed() -> None:
    report = rehearse(SmallHall(forgets=True))
    assert [entry.missing for entry in report.turns] == [1, 1]
    assert (report.ballots.missing, report.ballots.lost) == (2, 0)
