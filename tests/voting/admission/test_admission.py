from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from voting.admission.admission import (
    CODE_PERIOD_MS,
    LINK_KEY_LENGTH,
    ROTATING_LENGTH,
    STALE_PERIODS,
    WRONG_KEY_BURST,
    WRONG_KEYS_PER_SECOND,
    GuessLimiter,
    format_key,
    is_projector_key,
    is_rotating_code,
    is_stale_code,
    is_ticket_code,
    projector_key,
    rotating_code,
    rotating_link_key,
)
from voting.admission.roster import MAX_PUPILS, NAME_LENGTH, Pupil, RosterError, read_roster
from voting.events import CODE_LETTERS

NOW = 1_700_000_000_000
TEAMS = {1: "Rooks", 2: "Doves"}


@given(st.integers(CODE_PERIOD_MS * 100, 2**53))
def test_rotating_code_is_valid_in_its_period_and_the_next_and_stale_some_minutes_later(now: int) -> None:
    (code, until_at), link_key = rotating_code("BCDF", now), rotating_link_key("BCDF", now)
    begin_at, stale_at = until_at - CODE_PERIOD_MS, until_at + CODE_PERIOD_MS
    forgotten_at = until_at + STALE_PERIODS * CODE_PERIOD_MS
    assert begin_at <= now < until_at
    for at, valid, stale in [
        (begin_at - 1, False, False),
        (begin_at, True, False),
        (until_at, True, False),
        (stale_at - 1, True, False),
        (stale_at, False, True),
        (forgotten_at - 1, False, True),
        (forgotten_at, False, False),
    ]:
        assert is_rotating_code("BCDF", code, at) is is_rotating_code("BCDF", link_key, at) is valid
        assert is_stale_code("BCDF", code, at) is stale


def test_rotating_codes_differ_and_link_keys_are_longer_ones() -> None:
    codes = [rotating_code("BCDF", NOW + n * CODE_PERIOD_MS)[0] for n in range(1_000)]
    assert all(len(code) == ROTATING_LENGTH and set(code) <= set(CODE_LETTERS) for code in codes)
    assert len(set(codes)) > 990
    for place in range(ROTATING_LENGTH):
        assert {code[place] for code in codes} == set(CODE_LETTERS)
    code, key = rotating_code("BCDF", NOW)[0], rotating_link_key("BCDF", NOW)
    assert (len(key), key[:ROTATING_LENGTH], set(key) <= set(CODE_LETTERS)) == (LINK_KEY_LENGTH, code, True)
    wrong = "2" if key[-1] != "2" else "3"
    for other in ("", key[:4], key[:6], key[:-1], key + wrong, key[:-1] + wrong):
        assert not is_rotating_code("BCDF", other, NOW)


def test_codes_and_display_keys_depend_on_event_and_survive_secret_key_rotation(settings: Settings) -> None:
    code, key = rotating_code("BCDF", NOW)[0], projector_key("BCDF", 0)
    assert not is_rotating_code("BCDG", code, NOW)
    assert not is_projector_key("BCDG", 0, key)
    assert not is_projector_key("BCDF", 1, key)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another"
    assert is_rotating_code("BCDF", code, NOW)
    assert is_stale_code("BCDF", code, NOW + 5 * CODE_PERIOD_MS)
    assert is_projector_key("BCDF", 0, key)
    made = rotating_code("BCDF", NOW)[0], projector_key("BCDF", 0)
    settings.SECRET_KEY_FALLBACKS = []
    for one, other, valid in ((*made, True), (code, key, False)):
        assert is_rotating_code("BCDF", one, NOW) is is_projector_key("BCDF", 0, other) is valid
    for invalid in (None, "", "é", "0" * 24, made[1].upper()):
        assert not is_projector_key("BCDF", 0, invalid)


def test_formatted_ticket_code_has_two_halves_and_others_are_rejected() -> None:
    assert format_key("BCDFGHJK") == "BCDF-GHJK"
    assert is_ticket_code("BCDFGHJK")
    for code in ("", "BCDFGH", "BCDFGHJ", "BCDFGHJKM", "ABCDEFGH", "BCDFGHJ\0", "Ä2345678"):
        assert not is_ticket_code(code), code


def test_guesses_are_limited_by_burst_and_rate() -> None:
    guesses, checked = GuessLimiter(), 0
    for step in range(60 * 100):
        if not guesses.is_exhausted(step / 100):
            guesses.count()
            checked += 1
        if step == 0:
            for _ in range(WRONG_KEY_BURST - 1):
                assert not guesses.is_exhausted(0.0)
                guesses.count()
            assert guesses.is_exhausted(0.0)
    assert 59 * WRONG_KEYS_PER_SECOND <= checked - 1 <= 60 * WRONG_KEYS_PER_SECOND


def test_read_roster_accepts_name_and_optional_team_per_line() -> None:
    text = "\ufeffAda Lovelace\r\n\n  Bob , 2\nCleo;rooks\nDan\tDOVES\nEve,\n"
    pupils = [("Ada Lovelace", None), ("Bob", 2), ("Cleo", 1), ("Dan", 2), ("Eve", None)]
    assert read_roster(text, TEAMS).pupils == [Pupil(*pupil) for pupil in pupils]
    in_7a = read_roster(class_list("team-with-comma"), {1: "7a, blue", 2: "7b"})
    assert in_7a.pupils == [Pupil("Ann Example", 1)]
    longest = "x" * NAME_LENGTH
    assert read_roster(longest, TEAMS).pupils == [Pupil(longest, None)]
    assert len(read_roster("\n".join(map(str, range(MAX_PUPILS))), TEAMS).pupils) == MAX_PUPILS


def class_list(name: str) -> str:
    return Path(__file__).with_name("class_lists").joinpath(f"{name}.txt").read_bytes().decode()


@pytest.mark.parametrize(
    ("text", "pupils"),
    [
        (class_list("fullwidth-comma"), [("王一", 1), ("王二", 2)]),
        (class_list("arabic-digits"), [("سارة ن", 1), ("عمر ن", 2)]),
        (class_list("csv-all-quoted"), [("Ann Example", 1), ("Ben Example", 2)]),
        (class_list("csv-quoted-names-only"), [("Ann Example", None), ('Ann "A" Example', None)]),
        (class_list("sep-line"), [("Ann Example", 1)]),
        (class_list("excel-header-row"), [("Ann Example", 1)]),
        (class_list("excel-number-column"), [("Ann Example", None), ("Ben Example", None)]),
        *((f"王一{separator}1", [("王一", 1)]) for separator in ",;\t\uff0c\uff1b\u3001\u060c\u061b"),
        *((f"Ann,{digit}", [("Ann", 2)]) for digit in "2\uff12\u0662\u06f2\u0968"),
        ("Example, Ann\tDoves", [("Example, Ann", 2)]),
        ('"Example, Ann";2', [("Example, Ann", 2)]),
        ('Ann "A" Example,1', [('Ann "A" Example', 1)]),
        ("sep=|\nExample, Ann|1", [("Example, Ann", 1)]),
        ("N.º\tTurma\tNome\n1\tRooks\tAnn", [("Ann", 1)]),
        ("Code,Name,Team,Used,Address\nBCDF-GHJK,Ann,Rooks,no,http://x/y", [("Ann", 1)]),
        ("1,1", [("1", 1)]),
        ("\u0661\u061bAnn\u061bDoves", [("Ann", 2)]),
        ("A\u202ed\u200ba", [("Ada", None)]),
    ],
)
def test_read_roster_finds_names_and_teams(text: str, pupils: list[tuple[str, int | None]]) -> None:
    assert read_roster(text, TEAMS).pupils == [Pupil(*pupil) for pupil in pupils]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (class_list("last-tab-first"), "Line 1: there is no team “Ann”"),
        (" \n\n", "Enter the names"),
        ("Ada\nADA, 2", "Line 2: “ADA” appears twice"),
        ("Ada\nBob, Blues", "Line 2: there is no team “Blues”"),
        ("Ada, 1, 2", "there is no team “1, 2”"),
        ("Ada, 3", "there is no team “3”"),
        ("\u200b", "Line 1 has no name"),
        (", 1", "Line 1 has no name"),
        ("x" * (NAME_LENGTH + 1), "Line 1: a name can have at most 60"),
        ("\n".join(map(str, range(MAX_PUPILS + 1))), "at most 2,000"),
    ],
)
def test_read_roster_names_line_of_error(text: str, error: str) -> None:
    with pytest.raises(RosterError, match=error):
        read_roster(text, TEAMS)


@given(st.text())
def test_read_roster_parses_any_text_or_raises(text: str) -> None:
    try:
        pupils = read_roster(text, TEAMS).pupils
    except RosterError:
        return
    assert len({pupil.name.casefold() for pupil in pupils}) == len(pupils)
    assert all(0 < len(pupil.name) <= NAME_LENGTH for pupil in pupils)
