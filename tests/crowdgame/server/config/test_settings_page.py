from crowdgame.server.config.environment import SET_BY_PLAY, VARIABLES, render
from crowdgame.server.laptop.paths import ROOT
from tests.machines.manifests import settings_read

PAGE = ROOT / "docs" / "generated" / "settings.md"
LISTED = [variable for variables in VARIABLES.values() for variable in variables]
NOT_OURS = {"DJANGO_SETTINGS_MODULE", "PYTHONPATH", "PYTHONUNBUFFERED"}


def test_settings_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run `manage.py generate_settings`"


def test_settings_page_lists_every_variable_once() -> None:
    names = [variable.name for variable in LISTED]
    assert sorted(names) == sorted(settings_read() - NOT_OURS)


def test_every_variable_has_meaning_and_default() -> None:
    assert all(variable.meaning and variable.default for variable in LISTED)


def test_settings_page_lists_what_make_play_sets() -> None:
    assert {variable.name for variable in LISTED} >= SET_BY_PLAY - NOT_OURS
    assert "| `GATEWAY` * |" in render()
    assert "| `DATABASE_URL` |" in render()
