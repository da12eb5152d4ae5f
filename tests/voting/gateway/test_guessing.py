"""Guessing keys on a running server is rate-limited, without affecting other clients."""

import pytest

from tests.server import Server
from tests.socket_clients import Face, Faces
from tests.voting.keys import event, key_for, refused, turned_away
from voting.admission.admission import WRONG_KEY_BURST
from voting.protocol import CloseCode


@pytest.mark.parametrize("admission", ["rotating", "tickets"])
def test_guessing_keys_is_rate_limited(admission: str, server: Server, faces: Faces) -> None:
    """Two wrong keys a second are still checked, so a correct key may succeed: try it several times."""
    made = event(server, admission)
    _, welcome = faces.phone(made["code"], key=key_for(admission, made, server, faces))
    wrong = "22222" if admission == "rotating" else "22222222"
    assert WRONG_KEY_BURST <= guess(faces, made["code"], wrong) < WRONG_KEY_BURST + 100
    codes = []
    for _ in range(5):
        right = key_for(admission, made, server, faces)
        guess(faces, made["code"], wrong)
        codes.append(first_answer(faces, made["code"], right))
    assert "retry.after" in codes
    assert faces.phone(made["code"], token=welcome["you"]["token"])
    other = event(server, admission)
    assert turned_away(faces, other["code"], key=wrong) == "key_wrong"


def test_stale_codes_do_not_count_as_guesses(server: Server, faces: Faces) -> None:
    """Phones without a key do not count as guesses, and are asked for one even while somebody guesses."""
    made = event(server, "rotating")
    stale = server.ask("earlier_code", code=made["code"], periods=3)
    for _ in range(50):
        face = faces.open("phone")
        for _ in range(20):
            assert refused(face, made["code"], key=stale) == "key_wrong"
        face.leave()
    assert faces.phone(made["code"], key=key_for("rotating", made, server, faces))
    for _ in range(5):
        guess(faces, made["code"], "22222")
        assert turned_away(faces, made["code"]) == "key_needed"


def guess(faces: Faces, code: str, wrong: str) -> int:
    """Try wrong keys, twenty per socket, until the server checks no more; return how many it checked."""
    checked = 0
    while checked < 2 * WRONG_KEY_BURST:
        face = faces.open("phone")
        for _ in range(20):
            face.say("phone.join", code=code, key=wrong)
            if answer(face) == "retry.after":
                assert face.closed() == CloseCode.CROWDED
                return checked
            checked += 1
        face.leave()
    return checked


def first_answer(faces: Faces, code: str, key: str | None) -> str:
    return answer(faces.open("phone").say("phone.join", code=code, key=key))


def answer(face: Face) -> str:
    kinds = {"phone.welcomed", "error", "retry.after"}
    return str(face.receive_until(lambda message: message["type"] in kinds)["type"])
