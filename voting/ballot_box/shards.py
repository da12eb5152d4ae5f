"""Shards: the ballots of a turn in several slots, so that several nodes of a cluster share their work."""

from functools import lru_cache
from itertools import chain, count
from typing import NamedTuple
from zlib import crc32

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from voting.terms import MAX_SHARDS

# `cast.lua` numbers arrivals modulo this, so that no two shards share a number.
ARRIVAL_STEP = MAX_SHARDS


class Shard(NamedTuple):
    """One of the `total` parts of a turn's ballots. Each voter's ballots are in one of them."""

    number: int = 0
    total: int = 1

    @classmethod
    def all(cls, total: int) -> "tuple[Shard, ...]":
        return tuple(cls(number, total) for number in range(total))

    @classmethod
    def of(cls, voter: str, total: int) -> "Shard":
        """Return the voter's shard. Voter ids are random, so all shards get about as many."""
        return cls(crc32(voter.encode()) % total, total) if total > 1 else ONE_SHARD


ONE_SHARD = Shard()


@lru_cache(maxsize=1_000)
def shard_tags(event_id: int, shards: int) -> tuple[str, ...]:
    """Return the hash tag of each shard: the event id first, then one in each other part of the slots.

    So nodes with equal shares of the slots get equal numbers of shards.
    """
    tags: dict[int, str] = {}
    for tag in chain([str(event_id)], (f"{event_id}.{number}" for number in count(1))):
        tags.setdefault(key_slot(tag.encode()) * shards // REDIS_CLUSTER_HASH_SLOTS, tag)
        if len(tags) == shards:
            break
    return tuple(tags.values())
