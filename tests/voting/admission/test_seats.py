from typing import Any

import msgspec
import pytest
from django.core import signing
from hypothesis import given
from hypothesis import strategies as st

from voting.admission import seats
from voting.protocol import PhoneJoin

SEAT = seats.Seat(12, "00ff00ff00ff00ff", 2)
NOW = 1_800_000_000_000


@given(st.integers(1, 2**53), st.sampled_from([1, 2]))
def test_read_seat_returns_signed_event_voter_and_team(event_id: int, team: int) -> None:
    seat = seats.new_seat(event_id, team)
    assert seats.read_seat(seats.sign_seat(seat)) == seat
    assert seats.unverified_voter(seats.sign_seat(seat)) == seat.voter


def test_new_seat_makes_unique_voters_of_fixed_length() -> None:
    voters = {seats.new_seat(1, 1).voter for _ in range(1000)}
    assert (len(voters), {len(voter) for voter in voters}) == (1000, {16})
    token = seats.sign_seat(seats.Seat(2**53, "f" * 16, 2))
    assert msgspec.convert({"type": "phone.join", "code": "C", "token": token}, PhoneJoin).token == token


@given(st.data())
def test_read_seat_rejects_token_with_changed_character(data: st.DataObject) -> None:
    """The last base64 character of a signature has unused bits; changing any other character is detected."""
    token = seats.sign_seat(SEAT)
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters().filter(lambda character: character != token[at]))
    same_bits = SEAT if at == len(token) - 1 else None
    assert seats.read_seat(token[:at] + other + token[at + 1 :]) in {None, same_bits}


def test_read_seat_rejects_other_salt_or_secret_key(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text, token = "12.00ff00ff00ff00ff.2", seats.sign_seat(SEAT)
    assert seats.read_seat(signing.Signer(salt="crowdgame.seat").sign(text)) == SEAT
    assert seats.read_seat(signing.Signer(salt="crowdgame.other").sign(text)) is None
    assert seats.read_seat(signing.Signer(key="another secret", salt="crowdgame.seat").sign(text)) is None
    assert settings.SECRET_KEY not in token
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    monkeypatch.setattr(seats, "_signer", seats._signer.__wrapped__)
    assert seats.read_seat(token) == SEAT


def test_read_offer_rejects_expired_or_forged_offer() -> None:
    seat = seats.new_seat(7, 2)
    offered = seats.sign_offer(seat, NOW)
    assert seats.read_offer(offered, NOW + seats.OFFER_TTL_MS - 1) == seat
    assert seats.read_offer(offered, NOW + seats.OFFER_TTL_MS) is None
    assert seats.read_offer(offered.replace("7.", "8.", 1), NOW) is None
    assert seats.read_offer("ö", NOW) is None


def test_reserved_seats_count_until_taken_or_expired(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("voting.admission.seats.time.monotonic", lambda: now)
    reserved_seats = seats.ReservedSeats()
    assert reserved_seats.smaller((0, 0)) == 1
    first = seats.new_seat(7, 1)
    reserved_seats.add(first)
    assert (reserved_seats.smaller((0, 0)), reserved_seats.smaller((0, 2))) == (2, 1)
    reserved_seats.take(first.voter)
    reserved_seats.take(first.voter)
    assert (reserved_seats.smaller((0, 0)), reserved_seats.smaller((1, 0))) == (1, 2)
    for team in (1, 1, 2):
        reserved_seats.add(seats.new_seat(7, team))
    assert [reserved_seats.smaller(connected) for connected in ((0, 0), (0, 1), (0, 2))] == [2, 1, 1]
    now += seats.RESERVATION_TTL_S
    assert reserved_seats.smaller((0, 0)) == 1
    monkeypatch.setattr("voting.admission.seats.MAX_RESERVATIONS", 100)
    for number in range(300):
        reserved_seats.add(last := seats.new_seat(7, 1))
        assert len(reserved_seats._until) == reserved_seats._teams[1] == min(number + 1, 100)
        assert last.voter in reserved_seats._until
