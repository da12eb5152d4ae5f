"""Texts of games, and their translation."""

from games.engine.game import insert_team_names
from games.engine.texts import GameText, gettext_noop, translate_text

GERMAN = {"Trails": "Spuren", "%(red)s bid %(bid)s.": "%(bid)s hat %(red)s geboten."}


def translate(text: str) -> str:
    return translate_text(text, lambda message: GERMAN.get(message, message))


def test_game_text_is_english_with_placeholders_of_teams() -> None:
    assert GameText("%(red)s bid %(bid)s, not %(yellow)s.", bid=3) == "{red} bid 3, not {yellow}."


def test_translated_text_has_the_same_values() -> None:
    translated = translate(GameText("%(red)s bid %(bid)s.", bid=3))
    assert (translated, type(translated)) == ("3 hat {red} geboten.", str)
    assert insert_team_names(translated, {"red": "Möwen", "yellow": "Robben"}) == "3 hat Möwen geboten."


def test_plain_texts_are_translated() -> None:
    assert (translate(gettext_noop("Trails")), translate("Unknown")) == ("Spuren", "Unknown")
