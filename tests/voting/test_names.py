import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voting.names import JOINERS, MAX_STACKED_MARKS, TEAM_NAMES, clean_name
from voting.typed_codes import normalize_code

TRICKY = st.sampled_from(
    "\u202e\u202c\u2066\u2069\u200b\u200c\u200d\u200e\ufeff\u00ad\u2060\u061c\u180e\u3164\ufe0f\u2800\u034f"
    "\u0000\n\t\r\u0085\u2028\u2029\u00a0\u3000\U000e0041\U000e0101\ud800\ue000\u0300\u0308\u0323\u20dd"
    "aeAé 각가\u0645\u06cc\u064e\u094d\u0d4d\u09c7\u09be\u0915\u093c<>&\"'"
)
ANY_CHARACTER = st.characters(codec=None, exclude_categories=())
TYPED = st.text(TRICKY | st.characters(), max_size=60) | st.text(ANY_CHARACTER)
CASES = json.loads(Path(__file__).with_name("typed_codes.json").read_text(encoding="utf-8"))


@given(TYPED)
def test_clean_name_is_one_nfc_line_without_control_characters_and_with_few_marks(text: str) -> None:
    """Joiners stay only after a virama or in Arabic."""
    name = clean_name(text)
    assert clean_name(name) == name == " ".join(name.split()) == unicodedata.normalize("NFC", name)
    categories = [unicodedata.category(char) for char in name if char not in JOINERS]
    assert not [category for category in categories if category[0] == "C" or category in {"Zl", "Zp"}]
    assert not name or unicodedata.bidirectional(name[0])[:1] not in {"", "P"}
    name.encode()
    kinds = "".join(unicodedata.category(char)[0] for char in name)
    assert not kinds.startswith("M")
    assert "M" * (MAX_STACKED_MARKS + 1) not in kinds
    for at in [at for at, char in enumerate(name) if char in JOINERS]:
        before, after = name[at - 1], name[at + 1]
        assert at > 0
        assert after.isalpha()
        scripts = {unicodedata.name(char).split()[0] for char in (before, after)}
        assert kinds[at - 1] == "M" or scripts == {"ARABIC"}


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S"))))
def test_clean_name_keeps_plain_ascii(text: str) -> None:
    assert clean_name(text) == text


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  The\t Red \n Herons ", "The Red Herons"),
        ("abc\u202egnp.exe", "abcgnp.exe"),
        ("Gru\u0308n", "Grün"),
        ("Z\u0310\u0311\u0312\u0313\u0314\u0315", "Z\u0310\u0311\u0312\u0313"),
        ("\u0301bc", "bc"),
        ("עברית العربية 日本語", "עברית العربية 日本語"),
        ("\u0646\u0627\u0645\u0647\u200c\u0647\u0627", "\u0646\u0627\u0645\u0647\u200c\u0647\u0627"),
        ("क्\u200dष ശ്\u200cയ", "क्\u200dष ശ്\u200cയ"),
        ("\u0301\u200dA \u0646\u200cA A\u200c\u0646", "A \u0646A A\u0646"),
        ("\U00017000\u200c\U00017000", "\U00017000\U00017000"),
        ("Ot\u200dters \u200cGulls\u200d म\u200dक", "Otters Gulls मक"),
    ],
)
def test_clean_name_examples(typed: str, name: str) -> None:
    assert clean_name(typed) == name


def test_default_team_names_are_clean_unique_and_colorless() -> None:
    assert [clean_name(name) for name in TEAM_NAMES] == list(TEAM_NAMES)
    assert len({name.casefold() for name in TEAM_NAMES}) == len(TEAM_NAMES)
    assert not [name for name in TEAM_NAMES for color in ("red", "yellow") if color in name.casefold()]


@pytest.mark.parametrize(
    ("code", "typed"), [(code, typed) for code, every in CASES.items() for typed in every]
)
def test_normalize_code_accepts_typed_and_pasted_spellings(code: str, typed: str) -> None:
    assert normalize_code(typed) == code
