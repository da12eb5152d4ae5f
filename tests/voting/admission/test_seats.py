import pytest
from django.conf import settings
from django.core import signing
from hypothesis import given
from hypothesis import strategies as st

from voting.admission.seats import (
    VOTER_CODE_ALPHABET,
    VOTER_CODE_LENGTH,
    Seat,
    claimed_voter,
    derive_voter_code,
    new_seat,
    normalize_voter_code,
    read_seat,
    sign_seat,
)
from voting.protocol import PhoneJoin

SEAT = Seat(12, "00ff00ff00ff00ff", 2)


@given(st.integers(1, 2**53), st.sampled_from([1, 2]))
def test_a_token_says_event_voter_and_team(event_id: int, team: int) -> None:
    seat = new_seat(event_id, team)
    assert read_seat(sign_seat(seat)) == seat


def test_every_new_seat_is_another_voter() -> None:
    assert len({new_seat(1, 1).voter for _ in range(1000)}) == 1000


def test_a_voter_fits_the_database_and_a_token_the_wire() -> None:
    assert len(new_seat(1, 1).voter) == 16
    assert (
        len(sign_seat(Seat(2**53, "f" * 16, 2)))
        <= PhoneJoin.__annotations__["token"].__args__[0].__metadata__[0].max_length
    )


@given(st.data())
def test_a_token_with_any_character_changed_is_no_token(data: st.DataObject) -> None:
    token = sign_seat(SEAT)
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters().filter(lambda character: character != token[at]))
    assert read_seat(token[:at] + other + token[at + 1 :]) in {None, _same_bits(token, at, other)}


def _same_bits(token: str, at: int, other: str) -> Seat | None:
    """The last base64 character of a signature has bits that mean nothing; no other may be changed."""
    return SEAT if at == len(token) - 1 else None


@pytest.mark.parametrize("token", ["", ":", "12.voter.1", "12.voter.1:", "::::", "\0", "12.v.1:" + "A" * 43])
def test_what_was_never_signed_is_no_token(token: str) -> None:
    assert read_seat(token) is None


def test_a_token_of_another_purpose_or_another_secret_is_no_token() -> None:
    text = "12.00ff00ff00ff00ff.2"
    assert read_seat(signing.Signer(salt="crowdgame.seat").sign(text)) == SEAT
    assert read_seat(signing.Signer(salt="crowdgame.other").sign(text)) is None
    assert read_seat(signing.Signer(key="another secret", salt="crowdgame.seat").sign(text)) is None
    assert settings.SECRET_KEY not in sign_seat(SEAT)


def test_who_holds_a_token_can_tell_its_voter() -> None:
    assert claimed_voter(sign_seat(SEAT)) == SEAT.voter


# ------------------------------------------------------------------ signs
def test_a_sign_is_of_its_voter_whatever_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is ruled about a sign is kept for days: a new version or a new key must not move it."""
    before = derive_voter_code("00ff00ff00ff00ff")
    monkeypatch.setattr(settings, "SECRET_KEY", "another")
    assert derive_voter_code("00ff00ff00ff00ff") == before == "GQTLVZ"


def test_signs_are_spread_over_all_there_are() -> None:
    voter_codes = [derive_voter_code(new_seat(1, 1).voter) for _ in range(2_000)]
    assert len(set(voter_codes)) > 1_995
    for place in range(VOTER_CODE_LENGTH):
        assert {code[place] for code in voter_codes} == set(VOTER_CODE_ALPHABET)


@pytest.mark.parametrize("typed", ["GQTLVZ", "gqtlvz", " gqt lvz ", "GQT-LVZ", "g q t l v z"])
def test_a_sign_is_read_however_it_is_typed(typed: str) -> None:
    assert normalize_voter_code(typed) == "GQTLVZ"


@pytest.mark.parametrize("typed", ["", "GQTLV", "GQTLVZL", "FJQTQA", "FJQTQY", "FJQTQ1", "Anna B"])
def test_what_can_be_no_sign_is_none(typed: str) -> None:
    assert normalize_voter_code(typed) is None
