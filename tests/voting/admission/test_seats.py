import pytest
from django.conf import settings
from django.core import signing
from hypothesis import given
from hypothesis import strategies as st

from voting.admission.seats import (
    VOTER_CODE_ALPHABET,
    VOTER_CODE_LENGTH,
    Seat,
    derive_voter_code,
    new_seat,
    normalize_voter_code,
    read_seat,
    sign_seat,
    unverified_voter,
)
from voting.protocol import PhoneJoin

SEAT = Seat(12, "00ff00ff00ff00ff", 2)


@given(st.integers(1, 2**53), st.sampled_from([1, 2]))
def test_read_seat_returns_signed_event_voter_and_team(event_id: int, team: int) -> None:
    seat = new_seat(event_id, team)
    assert read_seat(sign_seat(seat)) == seat


def test_new_seat_makes_unique_voters() -> None:
    assert len({new_seat(1, 1).voter for _ in range(1000)}) == 1000


def test_voter_fits_database_and_token_fits_protocol() -> None:
    assert len(new_seat(1, 1).voter) == 16
    assert (
        len(sign_seat(Seat(2**53, "f" * 16, 2)))
        <= PhoneJoin.__annotations__["token"].__args__[0].__metadata__[0].max_length
    )


@given(st.data())
def test_read_seat_rejects_token_with_changed_character(data: st.DataObject) -> None:
    token = sign_seat(SEAT)
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters().filter(lambda character: character != token[at]))
    assert read_seat(token[:at] + other + token[at + 1 :]) in {None, _same_bits(token, at, other)}


def _same_bits(token: str, at: int, other: str) -> Seat | None:
    """The last base64 character of a signature has unused bits; changing any other character is detected."""
    return SEAT if at == len(token) - 1 else None


@pytest.mark.parametrize("token", ["", ":", "12.voter.1", "12.voter.1:", "::::", "\0", "12.v.1:" + "A" * 43])
def test_read_seat_rejects_unsigned_text(token: str) -> None:
    assert read_seat(token) is None


def test_read_seat_rejects_other_salt_or_secret_key() -> None:
    text = "12.00ff00ff00ff00ff.2"
    assert read_seat(signing.Signer(salt="crowdgame.seat").sign(text)) == SEAT
    assert read_seat(signing.Signer(salt="crowdgame.other").sign(text)) is None
    assert read_seat(signing.Signer(key="another secret", salt="crowdgame.seat").sign(text)) is None
    assert settings.SECRET_KEY not in sign_seat(SEAT)


def test_claimed_voter_reads_voter_from_token() -> None:
    assert unverified_voter(sign_seat(SEAT)) == SEAT.voter


# ------------------------------------------------------------------ voter codes
def test_voter_code_is_independent_of_secret_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restrictions refer to voter codes for days: an upgrade or a new key must not change them."""
    before = derive_voter_code("00ff00ff00ff00ff")
    monkeypatch.setattr(settings, "SECRET_KEY", "another")
    assert derive_voter_code("00ff00ff00ff00ff") == before == "GQTLVZ"


def test_voter_codes_are_spread_over_alphabet() -> None:
    voter_codes = [derive_voter_code(new_seat(1, 1).voter) for _ in range(2_000)]
    assert len(set(voter_codes)) > 1_995
    for place in range(VOTER_CODE_LENGTH):
        assert {code[place] for code in voter_codes} == set(VOTER_CODE_ALPHABET)


@pytest.mark.parametrize("typed", ["GQTLVZ", "gqtlvz", " gqt lvz ", "GQT-LVZ", "g q t l v z"])
def test_normalize_voter_code_ignores_case_spaces_and_dashes(typed: str) -> None:
    assert normalize_voter_code(typed) == "GQTLVZ"


@pytest.mark.parametrize("typed", ["", "GQTLV", "GQTLVZL", "FJQTQA", "FJQTQY", "FJQTQ1", "Anna B"])
def test_normalize_voter_code_rejects_impossible_code(typed: str) -> None:
    assert normalize_voter_code(typed) is None
