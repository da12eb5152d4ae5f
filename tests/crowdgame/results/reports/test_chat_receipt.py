"""The page on which a chatter sees whether and how a vote was counted, with its proof."""

import html
import json
import re

import pytest
from django.test import Client

from crowdgame.results.reports import chat_receipt
from tests.crowdgame.server.web.test_public_pages import assert_is_harmless
from tests.voting.match_helpers import play_out, tally_of, vote
from tests.voting.merkle_path import root_of_path
from tests.voting.sources.test_casting import begin
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import ballot_leaf
from voting.models import Turn
from voting.sources.chat_casting import cast_votes, chat_turns
from voting.sources.chat_lines import ChatVote

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_cached_ballots() -> None:
    chat_receipt._load_opened.cache_clear()


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    """An open turn in which two chatters have voted."""
    turn = begin(box, ("phones", "twitch:rooks"))
    chatting = chat_turns().get(pk=turn.pk)
    vote(turn, box, red=[4])
    cast_votes(chatting, [ChatVote("rooks", name, 5, chatting.opens_at + 1) for name in ("ann", "bob")], box)
    return turn


def page(client: Client, turn: Turn, login: str = "") -> str:
    return client.get(f"/chat/{turn.match.event.code}", {"login": login}).content.decode()


def test_page_says_nothing_before_the_reveal_or_without_a_chat(client: Client, turn: Turn) -> None:
    assert "No turn has been revealed yet." in page(client, turn, "ann")
    assert "Column" not in page(client, turn, "ann")
    path = f"/chat/{turn.match.event.code}"
    assert_is_harmless(client, path)
    turn.match.event.teams.update(source="phones")
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("login", ["ann", " @Ann "])
def test_chatter_finds_the_vote_and_its_proof(client: Client, turn: Turn, box: BallotBox, login: str) -> None:
    play_out(turn, box)
    shown = page(client, turn, login)
    assert "Turn 1: your vote was counted" in shown
    assert "Column 5, for <bdi>Doves</bdi>." in shown
    (found,) = re.findall("<pre[^>]*>(.*?)</pre>", shown, re.DOTALL)
    proof = json.loads(html.unescape(found))
    assert (proof["ballots"], proof["choice"]) == (2, 5)
    leaf = ballot_leaf(turn.pk, "yellow", proof["choice"], proof["blind"])
    path = [bytes.fromhex(beside) for beside in proof["path"]]
    root = root_of_path(leaf, proof["index"], proof["ballots"], path)
    assert root == bytes.fromhex(tally_of(turn, "yellow").root)


@pytest.mark.parametrize("login", ["carl", "red1", "<b>", "x" * 500])
def test_page_says_why_an_account_has_no_vote(client: Client, turn: Turn, box: BallotBox, login: str) -> None:
    play_out(turn, box)
    assert "Turn 1: no vote was counted" in page(client, turn, login)
    assert "<b>" not in page(client, turn, login)
