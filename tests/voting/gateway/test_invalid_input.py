"""Invalid input on the sockets of a running server, which changes nothing."""

import pytest

from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.open_turn import Stage, cast, event, harmless, stage, vote
from voting.protocol import MAX_FRAME_BYTES, CloseCode

__all__ = ["harmless", "stage"]
ABNORMAL = 1006


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("kind", ["phone", "display"])
def test_unknown_code_closes_socket_for_good(kind: str, clients: SocketClients) -> None:
    for code in ("ZZZZ", "zzzz-no-such-16", "\0\0\0\0", "' OR 1=1 --", "ß"):
        assert clients.open(kind).say(f"{kind}.join", code=code).closed() == CloseCode.NO_SUCH_EVENT, code


def test_forged_or_foreign_token_closes_socket_for_good(
    server: Server, stage: Stage, clients: SocketClients
) -> None:
    token = clients.phone(stage.code)[1]["you"]["token"]
    foreign = clients.phone(event(server, lobby="open"))[1]["you"]["token"]
    event_id, voter, rest = token.split(".")
    team, signature = rest.split(":")
    other_team, unsigned = f"{event_id}.{voter}.{3 - int(team)}:{signature}", f"{event_id}.{voter}.{team}"
    for forged in (foreign, other_team, unsigned, token[:-2], "x", "é" * 100):
        client = clients.open("phone").say("phone.join", code=stage.code, token=forged)
        assert client.closed() == CloseCode.BAD_TOKEN


MALFORMED = [
    "",
    "null",
    "[]",
    "{",
    '"phone.join"',
    "{}",
    '{"type": 1}',
    '{"type": "phone.leave"}',
    '{"type": "phone.join"}',
    '{"type": "phone.join", "code": ""}',
    '{"type": "phone.join", "code": "12345678901234567"}',
    '{"type": "phone.join", "code": "ABCD", "team": 3}',
    '{"type": "clock.ask", "sent": -1}',
    '{"type": "clock.ask", "sent": 1e400}',
    '{"type": "clock.ask", "sent": NaN}',
    '{"type": "ballot.cast"}',
    '{"type": "ballot.cast", "turn": 0, "epoch": 1, "choice": 1, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 0, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 4294967296, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": 1, "sequence": 2147483648}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "choice": "1 HGETALL", "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1.5, "epoch": 1, "choice": 1, "sequence": 1}',
    '{"type": "phone.join", "code": "\\ud800"}',
    "[" * 2000,
    '{"a":' * 400,
]


@pytest.mark.usefixtures("harmless")
def test_malformed_frame_is_answered_and_socket_stays_open(stage: Stage, clients: SocketClients) -> None:
    for joined in (False, True):
        for start in range(0, len(MALFORMED), 8):
            client = clients.open("phone")
            if joined:
                client.say("phone.join", code=stage.code).receive("phone.welcomed")
            for frame in MALFORMED[start : start + 8]:
                client.send(frame)
                assert client.receive("error")["code"] == "malformed", frame
            client.say("clock.ask", sent=1)
            assert client.receive("clock.synced")


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("kind", ["phone", "display"])
def test_socket_must_join_first_and_once(kind: str, stage: Stage, clients: SocketClients) -> None:
    early = clients.open("phone").say("ballot.cast", **cast(stage.turn))
    assert early.receive("error")["code"] == "not_joined"
    joined = clients.open(kind).say(f"{kind}.join", code=stage.code)
    joined.receive(f"{kind}.welcomed")
    joined.say(f"{kind}.join", code=stage.code)
    assert joined.receive("error")["code"] == "joined_already"


@pytest.mark.usefixtures("harmless")
def test_display_cannot_vote_and_phone_cannot_control(stage: Stage, clients: SocketClients) -> None:
    (phone, _), (display, _) = clients.phone(stage.code), clients.display(stage.code)
    display.say("ballot.cast", **cast(stage.turn)).receive("error", code="malformed")
    display.say("duel.ask", action="resign", turn=stage.turn).receive("error", code="malformed")
    for client in (display, phone):
        client.say("action.ask", id=1, action="match.abort").receive("error", code="malformed")


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x00\x01", CloseCode.BAD_FRAME),
        (b'{"type":"clock.ask","sent":1}', CloseCode.BAD_FRAME),
        ("x" * (MAX_FRAME_BYTES + 1), CloseCode.FRAME_TOO_LARGE),
        ("é" * (MAX_FRAME_BYTES // 2 + 1), CloseCode.FRAME_TOO_LARGE),
        ("x" * 500_000, CloseCode.FRAME_TOO_LARGE),
    ],
    ids=["binary", "binary JSON", "one byte too long", "too long in bytes", "huge"],
)
def test_binary_or_oversized_frame_closes_socket(
    frame: str | bytes, code: int, joined: bool, stage: Stage, clients: SocketClients
) -> None:
    client = clients.phone(stage.code)[0] if joined else clients.open("phone")
    assert client.send(frame).closed() == code


@pytest.mark.usefixtures("harmless")
def test_huge_frame_is_cut_off_while_reading(stage: Stage, clients: SocketClients) -> None:
    client = clients.phone(stage.code)[0].send("x" * MAX_FRAME_BYTES)
    client.receive("error", code="malformed")
    assert client.send("x" * 3_000_000).closed() in {ABNORMAL, CloseCode.FRAME_TOO_LARGE}
    assert vote(clients.phone(stage.code)[0], stage.turn)


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("path", ["nowhere", "phone/", "../admin/"])
def test_unknown_socket_path_is_refused(path: str, clients: SocketClients) -> None:
    with pytest.raises(Exception, match=r"HTTP 40[34]"):
        clients.open(path)
