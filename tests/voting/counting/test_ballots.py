from random import Random

import msgspec
import pytest
from django.conf import settings
from hypothesis import given

from tests.voting.ballot_strategies import ballot_lists
from voting.counting.ballots import Ballot, merge_ballots, pack_ballots, unpack_ballots
from voting.counting.voter_codes import (
    VOTER_CODE_ALPHABET,
    VOTER_CODE_LENGTH,
    derive_voter_code,
    normalize_voter_code,
)


@given(ballot_lists, ballot_lists)
def test_merge_ballots_keeps_newest_by_arrival(sealed: list[Ballot], stored: list[Ballot]) -> None:
    merged = merge_ballots(sealed, stored)
    newest = {ballot.voter: ballot.sequence for ballot in sorted(sealed + stored, key=lambda b: b.sequence)}
    assert {ballot.voter: ballot.sequence for ballot in merged} == newest
    assert len(merged) == len(newest)
    assert set(merged) <= set(sealed + stored)
    assert merge_ballots(merged, stored) == merge_ballots(merged, merged) == merged
    arrivals = [ballot.arrival for ballot in merge_ballots(sealed, ())]
    assert arrivals == sorted(arrivals)


def test_merge_ballots_prefers_sealed_copy_with_arrival() -> None:
    sealed, stored = Ballot("v", "red", 3, 2, arrival=9), Ballot("v", "red", 3, 2)
    assert merge_ballots([sealed], [stored]) == (sealed,)


@given(ballot_lists)
def test_pack_ballots_round_trips(ballots: list[Ballot]) -> None:
    assert unpack_ballots(pack_ballots(ballots)) == tuple(ballots)
    with pytest.raises(msgspec.ValidationError, match="blue"):
        unpack_ballots(msgspec.msgpack.encode([["v", "blue", 1, 1, 1]]))


def test_voter_code_is_independent_of_secret_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restrictions refer to voter codes for days: an upgrade or a new key must not change them."""
    before = derive_voter_code("00ff00ff00ff00ff")
    monkeypatch.setattr(settings, "SECRET_KEY", "another")
    assert derive_voter_code("00ff00ff00ff00ff") == before == "GQTLVZ"


def test_voter_codes_are_spread_over_alphabet() -> None:
    random = Random(1)
    voter_codes = [derive_voter_code(random.randbytes(8).hex()) for _ in range(2_000)]
    assert len(set(voter_codes)) > 1_995
    for place in range(VOTER_CODE_LENGTH):
        assert {code[place] for code in voter_codes} == set(VOTER_CODE_ALPHABET)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        *((typed, "GQTLVZ") for typed in ("GQTLVZ", "gqtlvz", " gqt lvz ", "GQT-LVZ", "g q t l v z")),
        *((typed, None) for typed in ("", "GQTLV", "GQTLVZL", "FJQTQA", "FJQTQY", "FJQTQ1", "Anna B")),
    ],
)
def test_normalize_voter_code_ignores_only_case_spaces_and_dashes(typed: str, code: str | None) -> None:
    assert normalize_voter_code(typed) == code
