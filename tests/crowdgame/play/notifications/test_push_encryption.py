"""Push messages are encrypted as RFC 8291 says, and signed as RFC 8292 says."""

import time
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from crowdgame.play.notifications import vapid
from crowdgame.play.notifications.push_encryption import CURVE, encrypt
from tests.push_device import read_claims

ENDPOINT = "https://push.example.net:8443/send/abc?x=1"


def test_message_is_that_of_the_specification() -> None:
    """The example in appendix A of RFC 8291."""
    private = urlsafe_base64_decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    receiver = urlsafe_base64_decode(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )
    message = encrypt(
        b"When I grow up, I want to be a watermelon",
        receiver,
        urlsafe_base64_decode("BTBZMqHH6r4Tts7J_aSIgg"),
        ec.derive_private_key(int.from_bytes(private), CURVE),
        urlsafe_base64_decode("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert urlsafe_base64_encode(message) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
        "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_token_is_signed_for_the_push_service(settings: Any) -> None:
    settings.PUBLIC_URL = "https://play.example"
    header = vapid.authorize(ENDPOINT, vapid.public_key())
    read = read_claims(header, "https://push.example.net:8443", vapid.public_key())
    assert (read["sub"], read["exp"] < time.time() + 24 * 3600) == ("https://play.example", True)


def test_key_changes_only_with_the_secret_key(settings: Any) -> None:
    first = vapid.public_key()
    assert vapid.public_key() == first
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    second = vapid.public_key()
    assert second != first
    assert read_claims(vapid.authorize(ENDPOINT, first), "https://push.example.net:8443", first)
    settings.SECRET_KEY_FALLBACKS = []
    assert (vapid.is_known(first), vapid.is_known(second)) == (False, True)
    with pytest.raises(KeyError):
        vapid.authorize(ENDPOINT, first)
