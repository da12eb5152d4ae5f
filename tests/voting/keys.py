"""Admission on a running server: events by admission mode, their keys, and joining with them."""

from typing import Any

from tests.server import Server
from tests.socket_clients import Face, Faces, Message

LONG = {"window_s": 600, "lobby": "open"}


def event(server: Server, admission: str, **choices: Any) -> dict[str, Any]:
    return dict(server.ask("event", admission=admission, **{**LONG, **choices}))


def refused(face: Face, code: str, **fields: Any) -> str:
    face.say("phone.join", code=code, **fields)
    return str(face.receive("error")["code"])


def turned_away(faces: Faces, code: str, **fields: Any) -> str:
    return refused(faces.open("phone"), code, **fields)


def voter_of(welcome: Message) -> str:
    return str(welcome["you"]["token"]).split(".")[1]


def shown(display: Face) -> Message:
    return display.receive("key.shown")


def trusted_display(server: Server, faces: Faces, code: str) -> Face:
    console = faces.console(code, server.ask("session", name="olga"))
    key = console.receive("console.welcomed")["display_key"]
    console.leave()
    return faces.display(code, key=key)[0]


def key_for(admission: str, made: dict[str, Any], server: Server, faces: Faces) -> str | None:
    if admission == "rotating":
        return str(shown(trusted_display(server, faces, made["code"]))["key"])
    if admission == "tickets":
        return str(server.ask("tickets", event_id=made["id"], count=1)[0])
    return str(server.ask("roster", event_id=made["id"], text="Ada")[0]) if admission == "roster" else None
