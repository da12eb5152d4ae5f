"""The scenes of phone and display that are tested, and how to reach them."""

from tests.e2e.display_scenes import DISPLAY_LOOKED_AT, DISPLAY_SCENES
from tests.e2e.phone_scenes import PHONE_LOOKED_AT, PHONE_SCENES
from tests.e2e.scene_setup import CODE, CONFLICT, MIDDLE, THE_END, Scene, at_step, ended, named, show_scene

__all__ = [
    "CODE",
    "CONFLICT",
    "DISPLAY_LOOKED_AT",
    "DISPLAY_SCENES",
    "MIDDLE",
    "PHONE_LOOKED_AT",
    "PHONE_SCENES",
    "THE_END",
    "Scene",
    "at_step",
    "ended",
    "named",
    "show_scene",
]
