from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from redis import Redis, RedisError

from crowdgame.server.laptop.network import LOOPBACK
from tests.chaos.faults.network import losing_reply
from tests.chaos.proxy import Impairment, Proxy
from tests.deploy.processes import wait_until
from tests.voting.box_helpers import seal
from tests.voting.match_helpers import ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, Sealed

TURN = BoxedTurn(event_id=1, turn_id=1, version=1, epoch=1, opens_at=0, closes_at=1 << 50)
OVER = BoxedTurn(event_id=1, turn_id=1, version=2, epoch=1, opens_at=0, closes_at=1)


@pytest.fixture
def proxy(valkey_url: str) -> Iterator[Proxy]:
    with Proxy(urlsplit(valkey_url).port or 0) as proxy:
        yield proxy


@pytest.fixture
def far(proxy: Proxy) -> Iterator[BallotBox]:
    """A ballot box behind the proxy."""
    box = BallotBox(f"redis://{LOOPBACK}:{proxy.port}/0")
    yield box
    box.close()


@pytest.mark.parametrize("impairment", [Impairment(black_hole=True), Impairment(reset_after=1)])
def test_box_call_fails_while_the_network_drops_data_then_recovers(
    impairment: Impairment, proxy: Proxy, far: BallotBox
) -> None:
    far.now()
    with proxy.impaired(impairment), pytest.raises(RedisError):
        far.now()
    assert far.now()
    for close in (proxy.reset_all, proxy.half_close):
        close()
        assert far.now()


def test_box_counts_and_seals_once_after_lost_replies(proxy: Proxy, far: BallotBox, valkey_url: str) -> None:
    """The caller decides about retries; automatic ones would hide how long a call took."""
    earlier, ended = (replace(turn, turn_id=0) for turn in (TURN, OVER))
    far.place(earlier, create=True)
    far.cast(earlier, ballots("red", [1]))
    seal(far, ended)  # now Valkey has all scripts
    far.place(TURN, create=True)
    with Redis.from_url(valkey_url) as redis:
        redis.config_resetstat()
        with proxy.impaired(losing_reply("cast")), pytest.raises(RedisError):
            far.cast(TURN, ballots("red", [3]))
        assert redis.info("commandstats")["cmdstat_evalsha"]["calls"] == 1
    assert proxy.lost_replies == 1
    far.cast(TURN, ballots("red", [3]))
    began = far.now()
    with proxy.impaired(losing_reply("seal")), pytest.raises(RedisError):
        seal(far, OVER)
    lost = far.now()
    wait_until(lambda: far.now() > lost)
    sealed = seal(far, OVER)
    assert isinstance(sealed, Sealed)
    assert [(ballot.choice, ballot.arrival) for ballot in sealed.ballots] == [(3, 1)]
    assert began <= sealed.sealed_at <= lost
