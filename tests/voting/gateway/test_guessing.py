"""Who guesses keys at a running house is slowed down, and nobody else is."""

import pytest

from tests.faces import Face, Faces
from tests.stack import House
from tests.voting.keys import event, key_for, refused, turned_away
from voting.admission.admission import WRONG_AT_ONCE
from voting.protocol import CloseCode


@pytest.mark.parametrize("admission", ["rotating", "tickets"])
def test_keys_cannot_be_guessed(admission: str, house: House, faces: Faces) -> None:
    """Two wrong ones a second are looked at even then: so a right one is tried several times."""
    made = event(house, admission)
    _, welcome = faces.phone(made["code"], key=key_for(admission, made, house, faces))
    wrong = "22222" if admission == "rotating" else "22222222"
    assert WRONG_AT_ONCE <= guess(faces, made["code"], wrong) < WRONG_AT_ONCE + 100
    codes = []
    for _ in range(5):
        right = key_for(admission, made, house, faces)
        guess(faces, made["code"], wrong)
        codes.append(first_answer(faces, made["code"], right))
    assert "retry.after" in codes
    assert faces.phone(made["code"], token=welcome["you"]["token"])
    other = event(house, admission)
    assert turned_away(faces, other["code"], key=wrong) == "key_wrong"


def test_a_hall_that_types_too_slowly_does_not_lock_itself_out(house: House, faces: Faces) -> None:
    """Nor do those who show nothing; and they are asked for a key also while somebody guesses."""
    made = event(house, "rotating")
    stale = house.ask("earlier_code", code=made["code"], periods=3)
    for _ in range(50):
        face = faces.open("phone")
        for _ in range(20):
            assert refused(face, made["code"], key=stale) == "key_wrong"
        face.leave()
    assert faces.phone(made["code"], key=key_for("rotating", made, house, faces))
    for _ in range(5):
        guess(faces, made["code"], "22222")
        assert turned_away(faces, made["code"]) == "key_needed"


def guess(faces: Faces, code: str, wrong: str) -> int:
    """How many wrong keys are looked at, twenty a socket, before all who show one are sent away."""
    looked_at = 0
    while looked_at < 2 * WRONG_AT_ONCE:
        face = faces.open("phone")
        for _ in range(20):
            face.say("phone.join", code=code, key=wrong)
            if answer(face) == "retry.after":
                assert face.closed() == CloseCode.CROWDED
                return looked_at
            looked_at += 1
        face.leave()
    return looked_at


def first_answer(faces: Faces, code: str, key: str | None) -> str:
    return answer(faces.open("phone").say("phone.join", code=code, key=key))


def answer(face: Face) -> str:
    kinds = {"phone.welcomed", "error", "retry.after"}
    return str(face.receive_until(lambda message: message["type"] in kinds)["type"])
