import json
import re
import time
from itertools import count
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client

from crowdgame.play.discord.interaction import EPOCH_MS, MESSAGE_COMPONENT
from crowdgame.results.reports import chat_receipt
from tests.voting.box_helpers import empty
from tests.voting.match_helpers import play_out, run_out, vote
from tests.voting.sources.test_sources import begin, counted
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.methods.voting_method import find_method
from voting.counting.voter_codes import derive_voter_code
from voting.models import StoredBallot, StoredRestriction, Turn
from voting.sources.casting import derive_seat
from voting.sources.registry import find_source
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db
ids = count((round(time.time() * 1000) - EPOCH_MS) << 22, 1 << 22)
RECEIPT = re.compile(r"<http://testserver(/chat/\S+\?receipt=\d+-[0-9a-f]{32})>")


class Application:
    """A Discord application: it signs interactions and posts them to an event's endpoint, as Discord does."""

    def __init__(self, seed: int) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.source = f"discord:{self._key.public_key().public_bytes_raw().hex()}"

    def sign(self, body: bytes, at: str) -> str:
        return self._key.sign(at.encode() + body).hex()

    def post(self, code: str, interaction: dict[str, Any], age_s: int = 0) -> Any:
        body, at = json.dumps(interaction).encode(), str(round(time.time()) - age_s)
        return post(code, body, at, self.sign(body, at))

    def ask(self, turn: Turn, interaction: dict[str, Any]) -> Any:
        response = self.post(turn.match.event.code, interaction)
        assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
        return json.loads(response.content)


APPLICATION, OTHER = Application(1), Application(2)


def post(code: str, body: bytes, at: str, signature: str) -> Any:
    headers = {"X-Signature-Timestamp": at, "X-Signature-Ed25519": signature}
    client = Client(enforce_csrf_checks=True)
    return client.post(f"/discord/{code}", body, content_type="application/json", headers=headers)


def command(user: str = "11", **changes: Any) -> dict[str, Any]:
    """The slash command of a user in a server. Each interaction is a millisecond later than the last."""
    member = {"user": {"id": user, "username": "ann"}, "nick": "Ann"}
    return {"id": str(next(ids)), "type": 2, "data": {"name": "vote"}, "member": member} | changes


def press(custom_id: str, user: str = "11", **changes: Any) -> dict[str, Any]:
    """A button that a user presses in a message that only this user sees."""
    data = {"custom_id": custom_id, "component_type": 2}
    return command(user, type=MESSAGE_COMPONENT, data=data, message={"flags": 64}) | changes


def buttons(reply: Any) -> list[list[str]]:
    return [[button["label"] for button in row["components"]] for row in reply["data"]["components"]]


@pytest.fixture(autouse=True)
def _no_cached_ballots() -> None:
    chat_receipt._load_opened.cache_clear()


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    return begin(box, ("phones", APPLICATION.source))


def test_only_applications_of_the_events_teams_are_answered(turn: Turn, box: BallotBox) -> None:
    code = turn.match.event.code
    other = begin(box, ("phones", OTHER.source))
    without = begin(box, ("phones", "twitch:rooks")).match.event
    ping = {"id": "1", "type": 1}
    assert APPLICATION.ask(turn, ping) == OTHER.ask(other, ping) == {"type": 1}
    for source in ("discord:", "discord:abc", APPLICATION.source.upper(), APPLICATION.source + "0"):
        assert find_source(source) is None
    for application, at, status in (
        (OTHER, code, 401),
        (APPLICATION, other.match.event.code, 401),
        (APPLICATION, without.code, 404),
        (APPLICATION, "ZZZZ", 404),
    ):
        assert application.post(at, ping).status_code == status


def test_forged_altered_old_and_malformed_requests_are_refused(turn: Turn) -> None:
    body = json.dumps(press(f"{turn.pk}-3")).encode()
    code = turn.match.event.code
    now, old, future = (str(round(time.time()) + seconds) for seconds in (0, -302, 302))
    sign = APPLICATION.sign
    requests = [
        (body, now, OTHER.sign(body, now)),
        (body.replace(b"-3", b"-4"), now, sign(body, now)),
        (body, str(int(now) - 1), sign(body, now)),
        (body, now, sign(body, "")),
        (body, old, sign(body, old)),
        (body, future, sign(body, future)),
        (body, "", sign(body, "")),
        *((body, at, sign(body, at)) for at in ("now", "9" * 400, "9" * 5_000)),
        (body, now, ""),
        (body, now, "no hex"),
        (body, now, sign(body, now)[2:]),
    ]
    no_button, no_id = b'{"id": "1", "type": 3, "data": {}}', b'{"id": "x", "type": 3}'
    malformed = (b"", b"{}", b"[1]", b"\xff", no_id, no_button)
    assert [post(code, *request).status_code for request in requests] == [401] * len(requests)
    assert {post(code, text, now, sign(text, now)).status_code for text in malformed} == {400}
    assert not StoredBallot.objects.exists()
    assert post(code, body, old, sign(body, now)).status_code == 401
    assert post(code, body, now, sign(body, now)).status_code == 200
    assert APPLICATION.post(code, press(f"{turn.pk}-3"), age_s=290).status_code == 200


def test_command_shows_a_button_for_each_legal_column_to_the_voter_only(box: BallotBox) -> None:
    turn = begin(box, ("phones", APPLICATION.source), options={"columns": 6})
    reply = APPLICATION.ask(turn, command())
    assert (reply["type"], reply["data"]["flags"]) == (4, 64)
    assert buttons(reply) == [["1", "2", "3", "4", "5"], ["6"], ["Current vote"]]
    assert reply["data"]["content"].startswith("Turn 1: choose a column. Only you see this.")
    for locale, begins in (
        ("de", "Zug 1: Wähle eine Spalte."),
        ("es-419", "Turno 1"),
        ("zh-CN", "第 1 回合"),
    ):
        assert APPLICATION.ask(turn, command(locale=locale))["data"]["content"].startswith(begins)
    assert APPLICATION.ask(turn, command(locale="ja"))["data"]["content"].startswith("Turn 1"), "of the event"
    empty()  # without a box, a vote is not confirmed and can be repeated
    reply = APPLICATION.ask(turn, press(f"{turn.pk}-3"))
    assert reply["data"]["content"] == "Your vote was not counted. Try again in a moment."
    assert buttons(reply)[0][2] == "3"


@pytest.mark.parametrize("method", ["plurality", "score"])
def test_last_vote_counts_and_each_reply_confirms(method: str, box: BallotBox) -> None:
    turn = begin(box, ("phones", APPLICATION.source), tally_method=method)
    for column in (2, 5):
        reply = APPLICATION.ask(turn, press(f"{turn.pk}-{column}"))
        assert (reply["type"], reply["data"]["flags"]) == (7, 64)
        assert f"Column {column}: your vote has arrived." in reply["data"]["content"]
    direct_message = press(f"{turn.pk}-3") | {"member": None, "user": {"id": "12"}}
    APPLICATION.ask(turn, direct_message)
    others_see = APPLICATION.ask(turn, press(f"{turn.pk}-3", "13", message={"flags": 0}))
    assert (others_see["type"], others_see["data"]["flags"]) == (4, 64), "a new message"
    play_out(turn, box)
    assert counted(turn) == [find_method(method).encode_single(column) for column in (3, 3, 5)]


def test_late_repeated_and_overtaken_votes_change_nothing(turn: Turn, box: BallotBox) -> None:
    early, late = press(f"{turn.pk}-2"), press(f"{turn.pk}-5")
    first = APPLICATION.ask(turn, late)
    assert APPLICATION.ask(turn, late) == first
    assert APPLICATION.ask(turn, early) == {"type": 6}
    run_out(load_turn(turn.pk), box)
    assert APPLICATION.ask(turn, late) == first
    for user in ("11", "12"):
        assert APPLICATION.ask(turn, press(f"{turn.pk}-3", user))["data"]["content"] == "This vote is over."
    play_out(turn, box)
    old_button = APPLICATION.ask(turn, press(f"{turn.pk}-3", "13"))
    assert old_button["data"]["content"].startswith("This vote is over.\nTurn 2: the vote opens <t:")
    assert counted(turn) == [5]


def test_buttons_of_other_turns_or_illegal_columns_do_nothing(turn: Turn, box: BallotBox) -> None:
    other_turn = begin(box, ("phones", APPLICATION.source))
    for custom_id in (
        *(f"{turn.pk}-{column}" for column in ("0", "8", "-1", "255", "1000", "")),
        *(f"{other_turn.pk}-3", f"{turn.pk + 99}-3", f"{'9' * 18}-3", "3", "vote", ""),
    ):
        assert "arrived" not in APPLICATION.ask(turn, press(custom_id))["data"]["content"]
    assert not StoredBallot.objects.exists()


def test_applications_vote_for_their_own_teams_and_a_user_once(box: BallotBox) -> None:
    turn = begin(box, (APPLICATION.source, OTHER.source))
    for application, user, column in ((APPLICATION, "11", 1), (OTHER, "12", 2), (OTHER, "11", 3)):
        application.ask(turn, press(f"{turn.pk}-{column}", user))
    assert APPLICATION.ask(turn, press(f"{turn.pk}-4", "13"))
    play_out(turn, box)
    assert (counted(turn, "red"), sorted(counted(turn, "yellow"))) == ([4], [2, 3])


def test_banned_user_does_not_vote(turn: Turn) -> None:
    event = turn.match.event
    banned, other = (derive_seat(event.pk, "discord", user) for user in ("11", "12"))
    for voter in (banned, other):
        voter_code = derive_voter_code(voter)
        StoredRestriction.objects.create(event=event, voter_code=voter_code, at=1, banned=voter == banned)
    replies = [APPLICATION.ask(turn, press(f"{turn.pk}-3", user)) for user in ("11", "12")]
    assert replies[0]["data"]["content"] == "You have been banned from this event."
    assert StoredBallot.objects.get().voter == other


def test_replies_and_state_tell_nothing_about_votes(turn: Turn, box: BallotBox) -> None:
    before = APPLICATION.ask(turn, command())
    vote(turn, box, red=[4, 4])
    for user in range(20, 25):
        APPLICATION.ask(turn, press(f"{turn.pk}-3", str(user)))
    assert APPLICATION.ask(turn, command()) == before
    assert not any(team.is_public for team in load_snapshot(turn.match.event).teams)


def test_receipt_shows_vote_only_after_reveal(turn: Turn, box: BallotBox, client: Client) -> None:
    replies = [APPLICATION.ask(turn, press(f"{turn.pk}-{column}")) for column in (2, 5)]
    earlier, latest = (RECEIPT.findall(reply["data"]["content"])[0] for reply in replies)
    assert "has not been revealed yet" in client.get(latest).content.decode()
    play_out(turn, box)
    for path, shown in (
        (latest, "Column 5, for <bdi>Doves</bdi>."),
        (earlier, "Only your last vote in a turn counts."),
        (latest.replace("receipt=", "receipt=9"), "or the receipt code is wrong"),
        (latest.partition("?")[0], "Receipt code"),
    ):
        assert shown in client.get(path).content.decode()
