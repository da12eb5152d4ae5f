import json
from typing import Any

import pytest
from django.conf import settings

from crowdgame.events.nickname_words import WORDS, words_in
from crowdgame.events.nicknames import answer_nickname_ask
from tests.voting.action_helpers import done_by, record_voters, refused
from tests.voting.match_helpers import new_event
from voting.ballot_box.ballot_box import BallotBox
from voting.models import NICKNAME_LENGTH, Announcement, Event, Nickname
from voting.names import clean_name
from voting.nicknames import load_nicknames
from voting.protocol import NicknameAnswered, NicknameAsk
from voting.terms import Nicknames

pytestmark = pytest.mark.django_db
ANN, BEN = "BCDFGH", "HGFDCB"
OFF = "This event has no nicknames."


def ask(event: Event, name: str | None = None, voter: str = ANN, language: str = "en") -> NicknameAnswered:
    return answer_nickname_ask(event.pk, voter, NicknameAsk(name=name, language=language), 1)


@pytest.mark.parametrize(
    ("choices", "name", "problem", "seen"),
    [
        ({"nicknames": Nicknames.OFF}, "Otter 12", OFF, {}),
        ({"nicknames": Nicknames.SUGGESTED}, "Otter 12", "", {ANN: "Otter 12"}),
        ({"nicknames": Nicknames.SUGGESTED}, "Ann", "Choose one of the suggested nicknames.", {}),
        ({"nicknames": Nicknames.SUGGESTED}, "Otter 007", "Choose one of the suggested nicknames.", {}),
        ({"nicknames": Nicknames.TYPED}, "Otter 12", "", {ANN: "Otter 12"}),
        ({"nicknames": Nicknames.TYPED}, "Ann", "", {}),
        ({"nicknames": Nicknames.TYPED, "admission": "roster"}, "Otter 12", OFF, {}),
        ({"nicknames": Nicknames.TYPED, "fixed_players": True}, "Otter 12", OFF, {}),
    ],
)
def test_setting_decides_which_nicknames_voters_get(
    choices: dict[str, Any], name: str, problem: str, seen: dict[str, str]
) -> None:
    event = new_event(**choices)
    assert ask(event, name).problem == problem
    assert load_nicknames(event) == seen


@pytest.mark.parametrize(
    ("typed", "stored", "problem"),
    [
        ("  Ann\u202e\u200b  Lee ", "Ann Lee", ""),
        *((name, "", "A name has 2 to 20 characters.") for name in ("\u200b", "x" * 21)),
        ("<b>Ann</b>", "", "Use only letters, numbers, spaces and - ' _ in a name."),
        ("0rganizer", "", "This name is reserved. Choose another one."),
        ("\u0410nn", "", "This name mixes letters of different scripts. Use letters of one script."),
        ("B-E-N", "", "Somebody has this nickname. Choose another one."),
    ],
)
def test_typed_nickname_is_seen_once_allowed(typed: str, stored: str, problem: str, box: BallotBox) -> None:
    event = new_event(nicknames=Nicknames.TYPED)
    ask(event, "Ben", voter=BEN)
    answer = ask(event, typed)
    assert (answer.name, answer.allowed, answer.problem) == (stored, False, problem)
    if stored:
        with refused("The voter has changed this nickname."):
            done_by(event.pk, "voter.allow_nickname", box, voter_code=ANN, text="Ann")
        done_by(event.pk, "voter.allow_nickname", box, voter_code=ANN, text=stored)
        assert load_nicknames(event) == {ANN: stored}
        ask(event, "Rude")
    assert load_nicknames(event) == {}


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_suggestions_are_distinct_short_and_accepted(language: str) -> None:
    event = new_event()
    words = words_in(language)
    assert len(set(words)) == len(WORDS)
    assert [word for word in words if clean_name(word) != word or len(f"{word} 9999") > NICKNAME_LENGTH] == []
    first, *_ = ask(event, language=language).suggestions
    assert first.rpartition(" ")[0] in words
    assert ask(event, first, language=language).allowed


@pytest.mark.parametrize(
    ("hiding", "showing"), [("voter.remove_nickname", "voter.restore_nickname"), ("voter.ban", "voter.admit")]
)
def test_removed_or_banned_nickname_disappears(hiding: str, showing: str, box: BallotBox) -> None:
    event = new_event()
    record_voters(event.pk, ANN, BEN)
    ask(event, "Otter 12")
    ask(event, "Heron 30", voter=BEN)
    done_by(event.pk, hiding, box, voter_code=ANN)
    assert load_nicknames(event) == {BEN: "Heron 30"}
    assert [json.loads(bytes(row.body))["type"] for row in Announcement.objects.all()] == ["event.edited"]
    done_by(event.pk, showing, box, voter_code=ANN)
    assert load_nicknames(event) == {ANN: "Otter 12", BEN: "Heron 30"}


def test_nickname_can_be_changed_and_given_up_until_it_is_removed(box: BallotBox) -> None:
    event = new_event()
    record_voters(event.pk, ANN)
    for name in ("Otter 12", "Heron 30", ""):
        assert ask(event, name).name == ask(event).name == name
    assert not Nickname.objects.exists()
    with refused("This voter has no nickname."):
        done_by(event.pk, "voter.remove_nickname", box, voter_code=ANN)
    ask(event, "Otter 12")
    done_by(event.pk, "voter.remove_nickname", box, voter_code=ANN)
    assert ask(event, "Heron 30") == NicknameAnswered(removed=True)
