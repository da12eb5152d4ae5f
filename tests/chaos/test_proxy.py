"""The bad line does what it says, and our own clients of Valkey live with it."""

import time
from collections.abc import Callable, Iterator
from hashlib import sha1
from urllib.parse import urlsplit

import pytest
from redis import Redis, RedisError

from deploy.laptop.network import LOOPBACK
from tests.chaos.faults.network import LUA
from tests.chaos.proxy import Impairment, Proxy
from tests.deploy.processes import wait_until
from tests.voting.match_helpers import ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, Sealed

PATIENCE_S = 2.0
TURN = BoxedTurn(event_id=1, turn_id=1, version=1, epoch=1, opens_at=0, closes_at=1 << 50)
OVER = BoxedTurn(event_id=1, turn_id=1, version=2, epoch=1, opens_at=0, closes_at=1)


@pytest.fixture
def proxy(valkey_url: str) -> Iterator[Proxy]:
    with Proxy(urlsplit(valkey_url).port or 0) as proxy:
        yield proxy


@pytest.fixture
def far(proxy: Proxy) -> Iterator[BallotBox]:
    """A box at the other end of the line."""
    box = BallotBox(f"redis://{LOOPBACK}:{proxy.port}/0")
    yield box
    box.close()


def losing_answer(script: str) -> Impairment:
    return Impairment(lost_answer=sha1((LUA / f"{script}.lua").read_bytes()).hexdigest().encode())  # noqa: S324


def test_a_line_without_trouble_is_none(proxy: Proxy, far: BallotBox) -> None:
    assert far.now()
    assert proxy.lines() == 1


def test_delay_and_narrowness_take_their_time(proxy: Proxy, far: BallotBox) -> None:
    far.now()
    for impairment in (Impairment(delay_s=0.2), Impairment(rate=100)):
        began = time.monotonic()
        with proxy.impaired(impairment):
            far.now()
        assert time.monotonic() - began >= 0.3


def test_whoever_asks_into_a_black_hole_is_told_in_time_and_can_ask_again(
    proxy: Proxy, far: BallotBox
) -> None:
    far.now()
    began = time.monotonic()
    with proxy.impaired(Impairment(black_hole=True)), pytest.raises(RedisError):
        far.now()
    assert PATIENCE_S - 0.1 < time.monotonic() - began < PATIENCE_S + 10
    assert far.now()


@pytest.mark.parametrize("harm", [Proxy.cut, Proxy.half_close])
def test_a_line_that_ended_is_not_used_again(
    proxy: Proxy, far: BallotBox, harm: Callable[[Proxy], None]
) -> None:
    far.now()
    harm(proxy)
    assert far.now()


def test_a_line_is_cut_after_so_many_bytes(proxy: Proxy, far: BallotBox) -> None:
    far.now()
    with proxy.impaired(Impairment(cut_after=1)), pytest.raises(RedisError):
        far.now()
    assert proxy.cuts == 1


def test_no_call_is_made_again_behind_our_back(proxy: Proxy, far: BallotBox, valkey_url: str) -> None:
    """Whoever calls decides; a client that asks again by itself would hide how long it took."""
    far.place(TURN, create=True)
    with Redis.from_url(valkey_url) as redis:
        redis.config_resetstat()
        with proxy.impaired(losing_answer("cast")), pytest.raises(RedisError):
            far.cast(TURN, ballots("red", [3]))
        assert redis.info("commandstats")["cmdstat_evalsha"]["calls"] == 1
    assert proxy.losses == 1


def test_a_ballot_whose_answer_was_lost_counts_once_when_it_is_sent_again(
    proxy: Proxy, far: BallotBox
) -> None:
    far.place(TURN, create=True)
    with proxy.impaired(losing_answer("cast")), pytest.raises(RedisError):
        far.cast(TURN, ballots("red", [3]))
    far.cast(TURN, ballots("red", [3]))
    sealed = far.seal(OVER)
    assert isinstance(sealed, Sealed)
    assert [(ballot.choice, ballot.arrival) for ballot in sealed.ballots] == [(3, 1)]


def test_a_seal_whose_answer_was_lost_is_the_same_when_asked_again(proxy: Proxy, far: BallotBox) -> None:
    far.place(TURN, create=True)
    far.cast(TURN, ballots("red", [3, 4]))
    began = far.now()
    with proxy.impaired(losing_answer("seal")), pytest.raises(RedisError):
        far.seal(OVER)
    lost = far.now()
    wait_until(lambda: far.now() > lost)
    sealed = far.seal(OVER)
    assert isinstance(sealed, Sealed)
    assert len(sealed.ballots) == 2
    assert began <= sealed.sealed_at <= lost
