"""Texts of games, and their translation."""

from typing import Literal

from games.engine.game import Drawing, Mark, insert_team_names
from games.engine.texts import GameText, gettext_noop, translate_drawing, translate_text

GERMAN = {"Trails": "Spuren", "%(red)s bid %(bid)s.": "%(bid)s hat %(red)s geboten."}


def in_german(message: str) -> str:
    return GERMAN.get(message, message)


def mark(kind: Literal["text", "card"]) -> Mark:
    return Mark(name=kind, kind=kind, x=1, y=1, width=1, height=1, text="Trails")


def test_game_text_is_english_and_its_translation_has_the_same_values() -> None:
    assert GameText("%(red)s bid %(bid)s, not %(yellow)s.", bid=3) == "{red} bid 3, not {yellow}."
    translated = translate_text(GameText("%(red)s bid %(bid)s.", bid=3), in_german)
    assert (translated, type(translated)) == ("3 hat {red} geboten.", str)
    assert insert_team_names(translated, {"red": "Möwen", "yellow": "Robben"}) == "3 hat Möwen geboten."


def test_plain_texts_and_drawings_are_translated_but_not_the_value_of_a_card() -> None:
    plain = [translate_text(text, in_german) for text in (gettext_noop("Trails"), "Unknown")]
    assert plain == ["Spuren", "Unknown"]
    drawing = Drawing(width=2, height=2, marks=(mark("text"), mark("card")), words="Trails")
    shown = translate_drawing(drawing, in_german)
    assert ([one.text for one in shown.marks], shown.words) == (["Spuren", "Trails"], "Spuren")
