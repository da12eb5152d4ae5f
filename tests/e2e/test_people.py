"""People in the control room: found by name or sign, moved, sent out, kept out, and all of it taken back."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check
from tests.e2e.conftest import OpenFace
from tests.e2e.faces import SOON_MS, Face
from tests.faces import faces_of
from tests.stack import House
from voting.protocol import CloseCode

OWNER = "petra"
SIZES = {"desk": {"width": 1280, "height": 800}, "tablet": {"width": 1024, "height": 768}}
CLASS = "Ada Lovelace, Rooks\nAlan Turing, Rooks\nGrace Hopper, Doves\nKatherine Johnson, Doves"


def control_room(house: House, open_at: OpenFace, size: str, code: str) -> Face:
    face = open_at(house, f"people-{size}", SIZES[size])
    _, value = house.ask("session", name=OWNER).split("=", 1)
    face.page.context.add_cookies([{"name": "sessionid", "value": value, "url": house.http}])
    face.page.goto(f"/console/{code}/")
    expect(face.page.get_by_role("region", name="People")).to_be_visible(timeout=SOON_MS)
    return face


def search(page: Page, text: str) -> None:
    page.get_by_role("region", name="People").get_by_role("searchbox").fill(text)


def presses(page: Page, name: str) -> None:
    page.get_by_role("region", name="People").get_by_role("button", name=name).click()


@pytest.mark.parametrize("size", SIZES)
def test_a_pupil_is_found_by_name_moved_kept_out_and_let_in_again(
    size: str, one_gateway: House, open_at: OpenFace
) -> None:
    event = one_gateway.ask("event", owner=OWNER, lobby="open", admission="roster")
    ada = one_gateway.ask("roster", event_id=event["id"], text=CLASS)[0]
    room = control_room(one_gateway, open_at, size, event["code"])
    people = room.page.get_by_role("region", name="People")
    for faces in faces_of(one_gateway):
        phone, welcome = faces.phone(event["code"], key=ada)
        expect(people.get_by_role("listitem")).to_have_count(4, timeout=SOON_MS)
        room.shoot("class")
        search(room.page, "love")
        expect(people.get_by_role("listitem")).to_have_count(1, timeout=SOON_MS)
        presses(room.page, "To Doves")
        assert phone.receive("phone.welcomed")["you"]["team"] == 2
        expect(people.get_by_text("Moved to Doves")).to_be_visible(timeout=SOON_MS)
        presses(room.page, "Keep out")
        assert phone.closed() == CloseCode.BANNED
        expect(people.get_by_text("Kept out")).to_be_visible(timeout=SOON_MS)
        room.shoot("kept-out")
        assert check(room.page, f"people at {size}") == []
        presses(room.page, "Let in again")
        expect(people.get_by_text("Moved to Doves")).to_be_visible(timeout=SOON_MS)
        presses(room.page, "Move back")
        expect(people.get_by_text("Moved to Doves")).to_have_count(0, timeout=SOON_MS)
        _, back = faces.phone(event["code"], token=welcome["you"]["token"])
        assert back["you"]["team"] == 1
    assert room.errors == []


def test_by_keyboard_a_stranger_is_sent_out_by_the_letters_on_the_phone(
    one_gateway: House, open_at: OpenFace
) -> None:
    event = one_gateway.ask("event", owner=OWNER, lobby="open")
    room = control_room(one_gateway, open_at, "desk", event["code"])
    people = room.page.get_by_role("region", name="People")
    for faces in faces_of(one_gateway):
        phone, welcome = faces.phone(event["code"])
        voter_code = welcome["you"]["voter_code"]
        expect(people.get_by_role("status")).to_contain_text("Whoever disturbs", timeout=SOON_MS)
        room.shoot("nobody")
        people.get_by_role("searchbox").focus()
        room.page.keyboard.type(f"{voter_code[:3]} {voter_code[3:]}".lower())
        expect(people.get_by_role("button", name="Send out")).to_be_visible(timeout=SOON_MS)
        room.shoot("by-sign")
        for _ in range(4):
            room.page.keyboard.press("Tab")
        expect(people.get_by_role("button", name="Send out")).to_be_focused()
        room.page.keyboard.press("Enter")
        assert phone.closed() == CloseCode.KICKED
        expect(room.page.get_by_text(f"sent {voter_code} out")).to_be_visible(timeout=SOON_MS)
        search(room.page, "nobody at all")
        expect(people.get_by_role("status")).to_contain_text("Nobody of this name", timeout=SOON_MS)
        faces.phone(event["code"], token=welcome["you"]["token"])
    assert room.errors == []
