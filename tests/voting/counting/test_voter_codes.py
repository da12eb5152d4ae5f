from random import Random

import pytest
from django.conf import settings

from voting.counting.voter_codes import (
    VOTER_CODE_ALPHABET,
    VOTER_CODE_LENGTH,
    derive_voter_code,
    normalize_voter_code,
)


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


@pytest.mark.parametrize("typed", ["GQTLVZ", "gqtlvz", " gqt lvz ", "GQT-LVZ", "g q t l v z"])
def test_normalize_voter_code_ignores_case_spaces_and_dashes(typed: str) -> None:
    assert normalize_voter_code(typed) == "GQTLVZ"


@pytest.mark.parametrize("typed", ["", "GQTLV", "GQTLVZL", "FJQTQA", "FJQTQY", "FJQTQ1", "Anna B"])
def test_normalize_voter_code_rejects_impossible_code(typed: str) -> None:
    assert normalize_voter_code(typed) is None
