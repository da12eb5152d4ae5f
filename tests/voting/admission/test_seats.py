import pytest
from django.conf import settings
from django.core import signing
from hypothesis import given
from hypothesis import strategies as st

from voting.admission.seats import Seat, new_seat, read_seat, sign_seat, unverified_voter
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
